//! Isolation: every actor reads every table in every way for the rows of every realm, and finds
//! only those that the actor may see.

use gatepost_ids::{AccessLevel, Account, TenantId};
use serde_json::{Value, json};
use tests::world::{HERE, World};
use webhook_model::{OwnerId, WebhookId};

const TABLES: [&str; 5] = [
    "user_api_keys",
    "webhook_urls",
    "tasks",
    "task_events",
    "webhooks",
];
/// Each user, with the users whose rows that user may see: 2 administers the tenant of 3, and 5
/// that of 6; 4 is in no tenant, nor is 7, the system administrator.
const ACTORS: [(u128, &[u128]); 6] = [
    (2, &[2, 3]),
    (3, &[3]),
    (4, &[4]),
    (5, &[5, 6]),
    (6, &[6]),
    (7, &[2, 3, 4, 5, 6, 7]),
];

/// The records of one user, each row with the user's mark in all of its texts.
struct Owned {
    user: u128,
    /// Row numbers, in the order of `TABLES`.
    rows: [i64; 5],
}

fn mark(user: u128) -> String {
    format!("mark-of-{user}-ends")
}

async fn furnish(world: &World) -> Vec<(Owned, String)> {
    let other = |access| Some(Account::enabled(access).in_tenant(TenantId(2)));
    world.users.set(5, other(AccessLevel::TenantAdministrator));
    world.users.set(6, other(AccessLevel::User));
    world
        .users
        .set(7, Some(Account::enabled(AccessLevel::SystemAdministrator)));
    let mut all = Vec::new();
    for (user, _) in ACTORS {
        let key = world.key_of(user, &mark(user)).await;
        let make = async |table: &str, row: Value| {
            let made = world.call(&key, HERE, "POST", table, Some(row)).await;
            assert_eq!(made.status, 201, "{table} of {user}: {}", made.body);
            made.json()["$row"].as_i64().unwrap()
        };
        let text = mark(user);
        let hook = json!({"name": text, "url": format!("http://10.0.0.1/{text}"), "headers": format!("X-Mark:{text}\n"), "retries": 0});
        let hook = make("webhook_urls", hook).await;
        let task = json!({"name": text, "description": text, "owner": format!("webhook_urls/{hook}"), "settings_args": {"message": text}});
        let task = make("tasks", task).await;
        let event = json!({"task": task, "table": "vms", "event": "poweron", "tag": 4, "context": {"mark": text}});
        let event = make("task_events", event).await;
        let message = text.parse().unwrap();
        let sent = world.engine.send(WebhookId(hook), Some(&message)).await;
        let sent = world.ended(sent.unwrap()).await.id.0;
        let keys = world.call(&key, HERE, "GET", "user_api_keys", None).await;
        let owned = keys.json();
        let own = owned.as_array().unwrap().iter();
        let own = own.filter(|row| row["name"] == text.as_str());
        let own = own.map(|row| row["$key"].as_i64().unwrap()).next().unwrap();
        all.push((
            Owned {
                user,
                rows: [own, hook, task, event, sent],
            },
            key,
        ));
    }
    all
}

