//! Guessing of passwords, session tokens and keys at four entry points, which share one limiter.

use std::time::Duration;

use reqwest::Method;
use serde_json::Value;
use tests::entry_points::{Door, Doors, PASSWORD, PASSWORD_DOORS, retry_after};

#[tokio::test]
async fn thousand_wrong_passwords_are_a_dozen_attempts_each() {
    for door in PASSWORD_DOORS {
        let doors = Doors::open().await;
        let mut refused = 0;
        for n in 0..1_000 {
            let wrong = doors
                .knock(door, "127.0.0.1", "admin", &n.to_string())
                .await;
            let status = wrong.status().as_u16();
            let expected = match (n < 11, door) {
                (true, Door::Page) => 403,
                (true, _) => 401,
                (false, _) => 429,
            };
            assert_eq!(status, expected, "{door:?} {n}");
            if status == 429 {
                refused += 1;
                assert_eq!(retry_after(&wrong), 1, "{door:?} {n}");
            }
        }
        assert_eq!(refused, 989);
        // A limit that is exceeded at one entry point applies to all, with the right password and
        // from other addresses too.
        for other in PASSWORD_DOORS {
            let right = doors.knock(other, "127.0.0.2", "Admin ", PASSWORD).await;
            assert_eq!(right.status(), 429, "{door:?}, then {other:?}");
        }
        // The reported time is the remaining time; afterwards the delay doubles.
        for delay in [1, 2, 4, 8] {
            let right = doors.knock(door, "127.0.0.1", "admin", "wrong").await;
            assert_eq!(retry_after(&right), delay, "{door:?}");
            doors.world.clock.advance(Duration::from_secs(delay));
            let wrong = doors.knock(door, "127.0.0.1", "admin", "wrong").await;
            assert_ne!(wrong.status(), 429, "{door:?} {delay}");
        }
    }
}

#[tokio::test]
async fn owner_is_not_locked_out_at_known_address() {
    let doors = Doors::open().await;
    let is_in = async |door: Door, from: &str| {
        let status = doors.knock(door, from, "admin", PASSWORD).await.status();
        [200, 201, 303].contains(&status.as_u16())
    };
    assert!(is_in(Door::Page, "127.0.0.1").await);
    for n in 0..30 {
        doors
            .knock(Door::Basic, "127.0.0.2", "admin", &n.to_string())
            .await;
    }
    // Strangers at the owner's own address, as behind one gateway, use up the address.
    for n in 0..150 {
        let name = format!("user{n}");
        doors.knock(Door::Tokens, "127.0.0.1", &name, "wrong").await;
    }
    for door in PASSWORD_DOORS {
        assert!(
            !is_in(door, "127.0.0.3").await,
            "{door:?}: the name is over its limit"
        );
        assert!(
            is_in(door, "127.0.0.1").await,
            "{door:?}: an owner is locked out"
        );
    }
    let other = doors.knock(Door::Page, "127.0.0.1", "tina", PASSWORD).await;
    assert_eq!(other.status(), 429, "the address is over its limit");
    // Keys are valid from every address.
    assert_eq!(doors.world.probe(&doors.world.admin).await, 200);
    let key = format!("Bearer {}", doors.world.admin);
    let request = doors.request("127.0.0.1", Method::GET, "/api/v4/system");
    let response = request.header("authorization", key).send().await.unwrap();
    assert_eq!(response.status(), 200);
}

#[tokio::test]
async fn wrong_session_tokens_count_and_valid_ones_pass() {
    let doors = Doors::open().await;
    let made = doors
        .knock(Door::Tokens, "127.0.0.1", "admin", PASSWORD)
        .await;
    let made: Value = serde_json::from_str(&made.text().await.unwrap()).unwrap();
    let good = made["$key"].as_str().unwrap();
    let present = async |token: &str| {
        let request = doors.request("127.0.0.2", Method::GET, "/api/v4/system");
        let request = request.header("x-yottabyte-token", token);
        request.send().await.unwrap().status().as_u16()
    };
    // An open page with an old token does not count as a guesser.
    for _ in 0..150 {
        assert_eq!(present("a token of old").await, 401);
    }
    let mut statuses = Vec::new();
    for n in 0..60 {
        statuses.push(present(&format!("token-{n}")).await);
        let path = format!("/api/sys/tokens/token-{n}-to-be-ended");
        let request = doors.request("127.0.0.2", Method::DELETE, &path);
        statuses.push(request.send().await.unwrap().status().as_u16());
    }
    assert!(
        statuses[..100].iter().all(|s| [401, 404].contains(s)),
        "{statuses:?}"
    );
    assert_eq!(statuses[100..], [429; 20][..], "{statuses:?}");
    assert_eq!(present(good).await, 200);
    assert_eq!(
        doors
            .knock(Door::Page, "127.0.0.2", "tina", "x")
            .await
            .status(),
        429
    );
}

/// SPEC 5.1 rule 3.
#[tokio::test]
async fn session_token_ends_after_inactivity_or_twelve_hours() {
    let doors = Doors::open().await;
    let mut tokens = Vec::new();
    for _ in 0..2 {
        let made = doors
            .knock(Door::Tokens, "127.0.0.1", "admin", PASSWORD)
            .await;
        let made: Value = serde_json::from_str(&made.text().await.unwrap()).unwrap();
        tokens.push(made["$key"].as_str().unwrap().to_owned());
    }
    let present = async |token: &str, visit: &str| {
        let request = doors.request("127.0.0.1", Method::GET, "/api/v4/system");
        let request = request.header("x-yottabyte-token", token);
        let request = request.header("x-gatepost-visit", visit);
        request.send().await.unwrap().status().as_u16()
    };
    for minutes in (10..720).step_by(10) {
        doors.world.clock.advance(Duration::from_secs(600));
        assert_eq!(present(&tokens[0], "").await, 200, "{minutes}");
        let polled = if minutes < 30 { 200 } else { 401 };
        assert_eq!(present(&tokens[1], "poll").await, polled, "{minutes}");
    }
    doors.world.clock.advance(Duration::from_secs(600));
    assert_eq!(present(&tokens[0], "").await, 401);
}

#[tokio::test]
async fn api_keys_give_no_session_and_logins_do() {
    let doors = Doors::open().await;
    let renew = || doors.request("127.0.0.1", Method::POST, "/api/sys/tokens/renew");
    let key = format!("Bearer {}", doors.world.admin);
    let by_key = renew().header("authorization", key).send().await.unwrap();
    assert_eq!(by_key.status(), 403);
    assert_eq!(renew().send().await.unwrap().status(), 401);
    let by_password = renew().basic_auth("admin", Some(PASSWORD)).send().await;
    let by_password = by_password.unwrap();
    assert_eq!(by_password.status(), 201);
    let token: Value = by_password.json().await.unwrap();
    let token = token["$key"].as_str().unwrap();
    let request = doors.request("127.0.0.1", Method::GET, "/api/v4/system");
    let response = request.header("x-yottabyte-token", token).send().await;
    assert_eq!(response.unwrap().status(), 200);
}
