//! SPEC 3: states and transitions.

use std::time::Duration;

use examples::receiver::Receiver;
use gatepost_storage::Clock;
use serde_json::json;
use tests::world::{Expect as _, World};

/// SPEC 3 row 1: (none) → active by the new-key form, with the key string shown once.
#[tokio::test]
async fn spec_3_none_to_active() {
    let world = World::start().await;
    // A name is needed.
    let answer = world.post("user_api_keys", json!({"user": 1})).await;
    answer.expect(422);
    let past = json!({"user": 1, "name": "x", "expires_type": "date", "expires": 1_000_000});
    // Valid expiration settings are needed.
    world.post("user_api_keys", past).await.expect(422);
    let (key, row) = world.make_key(json!({"name": "good"})).await;
    assert_eq!(world.probe(&key).await, 200);
    assert!(
        !world
            .get(&format!("user_api_keys/{row}?fields=all"))
            .await
            .body
            .contains(&key)
    );
}

/// SPEC 3 row 2, SPEC 8 row 2: active → expired at the date: authentication fails.
#[tokio::test]
async fn spec_3_active_to_expired() {
    let world = World::start().await;
    let expires = world.clock.now().timestamp() + 10;
    let (key, _) = world
        .make_key(json!({"name": "short", "expires_type": "date", "expires": expires}))
        .await;
    world.clock.advance(Duration::from_micros(9_999_999));
    assert_eq!(world.probe(&key).await, 200, "a microsecond before");
    world.clock.advance(Duration::from_micros(1));
    assert_eq!(world.probe(&key).await, 401, "at the very instant");
    world.clock.jump(chrono::TimeDelta::seconds(-5));
    assert_eq!(
        world.probe(&key).await,
        401,
        "a clock that goes back does not bring it back"
    );
}

/// SPEC 3 row 4: expired → deleted: removed from the table.
#[tokio::test]
async fn spec_3_expired_to_deleted() {
    let world = World::start().await;
    let expires = world.clock.now().timestamp() + 10;
    let (_, row) = world
        .make_key(json!({"name": "x", "expires_type": "date", "expires": expires}))
        .await;
    world.clock.advance(Duration::from_secs(11));
    // An expired key stays listed.
    world.get(&format!("user_api_keys/{row}")).await.expect(200);
    let answer = world.delete(&format!("user_api_keys/{row}")).await;
    answer.expect(200);
    world.get(&format!("user_api_keys/{row}")).await.expect(404);
}

/// SPEC 3 row 5: active → active by an edit, in which only metadata and access controls change.
#[tokio::test]
async fn spec_3_active_to_active_by_edit() {
    let world = World::start().await;
    let (key, row) = world.make_key(json!({"name": "x"})).await;
    let path = format!("user_api_keys/{row}");
    let edited = world
        .put(
            &path,
            json!({"name": "y", "description": "d", "ip_deny_list": "10.0.0.0/8"}),
        )
        .await;
    assert_eq!((edited.status, &edited.json()["name"]), (200, &json!("y")));
    assert_eq!(world.probe(&key).await, 200, "the key string is the same");
    let answer = world.put(&path, json!({"ip_deny_list": "127.0.0.1"})).await;
    answer.expect(200);
    assert_eq!(
        world.probe(&key).await,
        403,
        "in force for the next request"
    );
    // The owner is fixed.
    world.put(&path, json!({"user": 2})).await.expect(422);
}

/// SPEC 3 and 7: an edit cannot make an expired key active: there is no such transition.
#[tokio::test]
async fn spec_3_expired_has_no_way_back() {
    let world = World::start().await;
    let now = world.clock.now().timestamp();
    let (key, row) = world
        .make_key(json!({"name": "x", "expires_type": "date", "expires": now + 10}))
        .await;
    world.clock.advance(Duration::from_secs(11));
    for edit in [
        json!({"expires_type": "never", "expires": 0}),
        json!({"expires": now + 1000}),
        json!({"name": "z"}),
    ] {
        let answer = world.put(&format!("user_api_keys/{row}"), edit).await;
        answer.expect(422);
    }
    assert_eq!(world.probe(&key).await, 401);
}

/// SPEC 3: with Delete Task After Running the task is removed after one run.
#[tokio::test]
async fn spec_3_a_one_time_task_is_removed_after_one_run() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (_, task) = world.task(receiver.addr, "once", "x", true).await;
    let event = world.on_poweron(task, json!({"tag": 4})).await;
    assert_eq!(world.emit(1, &[4]).await.len(), 1);
    assert!(world.emit(1, &[4]).await.is_empty());
    world.get(&format!("tasks/{task}")).await.expect(404);
    world.get(&format!("task_events/{event}")).await.expect(404);
    receiver.wait_for("/once", 1).await.unwrap();
}