/// Returns lists of each table in every way that a client has: whole, joined, counted, filtered by
/// values of others, sorted, in pages.
fn lists(table: &str, all: &[(Owned, String)]) -> Vec<String> {
    let mut lists = vec![
        table.to_owned(),
        format!("{table}?fields=all"),
        format!("{table}?fields=all&sort=-$key&limit=100"),
        format!("{table}?fields=all&filter=$key%20gt%200"),
        format!("{table}?fields=all&filter=$key%20lt%200%20or%20$key%20ge%200"),
        format!("{table}?fields=$key&limit=100&offset=0"),
    ];
    let joins = match table {
        "user_api_keys" => "$key,user%23name%20as%20a,user%23$display%20as%20b",
        "webhook_urls" => "$key,user%23$display%20as%20a,owner%23name%20as%20b,count(tasks)",
        "tasks" => "$key,owner%23$display%20as%20a,creator%23name%20as%20b,count(events)",
        "task_events" => "$key,task%23name%20as%20a,owner%23$display%20as%20b",
        _ => "$key,message,response_body,webhook_url%23name%20as%20a",
    };
    lists.push(format!("{table}?fields={joins}"));
    let at = TABLES.iter().position(|known| *known == table).unwrap();
    for (owned, _) in all {
        let (user, text) = (owned.user, mark(owned.user));
        let [_, hook, task, _, _] = owned.rows;
        let mut filters = vec![format!("$key eq {}", owned.rows[at])];
        filters.extend(match table {
            "user_api_keys" => vec![format!("user eq {user}"), format!("name eq '{text}'")],
            "webhook_urls" => vec![
                format!("user eq {user}"),
                format!("owner eq 'users/{user}'"),
                format!("name eq '{text}'"),
                format!("url cs '{text}'"),
                format!("headers rx '{text}'"),
            ],
            "tasks" => vec![
                format!("owner eq 'webhook_urls/{hook}'"),
                format!("creator eq 'users/{user}'"),
                format!("name bw 'mark-of-{user}'"),
            ],
            "task_events" => vec![format!("task eq {task}"), "table eq 'vms'".to_owned()],
            _ => vec![
                format!("webhook_url eq {hook}"),
                format!("message cs '{text}'"),
                format!("task eq {task}"),
                "status eq 'error'".to_owned(),
            ],
        });
        lists.extend(filters.iter().map(|filter| {
            let filter = filter.replace(' ', "%20").replace('\'', "%27");
            format!("{table}?fields=all&filter={filter}")
        }));
    }
    lists
}

/// A list has the number of the user's rows, and no value of other users in its text.
#[tokio::test]
async fn lists_contain_no_names_or_numbers_of_others() {
    let world = World::start().await;
    let all = furnish(&world).await;
    let mut found = 0;
    for ((owned, key), (_, sees)) in all.iter().zip(ACTORS) {
        for (at, table) in TABLES.iter().enumerate() {
            for list in lists(table, &all) {
                let answer = world.call(key, HERE, "GET", &list, None).await;
                assert_eq!(answer.status, 200, "{list}: {}", answer.body);
                for (other, _) in &all {
                    let may = sees.contains(&other.user);
                    let names = answer.body.contains(&mark(other.user));
                    let rows = answer.json();
                    let rows = rows.as_array().unwrap().iter();
                    let numbered = rows.filter(|row| row["$key"] == other.rows[at]).count();
                    assert!(
                        may || (!names && numbered == 0),
                        "{} sees {} in {list}: {}",
                        owned.user,
                        other.user,
                        answer.body
                    );
                    found += usize::from(may && (names || numbered > 0));
                }
            }
        }
    }
    // The control: visible rows are there, at least in each of the lists without a filter.
    assert!(found > 6 * 5 * 7, "{found}");
}

/// Reads, changes, deletions and actions on another user's row get the same response as those on a
/// missing row, byte for byte.
#[tokio::test]
async fn row_of_another_user_answers_as_missing() {
    let world = World::start().await;
    let all = furnish(&world).await;
    let acts: [(&str, &[&str]); 5] = [
        ("user_api_key", &[]),
        ("webhook_url", &["send", "pause", "resume", "replay_failed"]),
        ("task", &["execute", "enable", "disable"]),
        ("task_event", &["trigger"]),
        ("webhook", &["replay", "retry", "cancel"]),
    ];
    let mut refused = 0;
    for ((owned, key), (_, sees)) in all.iter().zip(ACTORS) {
        for (other, _) in all.iter().filter(|(other, _)| !sees.contains(&other.user)) {
            for (at, table) in TABLES.iter().enumerate() {
                let (row, none) = (other.rows[at], 999_999);
                let (singular, actions) = acts[at];
                let mut calls = vec![
                    ("GET", format!("{table}/ROW"), json!(null)),
                    ("GET", format!("{table}/ROW?fields=all"), json!(null)),
                    ("PUT", format!("{table}/ROW"), json!({"name": "mine now"})),
                    ("DELETE", format!("{table}/ROW"), json!(null)),
                ];
                calls.extend(actions.iter().flat_map(|action| {
                    [
                        ("POST", format!("{table}/ROW/{action}"), json!({})),
                        ("PUT", format!("{table}/ROW?action={action}"), json!({})),
                        (
                            "POST",
                            format!("{singular}_actions"),
                            json!({singular: "ROW", "action": action}),
                        ),
                    ]
                }));
                for (method, path, body) in calls {
                    let call = async |row: i64| {
                        let path = path.replace("ROW", &row.to_string());
                        let body = body.to_string().replace("\"ROW\"", &row.to_string());
                        let body: Value = serde_json::from_str(&body).unwrap();
                        let body = (!body.is_null()).then_some(body);
                        let answer = world.call(key, HERE, method, &path, body).await;
                        (answer.status, answer.body)
                    };
                    let (theirs, nobodys) = (call(row).await, call(none).await);
                    assert_eq!(
                        theirs, nobodys,
                        "{} asks {method} {path} of {}",
                        owned.user, other.user
                    );
                    assert!(
                        [404, 405].contains(&theirs.0),
                        "{method} {path}: {theirs:?}"
                    );
                    refused += 1;
                }
            }
        }
    }
    assert!(refused > 1_000, "{refused}");
    // None of them was changed, and no table lost a row.
    for (owned, key) in &all {
        for (at, table) in TABLES.iter().enumerate() {
            let path = format!("{table}/{}?fields=all", owned.rows[at]);
            let answer = world.call(key, HERE, "GET", &path, None).await;
            assert_eq!(answer.status, 200, "{path}");
            assert!(!answer.body.contains("mine now"), "{}", answer.body);
        }
    }
}

