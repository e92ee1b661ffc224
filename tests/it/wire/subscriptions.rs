//! A webhook, a task and its events from one request, or none of them.

use std::sync::Arc;

use gatepost_ids::Quota;
use serde_json::{Value, json};
use tests::world::{Expect as _, HERE, World};

/// A request for a new webhook with one event.
fn asked() -> Value {
    let events = json!([{"table": "alarms", "event": "raised"}]);
    json!({"name": "chat", "url": "https://hooks.example.com/in", "events": events})
}

/// The request with these members, of which null ones are left out.
fn with(members: Value) -> Value {
    let (Value::Object(mut body), Value::Object(members)) = (asked(), members) else {
        panic!("objects");
    };
    body.extend(members);
    body.retain(|_, value| !value.is_null());
    body.into()
}

/// How many rows there are of each table.
async fn rows(world: &World) -> [usize; 3] {
    let mut counts = [0; 3];
    for (count, table) in counts
        .iter_mut()
        .zip(["webhook_urls", "tasks", "task_events"])
    {
        let rows = world.get(table).await.json();
        *count = rows.as_array().unwrap().len();
    }
    counts
}

#[tokio::test]
async fn subscription_request_creates_webhook_task_and_events() {
    let world = World::start().await;
    let filter = json!({"severity": {"$gte": 3}});
    let body = with(json!({
        "message": "{\"text\": \"${EVENT}\"}",
        "signing_secret": true,
        "events": [
            {"table": "alarms", "event": "*", "table_event_filters": &filter},
            {"table": "vms", "event": "poweron", "owner": "vms/3", "context": {"a": 1}},
            {"table": "vms", "event": "*", "tag": 4},
        ],
    }));
    let made = world.post("subscriptions", body).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let made = made.json();
    let secret = made["response"]["signing_secret"].as_str().unwrap();
    assert!(secret.starts_with("whsec_"), "{made}");
    let read = async |path: String| world.get(&path).await.json();

    let webhook = read(format!("webhook_urls/{}?fields=all", made["webhook_url"])).await;
    assert_eq!(webhook["url"], "https://hooks.example.com/in");
    assert_eq!(
        (&webhook["name"], &webhook["retries"]),
        (&json!("chat"), &json!(3))
    );
    let task = read(format!("tasks/{}?fields=all", made["task"])).await;
    assert_eq!(
        task["owner"],
        format!("webhook_urls/{}", made["webhook_url"])
    );
    assert_eq!(task["settings_args"]["message"], "{\"text\": \"${EVENT}\"}");
    assert_eq!(task["creator"], "users/1");
    let events = made["task_events"].as_array().unwrap();
    let mut said = Vec::new();
    for event in events {
        let path = format!("task_events/{event}?fields=all");
        let answer = world.get(&path).await;
        let row = answer.json();
        assert_eq!(row["task"], made["task"]);
        let words = ["table", "event", "owner", "tag", "context"];
        said.push(json!(words.map(|word| row[word].clone())).to_string());
        let filtered = row["table_event_filters"] == filter;
        assert_eq!(filtered, row["table"] == "alarms", "{row}");
    }
    let expected = [
        r#"["alarms","raised",null,0,{}]"#,
        r#"["alarms","lowered",null,0,{}]"#,
        r#"["vms","poweron","vms/3",0,{"a":1}]"#,
        r#"["vms","poweron",null,4,{}]"#,
    ];
    assert_eq!(said, expected);

    // To a webhook that there is, with the default message.
    let again = with(json!({"url": null, "webhook_url": made["webhook_url"]}));
    let more = world.post("subscriptions", again).await;
    assert_eq!(more.status, 201, "{}", more.body);
    let more = more.json();
    assert_eq!(
        (&more["webhook_url"], &more["response"]),
        (&made["webhook_url"], &Value::Null)
    );
    let task = read(format!("tasks/{}?fields=all", more["task"])).await;
    assert!(
        task["settings_args"]["message"]
            .as_str()
            .unwrap()
            .contains("Webhook")
    );
    assert_eq!(rows(&world).await, [1, 2, 5]);
}

