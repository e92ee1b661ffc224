//! The v4 wire: receipts, partial updates, joins, filters, sorting, actions and errors, as existing
//! clients use them.

use chrono::TimeDelta;
use examples::receiver::Receiver;
use gatepost_storage::webhooks::{DeliveryId, QueueStore as _};
use gatepost_storage::{Clock as _, SystemClock};
use gatepost_testkit::fixtures::{direct, message};
use serde_json::json;
use tests::world::{Expect as _, HERE, World, poweron};
use webhook_model::WebhookId;

async fn webhook(world: &World, name: &str) -> i64 {
    world
        .make(
            "webhook_urls",
            json!({"name": name, "url": "https://example.com/"}),
        )
        .await
}

/// `POST` responds 201 with the receipt: `$row` a number, `$key` a string.
#[tokio::test]
async fn a_creation_is_answered_with_a_receipt() {
    let world = World::start().await;
    let answer = world
        .post(
            "webhook_urls",
            json!({"name": "w", "url": "https://example.com/"}),
        )
        .await;
    assert_eq!(
        (answer.status, answer.json()),
        (
            201,
            json!({"location": "/v4/webhook_urls/1", "dbpath": "webhook_urls/1", "$row": 1, "$key": "1"})
        )
    );
}

/// The defaults of a webhook; `PUT` is partial and returns the full row; `DELETE` returns an empty
/// body.
#[tokio::test]
async fn defaults_partial_update_and_deletion() {
    let world = World::start().await;
    let key = webhook(&world, "w").await;
    let path = format!("webhook_urls/{key}");
    let row = world.rows(&path).await;
    for (column, value) in [
        ("type", json!("custom")),
        ("headers", json!("Content-Type:application/json\n")),
        ("authorization_type", json!("none")),
        ("allow_insecure", json!(false)),
        ("timeout", json!(5)),
        ("retries", json!(3)),
    ] {
        assert_eq!(row[column], value, "{column}");
    }
    let updated = world
        .put(&path, json!({"headers": "", "timeout": "30"}))
        .await;
    assert_eq!(
        (
            updated.status,
            &updated.json()["headers"],
            &updated.json()["timeout"],
            &updated.json()["retries"]
        ),
        (200, &json!(""), &json!(30), &json!(3))
    );
    let whole = world.put(&path, updated.json()).await;
    assert_eq!(
        whole.status, 200,
        "a whole row may be sent back: {}",
        whole.body
    );
    let deleted = world.delete(&path).await;
    assert_eq!((deleted.status, deleted.body.as_str()), (200, ""));
}

/// A client that sends a whole row back may have read it before somebody logged in with the key, or
/// before the task ran: both columns stay as they are. A client that writes those columns, or
/// others that are read-only, is refused.
#[tokio::test]
async fn row_read_before_login_or_run_is_accepted() {
    let world = World::start().await;
    let key = world
        .make("user_api_keys", json!({"name": "k", "user": 1}))
        .await;
    let webhook = webhook(&world, "w").await;
    let owner = format!("webhook_urls/{webhook}");
    let task = json!({"name": "t", "owner": owner});
    let task = world.make("tasks", task).await;
    let recorded = [
        (
            format!("user_api_keys/{key}"),
            json!({"lastlogin_stamp": 1_790_000_000, "lastlogin_ip": "192.0.2.7"}),
        ),
        (
            format!("tasks/{task}"),
            json!({"status": "running", "last_run": 1_790_000_000}),
        ),
    ];
    for (path, read_before) in recorded {
        let now = world.rows(&format!("{path}?fields=all")).await;
        let mut sent = now.clone();
        for (column, value) in read_before.as_object().unwrap() {
            assert_ne!(&now[column], value, "{path}: {column}");
            sent[column] = value.clone();
        }
        let answer = world.put(&path, sent.clone()).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        for column in read_before.as_object().unwrap().keys() {
            assert_eq!(answer.json()[column], now[column], "{path}: {column}");
        }
        let alone = world.put(&path, read_before).await;
        assert_eq!(alone.status, 422, "{path}: {}", alone.body);
        sent["created"] = json!(7);
        let refused = world.put(&path, sent).await;
        assert_eq!(refused.status, 422, "{path}: {}", refused.body);
        assert!(refused.body.contains("created"), "{}", refused.body);
    }
}

/// Without `fields` a short set; `all`; aliases; joins and counts; unknown columns and null joins
/// are left out.
#[tokio::test]
async fn fields_joins_and_counts() {
    let world = World::start().await;
    let key = webhook(&world, "w").await;
    let task = world
        .make(
            "tasks",
            json!({"name": "t", "owner": format!("webhook_urls/{key}")}),
        )
        .await;
    world
        .make(
            "task_events",
            json!({"task": task, "table": "alarms", "event": "raised"}),
        )
        .await;
    let short = world.rows("webhook_urls").await;
    assert!(
        short[0]["$key"] == key && short[0]["name"] == "w" && short[0].get("headers").is_none()
    );
    assert!(
        world.rows("webhook_urls?fields=all").await[0]
            .get("headers")
            .is_some()
    );
    let joined = world.rows("tasks?fields=$key,name%20as%20title,owner%23$display%20as%20owner_display,count(events)%20as%20events_count,count(triggers),nonsense").await;
    assert_eq!(
        joined,
        json!([{"$key": task, "title": "t", "owner_display": "w", "events_count": 1, "count(triggers)": 0}])
    );
    let event = world.rows("task_events?fields=event_name,owner,owner%23$display%20as%20d,task%23name%20as%20task_name").await;
    assert_eq!(
        event,
        json!([{"event_name": "Raised", "owner": null, "task_name": "t"}])
    );
}

