//! Channels and retry schedules of webhooks over REST: valid values take effect, and invalid
//! channels or delays are refused with the rule. The columns of the v4 wire are unchanged.

use examples::receiver::Receiver;
use serde_json::{Value, json};
use tests::world::{Expect as _, World, poweron};
use webhook_model::{WebhookId, WebhookIds};

/// Creates a webhook with a task that runs when machine 1 is powered on; returns its path.
async fn heard(world: &World, receiver: &Receiver, name: &str) -> String {
    let (webhook, task) = world.task(receiver.addr, name, "x", false).await;
    world.on_poweron(task, json!({"owner": "vms/1"})).await;
    format!("webhook_urls/{webhook}")
}

async fn runs(world: &World, to: Option<i64>, channel: Option<&str>) -> usize {
    let mut occurrence = poweron(1, &[]);
    occurrence.to = to.map(|id| WebhookIds::new([WebhookId(id)]).unwrap());
    occurrence.channel = channel.map(|channel| channel.parse().unwrap());
    let emitted = world.engine.emit(occurrence).await.unwrap();
    emitted.deliveries.len()
}

#[tokio::test]
async fn webhook_with_channels_receives_only_their_occurrences() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let path = heard(&world, &receiver, "a").await;
    heard(&world, &receiver, "b").await;
    let fresh = world.get(&path).await.json();
    assert_eq!(
        (&fresh["channels"], &fresh["retry_schedule"]),
        (&json!(""), &json!(""))
    );
    assert_eq!(
        runs(&world, None, Some("billing")).await,
        2,
        "who lists none hears all"
    );

    let listed = json!({"channels": " project-7,billing ,billing\n"});
    world.put(&path, listed).await.expect(200);
    let row = world.get(&path).await.json();
    assert_eq!(row["channels"], "billing, project-7");
    assert_eq!(runs(&world, None, None).await, 1);
    assert_eq!(runs(&world, None, Some("other")).await, 1);
    assert_eq!(runs(&world, None, Some("billing")).await, 2);
    assert_eq!(
        runs(&world, Some(1), Some("billing")).await,
        1,
        "the chosen one"
    );
    assert_eq!(runs(&world, Some(99), Some("billing")).await, 0);

    world.put(&path, json!({"channels": ""})).await;
    assert_eq!(runs(&world, None, None).await, 2);
}

#[tokio::test]
async fn retry_schedule_sets_number_of_retries() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let path = heard(&world, &receiver, "a").await;
    let put = |body: Value| world.put(&path, body);
    let stored = put(json!({"retry_schedule": "5, 60s 10m,1h", "retries": 4})).await;
    assert_eq!(stored.status, 200, "{}", stored.body);
    let row = world.get(&path).await.json();
    assert_eq!(row["retry_schedule"], "5s, 1m, 10m, 1h");
    assert_eq!(row["retries"], 4, "as many as there are delays");
    put(json!({"retry_schedule": " ", "retries": 7})).await;
    let row = world.get(&path).await.json();
    assert_eq!(
        (&row["retry_schedule"], &row["retries"]),
        (&json!(""), &json!(7))
    );
}

#[tokio::test]
async fn invalid_channels_and_delays_are_refused_with_rule() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let path = heard(&world, &receiver, "a").await;
    let eleven: Vec<_> = (0..11).map(|n| n.to_string()).collect();
    let twenty_one = "1s ".repeat(21);
    for (column, value, said) in [
        ("channels", "a, b/c", "each must be 1 to 64 letters"),
        (
            "channels",
            "a b",
            "must be separated by commas, not by blanks",
        ),
        ("channels", &eleven.join(","), "must be at most 10"),
        ("retry_schedule", "5s, soon", "such as 30s, not soon"),
        ("retry_schedule", "25h", "must be 1s to 1d, not 25h"),
        // The limit of the platform.
        ("retry_schedule", &twenty_one, "must be at most 20 delays"),
        (
            "retry_schedule",
            "1d 1d 1d 1d 1d 1d 1d 1d",
            "all delays together",
        ),
    ] {
        let refused = world.put(&path, json!({column: value})).await;
        assert_eq!(refused.status, 422, "{value}: {}", refused.body);
        assert!(
            refused.body.contains(column) && refused.body.contains(said),
            "{}",
            refused.body
        );
    }
    let row = world.get(&path).await.json();
    assert_eq!(
        (&row["channels"], &row["retry_schedule"]),
        (&json!(""), &json!(""))
    );
}
