//! SPEC 5.1 and SPEC 7: accepted and refused authentications. Over real TCP, with headers written
//! manually.

use std::time::Duration;

use gatepost_storage::Clock;
use serde_json::json;
use tests::world::{Expect as _, HERE, World};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The whole response to a probe with these header lines, without its date.
async fn raw(world: &World, lines: &[u8]) -> String {
    let mut stream = TcpStream::connect(world.server).await.unwrap();
    let request = [
        b"GET /api/v4/system HTTP/1.1\r\nHost: x\r\nConnection: close\r\n",
        lines,
        b"\r\n",
    ]
    .concat();
    stream.write_all(&request).await.unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let text = String::from_utf8_lossy(&answer).into_owned();
    text.lines()
        .filter(|line| !line.to_ascii_lowercase().starts_with("date:"))
        .collect::<Vec<_>>()
        .join("\n")
}

async fn header(world: &World, value: &str) -> String {
    raw(world, format!("Authorization: {value}\r\n").as_bytes()).await
}

/// SPEC 1 rule 1, SPEC 5.1 rule 1: `Authorization: Bearer <API_KEY>`; the scheme's case does not
/// matter (RFC 9110 §11.1).
#[tokio::test]
async fn spec_5_1_rule_1_the_bearer_header() {
    let world = World::start().await;
    for scheme in ["Bearer", "bearer", "BEARER"] {
        assert!(
            header(&world, &format!("{scheme} {}", world.admin))
                .await
                .starts_with("HTTP/1.1 200"),
            "{scheme}"
        );
    }
}

/// SPEC 5.1 rule 1 and SPEC 7 row 1: missing, malformed, truncated, with extra spaces: all the same
/// outward response. HTTP itself drops white space around a value (RFC 9110 §5.5); the bytes of the
/// header are tested in `apikey-core`.
#[tokio::test]
async fn spec_5_1_rule_1_everything_else_fails_alike() {
    let world = World::start().await;
    let key = world.admin.clone();
    let missing = raw(&world, b"").await;
    assert!(missing.starts_with("HTTP/1.1 401"), "{missing}");
    assert!(
        missing
            .to_ascii_lowercase()
            .contains("www-authenticate: bearer"),
        "{missing}"
    );
    let changed = key.replacen(
        key.chars().nth(10).unwrap(),
        if key.chars().nth(10) == Some('x') {
            "y"
        } else {
            "x"
        },
        1,
    );
    let cut = &key[..key.len() - 1];
    let unknown = key_that_was_never_issued();
    for value in [
        format!("Basic {key}"),
        format!("Bearer{key}"),
        format!("Bearer  {key}"),
        format!("Bearer\t{key}"),
        format!("Bearer {key} x"),
        "Bearer".into(),
        "Bearer ".into(),
        format!("Bearer {cut}"),
        format!("Bearer {key}x"),
        format!("Bearer {changed}"),
        format!("Bearer Bearer {key}"),
        format!("Bearer \"{key}\""),
        key.clone(),
        format!("Bearer {unknown}"),
        "Bearer é".into(),
        format!("Bearer {}", "x".repeat(5000)),
    ] {
        assert_eq!(header(&world, &value).await, missing, "{value:?}");
    }
    let twice = format!("Authorization: Bearer {key}\r\nAuthorization: Bearer {key}\r\n");
    assert_eq!(raw(&world, twice.as_bytes()).await, missing, "two headers");
    let bytes = [
        b"Authorization: Bearer \xff\xfe".as_slice(),
        key.as_bytes(),
        b"\r\n",
    ]
    .concat();
    assert_eq!(raw(&world, &bytes).await, missing, "not ASCII");
}

fn key_that_was_never_issued() -> String {
    apikey_core::KeyString::generate(&apikey_core::Prefix::default(), &mut rand::rng())
        .unwrap()
        .as_str()
        .to_owned()
}

