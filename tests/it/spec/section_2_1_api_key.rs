//! SPEC 2.1: the fields of an API key and the rules about it, over the API.

use std::net::IpAddr;
use std::time::Duration;

use apikey_core::{Expiration, KeyDraft, OwnerId};
use gatepost_storage::Clock;
use serde_json::{Value, json};
use tests::world::{Expect as _, HERE, World};

const ELSEWHERE: IpAddr = IpAddr::V4(std::net::Ipv4Addr::new(127, 0, 0, 2));
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

async fn row(world: &World, key: i64) -> Value {
    let answer = world
        .get(&format!("user_api_keys/{key}?fields=all"))
        .await
        .expect(200);
    answer.json()
}

/// Checks that a body is refused, and that the refusal names the field.
async fn refused(world: &World, body: Value, field: &str) {
    let answer = world.post("user_api_keys", body.clone()).await;
    assert_eq!(answer.status, 422, "{body}: {}", answer.body);
    assert!(answer.body.contains(field), "{body}: {}", answer.body);
}

/// The statuses that a key gets from 127.0.0.1 and from 127.0.0.2.
async fn from_both(world: &World, key: &str) -> (u16, u16) {
    let elsewhere = world.call(key, ELSEWHERE, "GET", "system", None).await;
    (world.probe(key).await, elsewhere.status)
}

/// SPEC 2.1 "Name": required, a descriptive identifier.
#[tokio::test]
async fn spec_2_1_name_is_required() {
    let world = World::start().await;
    refused(&world, json!({"user": 1}), "name").await;
    for name in [
        json!(""),
        json!("x".repeat(129)),
        json!("two\nlines"),
        json!(7),
    ] {
        refused(&world, json!({"user": 1, "name": name}), "name").await;
    }
    let (_, key) = world.make_key(json!({"name": "nächtlicher Lauf"})).await;
    assert_eq!(row(&world, key).await["name"], "nächtlicher Lauf");
}

/// SPEC 2.1 "Description": not required, free text.
#[tokio::test]
async fn spec_2_1_description_is_free_text() {
    let world = World::start().await;
    let (_, without) = world.make_key(json!({"name": "a"})).await;
    assert_eq!(row(&world, without).await["description"], "");
    let text = "for the CI\nasked for by Ada — <b>urgent</b>";
    let (_, with) = world
        .make_key(json!({"name": "b", "description": text}))
        .await;
    assert_eq!(row(&world, with).await["description"], text);
}

/// SPEC 2.1 "Expiration Type": one of Set Date, Never Expire.
#[tokio::test]
async fn spec_2_1_expiration_type_is_one_of_two() {
    let world = World::start().await;
    let (_, never) = world
        .make_key(json!({"name": "a", "expires_type": "never"}))
        .await;
    assert_eq!(row(&world, never).await["expires"], 0);
    for word in ["sometimes", "Never Ever", ""] {
        let body = json!({"user": 1, "name": "b", "expires_type": word});
        refused(&world, body, "expires_type").await;
    }
}

/// SPEC 2.1 "Expires": required when the type is Set Date, and only then; 30, 60 or 90 days are
/// typical.
#[tokio::test]
async fn spec_2_1_expires_goes_with_set_date() {
    let world = World::start().await;
    let now = world.clock.now().timestamp();
    let with = |kind: &str, expires: Option<i64>| match expires {
        Some(at) => json!({"user": 1, "name": "x", "expires_type": kind, "expires": at}),
        None => json!({"user": 1, "name": "x", "expires_type": kind}),
    };
    refused(&world, with("date", None), "expires").await;
    refused(&world, with("date", Some(now)), "expires").await;
    refused(&world, with("never", Some(now + 1)), "expires").await;
    for days in [30, 60, 90] {
        let body = json!({"name": format!("{days} days"), "expires_type": "date", "expires": now + days * 86_400});
        let (_, key) = world.make_key(body).await;
        assert_eq!(row(&world, key).await["expires"], now + days * 86_400);
    }
}

/// SPEC 2.1 "IP Allow List" and "IP Deny List": addresses or CIDR ranges, each with an enabled
/// checkbox.
#[tokio::test]
async fn spec_2_1_ip_lists_hold_addresses_and_ranges_with_a_checkbox() {
    let world = World::start().await;
    for field in ["ip_allow_list", "ip_deny_list"] {
        let mut body = json!({"name": field});
        body[field] = json!("10.1.2.3,192.168.0.0/16,!2001:db8::/32,::1");
        let (_, key) = world.make_key(body).await;
        assert_eq!(
            row(&world, key).await[field],
            "10.1.2.3,192.168.0.0/16,!2001:db8::/32,::1"
        );
        for wrong in ["10.0.0.0/33", "10.0.0", "localhost", "1.2.3.4;5.6.7.8", "!"] {
            let mut body = json!({"user": 1, "name": "wrong"});
            body[field] = json!(wrong);
            refused(&world, body, field).await;
        }
    }
    // An entry whose box is not checked does nothing …
    let body = json!({"name": "off", "ip_deny_list": "!127.0.0.1,127.0.0.2"});
    let (key, _) = world.make_key(body).await;
    assert_eq!(from_both(&world, &key).await, (200, 403));
    let body = json!({"name": "one", "ip_allow_list": "127.0.0.1,!127.0.0.2"});
    let (key, _) = world.make_key(body).await;
    assert_eq!(from_both(&world, &key).await, (200, 403));
    // … and to take a check away never lets more in: an Allow List with all boxes empty is still
    // set.
    let body = json!({"name": "none", "ip_allow_list": "!127.0.0.1"});
    let (key, _) = world.make_key(body).await;
    assert_eq!(from_both(&world, &key).await, (403, 403));
}