/// `and` and `or` from left to right, quotes and backslashes, sorting, limit and offset.
#[tokio::test]
async fn filters_sorting_and_pages() {
    let world = World::start().await;
    for name in ["b", "a", r"O'Brien \ son", "c"] {
        webhook(&world, name).await;
    }
    let names = async |query: &str| {
        let rows = world
            .rows(&format!("webhook_urls?fields=name&{query}"))
            .await;
        rows.as_array()
            .unwrap()
            .iter()
            .map(|row| row["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names("filter=name%20eq%20'a'%20or%20name%20eq%20'b'%20and%20timeout%20eq%206").await,
        Vec::<String>::new()
    );
    assert_eq!(
        names("filter=name%20eq%20'a'%20or%20(name%20eq%20'b'%20and%20timeout%20eq%206)").await,
        ["a"]
    );
    assert_eq!(
        names(r"filter=name%20eq%20'O\'Brien%20\\%20son'").await,
        [r"O'Brien \ son"]
    );
    assert_eq!(
        names("filter=name%20rx%20'^[ab]$'&sort=%2Bname").await,
        ["a", "b"]
    );
    assert_eq!(names("sort=-name&limit=2").await, ["c", "b"]);
    assert_eq!(
        names("sort=-created&limit=1&offset=1").await,
        [r"O'Brien \ son"]
    );
    assert_eq!(names("limit=0").await.len(), 4);
    for broken in [
        "filter=name%20xx%20'a'",
        "filter=name%20eq",
        "filter=authorization_value%20eq%20'x'",
        "sort=nonsense",
    ] {
        let answer = world.get(&format!("webhook_urls?{broken}")).await;
        assert_eq!(
            (answer.status, answer.json()),
            (422, json!({"err": "Invalid argument"})),
            "{broken}"
        );
    }
}

/// One action in its three spellings.
#[tokio::test]
async fn three_spellings_of_an_action() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (webhook, task) = world.task(receiver.addr, "w", "ran", false).await;
    for (method, path, body) in [
        ("PUT", format!("tasks/{task}?action=execute"), json!({})),
        ("POST", format!("tasks/{task}/execute"), json!({})),
        (
            "POST",
            "task_actions".to_owned(),
            json!({"task": task, "action": "execute", "params": {}}),
        ),
        (
            "PUT",
            format!("webhook_urls/{webhook}?action=send"),
            json!({"params": {"message": "ran"}}),
        ),
        (
            "POST",
            format!("webhook_urls/{webhook}/send"),
            json!({"message": "ran"}),
        ),
        (
            "POST",
            "webhook_url_actions".to_owned(),
            json!({"webhook_url": webhook.to_string(), "action": "send", "message": "ran"}),
        ),
    ] {
        let answer = world.api(method, &path, Some(body)).await;
        assert_eq!(
            (answer.status, answer.json()),
            (200, json!({})),
            "{method} {path}: {}",
            answer.body
        );
    }
    receiver.wait_for("/w", 6).await.unwrap();
    assert!(
        receiver
            .received()
            .iter()
            .all(|received| received.body == "ran")
    );
    world
        .post(&format!("tasks/{task}/explode"), json!({}))
        .await
        .expect(422);
}

/// The delivery log: filters by webhook, status and `$key`; replay; read-only but `DELETE`.
#[tokio::test]
async fn the_delivery_log() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (webhook, task) = world.task(receiver.addr, "w", "x", false).await;
    world
        .api("POST", &format!("tasks/{task}/execute"), None)
        .await;
    receiver.wait_for("/w", 1).await.unwrap();
    world.ended(DeliveryId(1)).await;
    let row = world
        .rows(&format!(
            "webhooks?filter=webhook_url%20eq%20{webhook}&sort=-created&limit=100&fields=all"
        ))
        .await;
    assert_eq!(
        (
            &row[0]["status"],
            &row[0]["message"],
            &row[0]["task"],
            &row[0]["response_status"]
        ),
        (&json!("sent"), &json!("x"), &json!(task), &json!(200))
    );
    assert_eq!(
        world
            .rows("webhooks?filter=(status%20eq%20'queued'%20or%20status%20eq%20'running')")
            .await,
        json!([])
    );
    assert_eq!(
        world
            .rows("webhooks?filter=$key%20eq%201&fields=$key")
            .await,
        json!([{"$key": 1}])
    );
    let answer = world.put("webhooks/1", json!({"status": "error"})).await;
    answer.expect(405);
    let answer = world.api("POST", "webhooks/1/replay", None).await;
    answer.expect(200);
    receiver.wait_for("/w", 2).await.unwrap();
    world.delete("webhooks/1").await.expect(200);
}