#[tokio::test]
async fn invalid_subscription_names_error_and_stores_nothing() {
    let world = World::start().await;
    let member = world.key_of(3, "member").await;
    let hook = json!({"name": "theirs", "url": "https://example.com/"});
    let theirs = world.call(&member, HERE, "POST", "webhook_urls", Some(hook));
    let theirs = theirs.await.json()["$row"].clone();
    let stranger = world.key_of(4, "stranger").await;
    let before = rows(&world).await;
    let alarm = json!({"table": "alarms", "event": "raised"});
    let many: Vec<_> = (1..=101)
        .map(|vm| json!({"table": "vms", "event": "poweron", "owner": format!("vms/{vm}")}))
        .collect();
    for (members, said) in [
        (json!({"name": null}), "'name' - 'is required'"),
        (
            json!({"name": "x".repeat(65)}),
            "'name' - 'must be 1 to 64 characters'",
        ),
        (
            json!({"url": null}),
            "'url' - 'is required, or webhook_url'",
        ),
        (json!({"url": "ftp://example.com"}), "'url'"),
        (
            json!({"webhook_url": 1}),
            "'webhook_url' - 'must not be given with url'",
        ),
        (
            json!({"url": null, "webhook_url": 99}),
            "'webhook_url' - 'does not exist'",
        ),
        (
            json!({"url": null, "webhook_url": theirs}),
            "'webhook_url' - 'does not exist'",
        ),
        (
            json!({"url": null, "webhook_url": theirs, "signing_secret": true}),
            "'signing_secret' - 'is for a new webhook",
        ),
        (json!({"message": 7}), "'message'"),
        (
            json!({"color": "red"}),
            "'color' - 'is not a column of this table'",
        ),
        (json!({"events": null}), "'events' - 'is required'"),
        (
            json!({"events": alarm}),
            "'events' - 'must be a list of objects'",
        ),
        (
            json!({"events": []}),
            "'events' - 'must be 1 to 100 events'",
        ),
        (
            json!({"events": many}),
            "'events' - 'must be 1 to 100 events'",
        ),
        (
            json!({"events": ["alarms"]}),
            "'events[0]' - 'must be an object'",
        ),
        (
            json!({"events": [alarm, {"table": "alarms"}]}),
            "'events[1].event' - 'is required'",
        ),
        (
            json!({"events": [alarm, {"table": "x", "event": "*"}]}),
            "'events[1].table' - 'is not a known event type'",
        ),
        (
            json!({"events": [alarm, {"table": "alarms", "event": "no"}]}),
            "'events[1].event' - 'is not an event of this type'",
        ),
        (
            json!({"events": [{"table": "vms", "event": "*"}]}),
            "'events[0].owner' - 'an object or a tag is required",
        ),
        (
            json!({"events": [{"table": "vms", "event": "*", "owner": "tags/1"}]}),
            "'events[0].owner' - 'must be an object of",
        ),
        (
            json!({"events": [alarm, alarm]}),
            "'events[1]' - 'names alarms raised a second time'",
        ),
        (
            json!({"events": [alarm, {"table": "alarms", "event": "*"}]}),
            "'events[1]' - 'names alarms raised a second time'",
        ),
        (
            json!({"events": [{"table": "alarms", "event": "raised", "task": 1}]}),
            "'events[0].task'",
        ),
        (
            json!({"events": [{"table": "alarms", "event": "raised", "table_event_filters": {"a": {"$no": 1}}}]}),
            "'events[0].table_event_filters'",
        ),
    ] {
        let answer = world.call(
            &stranger,
            HERE,
            "POST",
            "subscriptions",
            Some(with(members.clone())),
        );
        let answer = answer.await;
        assert_eq!(answer.status, 422, "{members}: {}", answer.body);
        assert!(answer.body.contains(said), "{members}: {}", answer.body);
    }
    assert_eq!(rows(&world).await, before);
    for body in [Value::Null, json!([]), json!("x")] {
        let answer = world.post("subscriptions", body.clone()).await;
        assert_eq!(answer.status, 400, "{body}: {}", answer.body);
    }
    world.get("subscriptions").await.expect(405);
    let made = world.post("subscriptions", asked()).await;
    assert_eq!(made.status, 201);
    let taken = world.post("subscriptions", asked()).await;
    assert_eq!(taken.status, 409, "{}", taken.body);
}

#[tokio::test]
async fn over_a_quota_nothing_is_stored() {
    let quota = Quota::default().with_events(1).with_tasks(1);
    let world = World::with_quotas(Arc::new(quota)).await;
    let two = with(json!({"events": [{"table": "alarms", "event": "*"}]}));
    let full = world.post("subscriptions", two).await;
    assert_eq!(full.status, 403);
    assert!(
        full.body.contains("You have 0 of 1 events"),
        "{}",
        full.body
    );
    assert_eq!(rows(&world).await, [0; 3]);
    let made = world.post("subscriptions", asked()).await;
    assert_eq!(made.status, 201, "{}", made.body);
    let other = with(json!({"name": "other"}));
    let full = world.post("subscriptions", other).await;
    assert!(full.body.contains("You have 1 of 1"), "{}", full.body);
    assert_eq!(rows(&world).await, [1; 3]);
}

#[tokio::test]
async fn subscription_needs_the_grants_of_all_three_tables() {
    let world = World::start().await;
    for (tables, status) in [
        ("webhook_urls,tasks,task_events", 201),
        ("tasks,task_events", 403),
        ("webhook_urls,task_events", 403),
        ("webhook_urls,tasks", 403),
    ] {
        let key = json!({"name": tables, "tables": tables});
        let (key, _) = world.make_key(key).await;
        let answer = world.call(&key, HERE, "POST", "subscriptions", Some(asked()));
        let answer = answer.await;
        assert_eq!(answer.status, status, "{tables}: {}", answer.body);
    }
    let (reader, _) = world
        .make_key(json!({"name": "r", "read_only": true}))
        .await;
    let answer = world.call(&reader, HERE, "POST", "subscriptions", Some(asked()));
    assert_eq!(answer.await.status, 403);
    assert_eq!(rows(&world).await, [1; 3]);
}
