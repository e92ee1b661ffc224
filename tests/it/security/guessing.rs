//! Guessing of keys is slowed down by address, and locks nobody out who has a valid key.

use std::net::{IpAddr, Ipv4Addr};

use gatepost_keys::{AccessLevel, Account};
use serde_json::json;
use tests::world::{Expect as _, HERE, World};

const ELSEWHERE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));

#[tokio::test]
async fn guesser_is_slowed_and_valid_key_still_works() {
    let world = World::start().await;
    let mut statuses = Vec::new();
    for n in 0..150 {
        statuses.push(world.probe(&format!("guess-{n}")).await);
    }
    assert_eq!(statuses[..100], [401; 100], "mistakes are allowed");
    assert!(statuses[140..].contains(&429), "{:?}", &statuses[100..]);
    let slowed = world.call("guess", HERE, "GET", "system", None).await;
    assert_eq!(slowed.status, 429);
    assert!(
        slowed.head.to_ascii_lowercase().contains("retry-after: "),
        "{}",
        slowed.head
    );
    // From the same address as the guesser, as behind one gateway.
    assert_eq!(
        world.probe(&world.admin).await,
        200,
        "a good key never gets this response"
    );
    // Another address.
    let answer = world.call("guess", ELSEWHERE, "GET", "system", None).await;
    answer.expect(401);
    // A refused address is not a guess: its key is valid.
    let (key, _) = world
        .make_key(json!({"name": "k", "ip_deny_list": "127.0.0.1"}))
        .await;
    assert_eq!(world.probe(&key).await, 403);
}

#[tokio::test]
async fn keys_follow_account_changes_of_user_immediately() {
    let world = World::start().await;
    let key = world.key_of(3, "k").await;
    assert_eq!(world.probe(&key).await, 200);
    let disabled = Account::disabled(AccessLevel::User);
    world.users.set(3, Some(disabled));
    assert_eq!(
        world.probe(&key).await,
        401,
        "a disabled user's keys do not authenticate"
    );
    world
        .users
        .set(3, Some(Account::enabled(AccessLevel::User)));
    assert_eq!(world.probe(&key).await, 200);
    world.users.set(3, None);
    assert_eq!(
        world.probe(&key).await,
        401,
        "nor do those of a user who is gone"
    );
}

#[tokio::test]
async fn key_deleted_during_use_fails_after_deletion_response() {
    let world = std::sync::Arc::new(World::start().await);
    for round in 0..20 {
        let (key, id) = world.make_key(json!({"name": format!("k{round}")})).await;
        assert_eq!(world.probe(&key).await, 200);
        // Requests are under way all the time, so that the key is in memory and being looked up.
        let busy: Vec<_> = (0..4)
            .map(|_| {
                let (world, key) = (world.clone(), key.clone());
                tokio::spawn(async move {
                    for _ in 0..5 {
                        world.probe(&key).await;
                    }
                })
            })
            .collect();
        let deleted = world.delete(&format!("user_api_keys/{id}")).await;
        assert!((200..300).contains(&deleted.status), "{}", deleted.body);
        for _ in 0..3 {
            let status = world.probe(&key).await;
            assert!(
                [401, 429].contains(&status),
                "{status} after the deletion had its response"
            );
        }
        for task in busy {
            task.await.unwrap();
        }
    }
}