/// The delivery log: the cause of a delivery, its request as it was sent, and an immediate attempt.
#[tokio::test]
async fn cause_request_and_retry_of_a_delivery() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let (webhook, task) = world.task(receiver.addr, "w", "x", false).await;
    let secret = json!({"authorization_type": "bearer", "authorization_value": "t0psecret"});
    let path = format!("webhook_urls/{webhook}");
    world.put(&path, secret).await.expect(200);
    world.on_poweron(task, json!({"owner": "vms/7"})).await;
    let occurrence = poweron(7, &[]).with_id("order-4711".parse().unwrap());
    world.engine.emit(occurrence).await.unwrap();
    world.ended(DeliveryId(1)).await;
    let execute = format!("tasks/{task}/execute");
    world.api("POST", &execute, None).await.expect(200);
    world.ended(DeliveryId(2)).await;
    let now = SystemClock.now();
    let later = now + TimeDelta::hours(1);
    let waiting = direct(vec![message(WebhookId(webhook), "msg_later", later)]);
    world.store.enqueue(waiting, now).await.unwrap();

    let list = world.rows("webhooks?fields=all").await;
    let causes = ["type", "event", "object", "user", "occurrence"];
    for (row, cause) in [
        (0, json!(["vms", "poweron", 7, 0, "order-4711"])),
        (1, json!(["tasks", "execute", 0, 1, ""])),
        (2, json!(["", "", 0, 0, ""])),
    ] {
        let shown = causes.map(|part| list[row][format!("cause_{part}")].clone());
        assert_eq!(json!(shown), cause);
    }
    let sent = list[0]["request"].as_str().unwrap();
    assert!(
        sent.starts_with(&format!("POST http://{}/w HTTP/1.1\r\n", receiver.addr)),
        "{sent}"
    );
    assert!(
        sent.contains("(hidden)") && !sent.contains("t0psecret"),
        "{sent}"
    );
    assert_eq!(list[2]["request"], "");
    assert_eq!(
        world.rows("webhooks/1?fields=request").await["request"],
        sent
    );
    let found = "webhooks?fields=$key&filter=cause_object%20eq%207";
    assert_eq!(world.rows(found).await, json!([{"$key": 1}]));
    let short = world.rows("webhooks").await;
    assert!(short[0].get("request").is_none() && short[0].get("cause_type").is_none());

    let answer = world.api("POST", "webhooks/1/retry", None).await;
    answer.expect(409);
    let answer = world.api("POST", "webhooks/3/retry", None).await;
    answer.expect(200);
    assert_eq!(
        world.ended(DeliveryId(3)).await.message_id.as_str(),
        "msg_later"
    );
    assert_eq!(receiver.received().len(), 3);
}

/// Every error is `{"err": "…"}` with its status.
#[tokio::test]
async fn errors() {
    let world = World::start().await;
    let key = webhook(&world, "w").await;
    world
        .make(
            "tasks",
            json!({"name": "uses it", "owner": format!("webhook_urls/{key}")}),
        )
        .await;
    let large = "x".repeat(1_200_000);
    for (method, path, body, status, text) in [
        ("GET", "nosuch".to_owned(), None, 404, "Not found"),
        ("GET", "webhook_urls/99".into(), None, 404, "Not found"),
        ("GET", "webhook_urls/x".into(), None, 404, "Not found"),
        (
            "DELETE",
            "webhook_urls".into(),
            None,
            405,
            "Method not allowed",
        ),
        (
            "POST",
            "webhook_urls".into(),
            Some(json!({"name": "w", "url": "https://example.com/"})),
            409,
            "exists",
        ),
        (
            "DELETE",
            format!("webhook_urls/{key}"),
            None,
            409,
            "uses it",
        ),
        (
            "POST",
            "webhook_urls".into(),
            Some(json!({"name": large})),
            413,
            "too large",
        ),
        (
            "POST",
            "webhook_urls".into(),
            Some(json!([1])),
            400,
            "JSON object",
        ),
        (
            "POST",
            "webhook_urls".into(),
            Some(json!({"name": "x", "url": "https://u:p@example.com/"})),
            422,
            "'url'",
        ),
        (
            "POST",
            "webhook_urls".into(),
            Some(json!({"name": "x", "url": "https://example.com/", "retrys": 1})),
            422,
            "'retrys'",
        ),
        (
            "POST",
            "tasks".into(),
            Some(json!({"name": "x", "owner": "webhook_urls/99"})),
            422,
            "'owner'",
        ),
    ] {
        let answer = world.api(method, &path, body).await;
        let err = answer.json()["err"]
            .as_str()
            .map(str::to_owned)
            .unwrap_or_else(|| panic!("{method} {path}: {}", answer.body));
        assert!(
            answer.status == status && err.contains(text),
            "{method} {path}: {} {err}",
            answer.status
        );
    }
    let broken = examples::client::call(world.server, HERE, "POST", "/api/v4/tasks", None, None)
        .await
        .unwrap();
    assert_eq!(broken.status, 401);
}