/// SPEC 2.1 "Owner": required; the key is made from that user's dashboard and stays that user's.
#[tokio::test]
async fn spec_2_1_owner_is_a_user_and_stays_so() {
    let world = World::start().await;
    // Without one it is the caller, whose dashboard it is.
    let caller = world.key_of(3, "caller").await;
    let own = Some(json!({"name": "own"}));
    let own = world
        .call(&caller, HERE, "POST", "user_api_keys", own)
        .await;
    let own = own.json()["$row"].as_i64().unwrap();
    assert_eq!(row(&world, own).await["user"], 3);
    refused(&world, json!({"user": 99, "name": "x"}), "user").await;
    let (_, key) = world.make_key(json!({"user": 3, "name": "three's"})).await;
    assert_eq!(row(&world, key).await["user"], 3);
    let path = format!("user_api_keys/{key}");
    let moved = world.put(&path, json!({"user": 4})).await;
    assert_ne!(moved.status, 200, "{}", moved.body);
    assert_eq!(row(&world, key).await["user"], 3);
}

/// SPEC 2.1 "Key string": generated, never taken from the form, unlike any other.
#[tokio::test]
async fn spec_2_1_key_string_is_generated() {
    let world = World::start().await;
    let (a, _) = world.make_key(json!({"name": "a"})).await;
    let (b, _) = world.make_key(json!({"name": "b"})).await;
    assert_ne!(a, b);
    assert!(a.len() >= 40 && a.is_ascii() && !a.contains(' '), "{a}");
    let wish = json!({"user": 1, "name": "c", "key": a});
    let answer = world.post("user_api_keys", wish).await;
    assert!(answer.status == 422 || answer.json()["key"] != a.as_str());
}

/// SPEC 2.1 "Last Logged In", "Last Logged In IP": the most recent authentication; nothing before
/// the first.
#[tokio::test]
async fn spec_2_1_last_login_columns() {
    let world = World::start().await;
    let (key, id) = world.make_key(json!({"name": "a"})).await;
    let fresh = row(&world, id).await;
    assert_eq!(
        (&fresh["lastlogin_stamp"], &fresh["lastlogin_ip"]),
        (&json!(0), &json!(""))
    );
    for from in [HERE, ELSEWHERE] {
        world.clock.advance(Duration::from_secs(5));
        let answer = world.call(&key, from, "GET", "system", None).await;
        answer.expect(200);
        let used = row(&world, id).await;
        assert_eq!(used["lastlogin_stamp"], world.clock.now().timestamp());
        assert_eq!(used["lastlogin_ip"], from.to_string());
    }
}

/// SPEC 2.1 "Expires" column: days that remain until expiration.
#[test]
fn spec_2_1_expires_is_shown_as_days_remaining() {
    let now = "2026-11-20T12:00:00Z".parse().unwrap();
    let at = Expiration::At(now + DAY * 30);
    assert_eq!(at.days_remaining(now), Some(30));
    assert_eq!(at.days_remaining(now + DAY * 29), Some(1));
    assert_eq!(at.days_remaining(now + DAY * 30), Some(0));
    assert_eq!(Expiration::Never.days_remaining(now), None);
}

/// SPEC 2.1 "Created": when the key was generated.
#[tokio::test]
async fn spec_2_1_created_is_the_time_of_generation() {
    let world = World::start().await;
    let made = world.clock.now().timestamp();
    let (_, id) = world.make_key(json!({"name": "a"})).await;
    world.clock.advance(DAY);
    assert_eq!(row(&world, id).await["created"], made);
}

/// SPEC 2.1 rule 1, SPEC 7 row 5: the key string is shown once, at creation, to be copied or saved
/// as a .PAK file; afterwards nothing of the API gives it back.
#[tokio::test]
async fn spec_2_1_rule_1_shown_once() {
    let world = World::start().await;
    let (key, id) = world.make_key(json!({"name": "once"})).await;
    assert_eq!(world.probe(&key).await, 200);
    let secret = key.rsplit('_').next().unwrap();
    for path in [
        format!("user_api_keys/{id}?fields=all"),
        format!("user_api_keys/{id}"),
        "user_api_keys?fields=all".to_owned(),
        "user_api_keys?fields=key,private_key,token,secret,digest".to_owned(),
    ] {
        let answer = world.get(&path).await;
        assert!(
            !answer.body.contains(&secret[..6]),
            "{path}: {}",
            answer.body
        );
    }
    let edited = world
        .put(&format!("user_api_keys/{id}"), json!({"name": "twice"}))
        .await;
    assert_eq!(edited.status, 200);
    assert!(!edited.body.contains(&secret[..6]), "{}", edited.body);
    assert!(!format!("{:?}", world.store).contains(&secret[..6]));

    let draft = KeyDraft::new(OwnerId(1), "saved".parse().unwrap());
    let (row, once) = world.keys.create(&world.user(1), draft).await.unwrap();
    // `reveal` takes the once-only value itself: there is nothing left to reveal again.
    let key = once.reveal();
    let pak = key.pak(&row.key.name);
    assert_eq!(pak.file_name(), "saved.PAK");
    assert_eq!(pak.contents().trim_end(), key.as_str());
    assert_eq!(world.probe(pak.contents().trim_end()).await, 200);
}