/// SPEC 5.1 rule 2: processed with the permissions of the owner.
#[tokio::test]
async fn spec_5_1_rule_2_permissions_of_the_owner() {
    let world = World::start().await;
    let user = world.key_of(4, "u").await;
    let (_, others) = world.make_key(json!({"name": "admin's"})).await;
    world
        .call(&user, HERE, "GET", &format!("user_api_keys/{others}"), None)
        .await
        .expect(404);
    world.users.set(4, None);
    assert_eq!(
        world.probe(&user).await,
        401,
        "the keys of a user who is gone"
    );
}

/// SPEC 5.1 rule 3: keys remain valid until their date or until deleted, however long they are not
/// used. SPEC 3, SPEC 8 row 2: one of the type Never Expire does not expire.
#[tokio::test]
async fn spec_5_1_rule_3_keys_do_not_expire_by_inactivity() {
    let world = World::start().await;
    world
        .clock
        .advance(Duration::from_secs(100 * 365 * 24 * 3600));
    assert_eq!(world.probe(&world.admin).await, 200);
}

/// SPEC 5.1 rule 4 and SPEC 7 row 2: an address that the lists refuse is denied although the key is
/// valid.
#[tokio::test]
async fn spec_5_1_rule_4_addresses() {
    let world = World::start().await;
    for lists in [
        json!({"name": "a", "ip_allow_list": "10.0.0.0/8"}),
        json!({"name": "b", "ip_deny_list": "127.0.0.1"}),
    ] {
        let (key, _) = world.make_key(lists).await;
        let answer = world.call(&key, HERE, "GET", "system", None).await;
        assert_eq!(answer.status, 403);
        assert!(answer.json()["err"].as_str().unwrap().contains("address"));
        let last = if key.ends_with('x') { 'y' } else { 'x' };
        let wrong = format!("{}{last}", &key[..key.len() - 1]);
        assert_eq!(
            world.probe(&wrong).await,
            401,
            "who has not the key hears nothing of its lists"
        );
    }
}

/// SPEC 3 row 3, SPEC 5.1 rule 5, SPEC 7 rows 3 and 4: an expired or deleted key fails, and looks
/// like any other failure.
#[tokio::test]
async fn spec_5_1_rule_5_expired_and_deleted() {
    let world = World::start().await;
    let missing = raw(&world, b"").await;
    let (expired, _) = world
        .make_key(json!({"name": "e", "expires": world.clock.now().timestamp() + 5}))
        .await;
    let (deleted, row) = world.make_key(json!({"name": "d"})).await;
    world.clock.advance(Duration::from_secs(5));
    assert_eq!(world.probe(&deleted).await, 200);
    world.delete(&format!("user_api_keys/{row}")).await;
    assert_eq!(header(&world, &format!("Bearer {expired}")).await, missing);
    assert_eq!(header(&world, &format!("Bearer {deleted}")).await, missing);
}

/// SPEC 5.1 rule 6: each success updates the last login; a failure does not.
#[tokio::test]
async fn spec_5_1_rule_6_last_login() {
    let world = World::start().await;
    let (key, row) = world
        .make_key(json!({"name": "x", "ip_allow_list": "127.0.0.2"}))
        .await;
    let path = format!("user_api_keys/{row}?fields=lastlogin_stamp");
    assert_eq!(world.probe(&key).await, 403);
    assert_eq!(world.get(&path).await.json()["lastlogin_stamp"], 0);
    world
        .call(&key, "127.0.0.2".parse().unwrap(), "GET", "system", None)
        .await;
    assert_eq!(
        world.get(&path).await.json()["lastlogin_stamp"],
        world.clock.now().timestamp()
    );
}

/// SPEC 5.1 rule 7: what is recommended can be done: dates, allow lists, last logins to review,
/// unused keys to delete.
#[tokio::test]
async fn spec_5_1_rule_7_unused_keys_can_be_found() {
    let world = World::start().await;
    world.make_key(json!({"name": "unused"})).await;
    let unused = world
        .get("user_api_keys?filter=lastlogin_stamp%20eq%200&fields=name")
        .await
        .json();
    assert_eq!(unused, json!([{"name": "unused"}]));
}
