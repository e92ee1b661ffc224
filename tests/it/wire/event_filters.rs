//! Event filters over REST: an event's filter decides whether its task runs, and an invalid filter
//! is refused with the path and the rule.

use examples::receiver::Receiver;
use serde_json::{Value, json};
use tests::world::{Expect as _, World, poweron, with};
use webhook_model::{Data, Occurrence};

/// Creates an event on machine 1 with these further columns; returns its row number.
async fn event(world: &World, task: i64, more: Value) -> i64 {
    let columns = with(json!({"owner": "vms/1"}), &more);
    world.on_poweron(task, columns).await
}

fn bringing(data: Value) -> Occurrence {
    let Value::Object(members) = data else {
        panic!("data is an object");
    };
    poweron(1, &[]).with_data(Data::new(members).unwrap())
}

async fn runs(world: &World, occurrence: Occurrence) -> usize {
    world
        .engine
        .emit(occurrence)
        .await
        .unwrap()
        .deliveries
        .len()
}

/// Regression: such a filter was accepted, and the task ran each time.
#[tokio::test]
async fn a_filter_of_a_v4_client_is_obeyed() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (_, task) = world.task(receiver.addr, "w", "x", false).await;
    let filter = json!({"severity": "critical"});
    event(&world, task, json!({"table_event_filters": filter})).await;
    assert_eq!(runs(&world, poweron(1, &[])).await, 0, "without data");
    assert_eq!(runs(&world, bringing(json!({"severity": "low"}))).await, 0);
    assert_eq!(
        runs(&world, bringing(json!({"severity": "critical"}))).await,
        1
    );
    let row = world.get("task_events/1").await.json();
    assert_eq!(row["table_event_filters"], filter);
}

#[tokio::test]
async fn a_filter_is_changed_and_cleared() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (_, task) = world.task(receiver.addr, "w", "x", false).await;
    event(
        &world,
        task,
        json!({"table_event_filters": {"disk.free": {"$lt": 10}}}),
    )
    .await;
    let seven = || bringing(json!({"disk": {"free": 7}}));
    assert_eq!(runs(&world, seven()).await, 1);
    // As text, which some clients send.
    for (filter, expected) in [
        (json!("{\"disk\": {\"free\": {\"$gt\": 7}}}"), 0),
        (
            json!({"$or": [{"disk.free": 0}, {"disk.free": {"$in": [6, 7]}}]}),
            1,
        ),
        (json!({"disk.free": {"$exists": false}}), 0),
        (json!({}), 1),
    ] {
        let edit = json!({"table_event_filters": filter});
        let edited = world.put("task_events/1", edit).await;
        assert_eq!(edited.status, 200, "{}", edited.body);
        assert_eq!(runs(&world, seven()).await, expected, "{filter}");
    }
    let renamed = json!({"enabled": true});
    world.put("task_events/1", renamed).await;
    assert_eq!(runs(&world, poweron(1, &[])).await, 1, "all of them");
}

#[tokio::test]
async fn invalid_filter_is_refused_with_path_and_rule() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (_, task) = world.task(receiver.addr, "w", "x", false).await;
    let key = event(&world, task, json!({})).await;
    let many: Vec<i32> = (0..101).collect();
    for (filter, rule) in [
        (
            json!({"disk.free": {"$near": 1}}),
            "at disk.free: $near is not known; use $eq",
        ),
        (
            json!({"severity": ["high"]}),
            "at severity: must not be a list; use $in",
        ),
        (
            json!({"a": {"$in": many}}),
            "at a: must compare with at most 100 values",
        ),
        (
            json!({"a": "x".repeat(5_000)}),
            "must be at most 4096 bytes",
        ),
        (json!([1]), "must be a JSON object"),
        (json!(7), "must be a JSON object"),
    ] {
        let columns = json!({"table_event_filters": filter});
        let path = format!("task_events/{key}");
        let edit = world.put(&path, columns);
        let mut row = json!({"task": task, "table": "vms", "event": "poweron", "owner": "vms/1"});
        row["table_event_filters"] = filter;
        for refused in [edit.await, world.post("task_events", row).await] {
            assert_eq!(refused.status, 422, "{}", refused.body);
            let words = refused.json()["err"].as_str().unwrap().to_owned();
            let field = "Validation error on field: 'table_event_filters' - ";
            assert!(words.starts_with(field) && words.contains(rule), "{words}");
        }
    }
    assert_eq!(runs(&world, poweron(1, &[])).await, 1, "nothing was stored");
}