/// SPEC 2.1 rule 2: a lost key is deleted, and a new one is made, of the same name if one likes.
#[tokio::test]
async fn spec_2_1_rule_2_a_lost_key_is_replaced() {
    let world = World::start().await;
    let (lost, id) = world.make_key(json!({"name": "ci"})).await;
    let taken = world
        .post("user_api_keys", json!({"user": 1, "name": "ci"}))
        .await;
    assert_ne!(taken.status, 201, "two keys of one name: {}", taken.body);
    world.delete(&format!("user_api_keys/{id}")).await;
    let (new, new_id) = world.make_key(json!({"name": "ci"})).await;
    assert_ne!((&lost, id), (&new, new_id));
    assert_eq!(
        (world.probe(&lost).await, world.probe(&new).await),
        (401, 200)
    );
}

/// SPEC 2.1 rule 3: editing changes name, description, expiration and IP lists, never the key
/// string.
#[tokio::test]
async fn spec_2_1_rule_3_an_edit_never_changes_the_key_string() {
    let world = World::start().await;
    let (key, id) = world.make_key(json!({"name": "a"})).await;
    let path = format!("user_api_keys/{id}");
    let expires = world.clock.now().timestamp() + 86_400;
    let before = row(&world, id).await;
    let edit = json!({"name": "b", "description": "new", "expires_type": "date", "expires": expires,
        "ip_allow_list": "127.0.0.1", "ip_deny_list": "127.0.0.2"});
    world.put(&path, edit.clone()).await.expect(200);
    let after = row(&world, id).await;
    for (field, value) in edit.as_object().unwrap() {
        assert_eq!(&after[field], value, "{field}");
        assert_ne!(before[field], after[field], "{field}");
    }
    for field in ["$key", "user", "created"] {
        assert_eq!(before[field], after[field], "{field}");
    }
    assert_eq!(world.probe(&key).await, 200, "the same key string");
    for field in ["key", "digest", "created", "lastlogin_ip"] {
        let mut body = json!({});
        body[field] = json!("gp_other");
        let status = world.put(&path, body).await.status;
        assert!((400..500).contains(&status), "{field}: {status}");
    }
    assert_eq!(world.probe(&key).await, 200);
}

/// SPEC 2.1 rule 4: with both lists, the Allow List takes precedence: an address in both may use
/// the key. SPEC 2.1 rule 5: an Allow List lets only its addresses in; a Deny List keeps only its
/// own out.
#[tokio::test]
async fn spec_2_1_rules_4_and_5_what_the_lists_do() {
    let world = World::start().await;
    for (name, allow, deny, expected) in [
        ("same address", "127.0.0.2", "127.0.0.2", (403, 200)),
        ("in a denied range", "127.0.0.2", "127.0.0.0/8", (403, 200)),
        ("range over address", "127.0.0.0/8", "127.0.0.2", (200, 200)),
        ("neither", "10.0.0.1", "10.0.0.2", (403, 403)),
        ("no list", "", "", (200, 200)),
        ("allow", "127.0.0.1", "", (200, 403)),
        ("deny", "", "127.0.0.1", (403, 200)),
        ("deny range", "", "127.0.0.0/31", (403, 200)),
        ("deny all", "", "0.0.0.0/0,::/0", (403, 403)),
    ] {
        let body = json!({"name": name, "ip_allow_list": allow, "ip_deny_list": deny});
        let (key, _) = world.make_key(body).await;
        assert_eq!(from_both(&world, &key).await, expected, "{name}");
    }
}

/// SPEC 2.1 rule 6: the formats over the API are ours to choose: they are those of the OpenAPI
/// document.
#[tokio::test]
async fn spec_2_1_rule_6_fields_over_the_api_are_declared() {
    let world = World::start().await;
    let (_, id) = world.make_key(json!({"name": "a"})).await;
    let document = world.get("openapi.json").await.json();
    let schema = &document["components"]["schemas"]["user_api_keys"]["properties"];
    assert!(schema.is_object());
    for (field, value) in row(&world, id).await.as_object().unwrap() {
        let kind = &schema[field]["type"];
        let fits = match kind.as_str() {
            Some("string") => value.is_string(),
            Some("integer") => value.is_i64(),
            Some("boolean") => value.is_boolean(),
            _ => false,
        };
        assert!(fits, "{field}: {value} is said to be {kind}");
    }
}