/// A name that another user has is free, and a reference to another user's row is one to a missing
/// row.
#[tokio::test]
async fn names_and_references_reveal_nothing_of_others() {
    let world = World::start().await;
    let all = furnish(&world).await;
    let (_, stranger) = &all[2];
    let call = async |table: &str, row: Value| {
        let answer = world.call(stranger, HERE, "POST", table, Some(row)).await;
        (answer.status, answer.body)
    };
    for (other, _) in all.iter().filter(|(other, _)| other.user != 4) {
        let name = mark(other.user);
        let hook = json!({"name": name, "url": "https://example.com/"});
        let (status, body) = call("webhook_urls", hook.clone()).await;
        assert_eq!(status, 201, "{body}");
        assert_eq!(
            call("webhook_urls", hook).await.0,
            409,
            "the control: one's own"
        );
        let task = |hook: i64| json!({"name": "t", "owner": format!("webhook_urls/{hook}")});
        assert_eq!(
            call("tasks", task(other.rows[1])).await,
            call("tasks", task(999_999)).await
        );
        let event = |task: i64| json!({"task": task, "table": "vms", "event": "poweron", "tag": 4});
        assert_eq!(
            call("task_events", event(other.rows[2])).await,
            call("task_events", event(999_999)).await
        );
        // Only a caller who may manage a user can find out whether that user exists.
        let key = |user: u128| json!({"user": user, "name": "k"});
        assert_eq!(
            call("user_api_keys", key(other.user)).await,
            call("user_api_keys", key(999_999)).await
        );
        let limits = async |user: u128| {
            let path = format!("limits?user={user}");
            let answer = world.call(stranger, HERE, "GET", &path, None).await;
            (answer.status, answer.body)
        };
        assert_eq!(limits(other.user).await, limits(999_999).await);
    }
}

/// An occurrence of a tenant is received there, and by system administrators.
#[tokio::test]
async fn occurrence_is_received_only_in_its_tenant() {
    let world = World::start().await;
    let all = furnish(&world).await;
    let receivers = async |audience| {
        let occurrence = tests::world::poweron(1, &[4]).with_audience(audience);
        let emitted = world.engine.emit(occurrence).await.unwrap();
        let mut owners = Vec::new();
        for id in emitted.deliveries {
            owners.push(world.ended(id).await.owner);
        }
        owners.sort();
        owners
    };
    use webhook_model::Audience::{Operators, Owner, Tenant};
    let owners = |users: &[u128]| users.iter().map(|user| OwnerId(*user)).collect::<Vec<_>>();
    assert_eq!(receivers(Tenant(TenantId(1))).await, owners(&[2, 3, 7]));
    assert_eq!(receivers(Tenant(TenantId(2))).await, owners(&[5, 6, 7]));
    assert_eq!(receivers(Owner(OwnerId(4))).await, owners(&[4, 7]));
    assert_eq!(receivers(Operators).await, owners(&[7]));
    assert_eq!(receivers(Tenant(TenantId(3))).await, owners(&[7]));
    assert_eq!(all.len(), 6);
}