/// A manual trigger runs the task regardless of its filter, and its context is used.
#[tokio::test]
async fn a_message_shows_what_the_occurrence_brought_along() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let message = r#"{"free":${data.disk.free},"who":"${data.who}","none":${data.none}}"#;
    let (_, task) = world.task(receiver.addr, "w", message, false).await;
    event(
        &world,
        task,
        json!({"table_event_filters": {"disk.free": 7}}),
    )
    .await;
    let brings = bringing(json!({"disk": {"free": 7}, "who": "a \"b\""}));
    assert_eq!(runs(&world, brings).await, 1);
    let received = receiver.wait_for("/w", 1).await.unwrap();
    assert_eq!(received.body, r#"{"free":7,"who":"a \"b\"","none":null}"#);
    let context = json!({"context": {"who": "me"}});
    let answer = world.post("task_events/1/trigger", context).await;
    answer.expect(200);
    let received = receiver.wait_for("/w", 2).await.unwrap();
    assert_eq!(received.body, r#"{"free":null,"who":"me","none":null}"#);
}

/// The context of the event that runs the task, or the one that a manual trigger sends instead.
#[tokio::test]
async fn a_message_shows_the_context_of_its_event() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let message = r#"{"room":${context.room},"all":${context},"free":${data.free}}"#;
    let (_, task) = world.task(receiver.addr, "w", message, false).await;
    let columns = json!({"context": {"room": "a \"b\""}, "table_event_filters": {"free": 7}});
    event(&world, task, columns).await;
    assert_eq!(runs(&world, bringing(json!({"free": 7}))).await, 1);
    let received = receiver.wait_for("/w", 1).await.unwrap();
    assert_eq!(
        received.body,
        r#"{"room":"a \"b\"","all":{"room":"a \"b\""},"free":7}"#
    );
    for (number, given, expected) in [
        (
            2,
            json!({}),
            r#"{"room":"a \"b\"","all":{"room":"a \"b\""},"free":null}"#,
        ),
        (
            3,
            json!({"context": {"room": 9}}),
            r#"{"room":9,"all":{"room":9},"free":null}"#,
        ),
    ] {
        world.post("task_events/1/trigger", given).await.expect(200);
        let received = receiver.wait_for("/w", number).await.unwrap();
        assert_eq!(received.body, expected);
    }
    let execute = format!("tasks/{task}/execute");
    let run = world.post(&execute, json!({})).await;
    assert_eq!(run.status, 200, "no event runs it");
    let received = receiver.wait_for("/w", 4).await.unwrap();
    assert_eq!(received.body, r#"{"room":null,"all":null,"free":null}"#);
}

#[tokio::test]
async fn delivery_shows_beginning_of_its_event_data() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (_, task) = world.task(receiver.addr, "w", "x", false).await;
    event(&world, task, json!({})).await;
    let long = "é".repeat(700);
    for occurrence in [
        bringing(json!({"severity": "high"})),
        bringing(json!({"a": long})),
        poweron(1, &[]),
    ] {
        assert_eq!(runs(&world, occurrence).await, 1);
    }
    let later = bringing(json!({"waited": true}));
    world.engine.emit_later(&later).await.unwrap();
    receiver.wait_for("/w", 4).await.unwrap();
    let list = world.get("webhooks?fields=cause_data&sort=$key");
    let rows = list.await.json();
    let data = |row: usize| rows[row]["cause_data"].as_str().unwrap();
    assert_eq!(data(0), r#"{"severity":"high"}"#);
    assert_eq!(data(1), format!("{{\"a\":\"{}…", &long[..2 * 507]));
    assert_eq!(data(2), "");
    assert_eq!(data(3), r#"{"waited":true}"#);
}
