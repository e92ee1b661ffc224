//! The pages of deliveries, and what of tasks, events and deliveries is another's (SPEC 6), without
//! a browser.

use axum::http::StatusCode;
use examples::receiver::Receiver;
use tests::browser::typed::{new_event, new_task, new_webhook};
use tests::browser::{Site, Visitor};

const TASK: &str = "/console/tasks/new";

#[tokio::test]
async fn failed_deliveries_are_looked_into_cancelled_and_replayed() {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "1").await;
    new_task(&ulf, "x", &[]).await;
    receiver.answer_with(&[StatusCode::BAD_GATEWAY, StatusCode::IM_A_TEAPOT]);
    let act = async |path: &str| ulf.fill(TASK, path, &[]).await;
    act("/console/tasks/1/do/run").await;
    site.ended(1).await;
    let page = ulf.get("/console/deliveries/1").await;
    for text in ["502", "418", ">error<", "Replay"] {
        assert!(page.has(text), "{text}: {}", page.html);
    }
    assert!(ulf.get("/console/deliveries?state=error").await.has("#1"));
    for (class, listed) in [("status", true), ("timeout", false)] {
        let page = ulf.get(&format!("/console/deliveries?class={class}")).await;
        assert_eq!(
            page.has("href=\"/console/deliveries/1\""),
            listed,
            "{class}"
        );
    }
    assert!(
        ulf.get("/console/deliveries?state=sent")
            .await
            .has("No such deliveries")
    );
    assert_eq!(act("/console/deliveries/1/cancel").await.status, 409);
    assert_eq!(
        act("/console/deliveries/1/replay").await.to(),
        "/console/deliveries/1?done=replayed"
    );
    receiver.wait_for("/in", 3).await.unwrap();
    site.ended(1).await;
    let live = ulf.get("/console/deliveries/live?top=1&x").await;
    assert!(live.has("#1</a>") && live.has(">sent<"), "{}", live.html);
    // One that waits is cancelled.
    act("/console/webhooks/1/do/pause").await;
    act("/console/tasks/1/do/run").await;
    let page = ulf.get("/console/deliveries/2").await;
    assert!(page.has(">queued<") && page.has("Cancel") && !page.has("Replay"));
    assert_eq!(
        act("/console/deliveries/2/cancel").await.to(),
        "/console/deliveries/2?done=cancelled"
    );
    assert!(ulf.get("/console/deliveries/2").await.has("cancelled"));
    // What was cancelled is counted at once, what ended by an attempt soon after that.
    let figure = |name: &str, count: &str| format!("<dd>{count}</dd><dt>{name}</dt>");
    let mut live = ulf.get("/console/webhooks/1/live").await;
    for _ in 0..400 {
        if live.has(&figure("sent", "1")) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(25)).await;
        live = ulf.get("/console/webhooks/1/live").await;
    }
    for (name, count) in [("sent", "1"), ("failed", "2"), ("queued", "0")] {
        assert!(live.has(&figure(name, count)), "{name}: {}", live.html);
    }
    let page = ulf.get("/console/webhooks/1").await;
    assert!(page.has("In all: 1 sent, 2 failed, "), "{}", page.html);
    assert!(ulf.get("/console/webhooks").await.has("1 sent, 2 failed"));
}

#[tokio::test]
async fn what_is_anothers_is_answered_as_if_it_were_not_there() {
    let site = Site::start().await;
    let (ulf, vera) = (
        Visitor::login(&site, "ulf").await,
        Visitor::login(&site, "vera").await,
    );
    let receiver = Receiver::start(None).await.unwrap();
    new_webhook(&ulf, &receiver, "0").await;
    new_task(&ulf, "x", &[]).await;
    new_event(
        &ulf,
        &[
            ("event", "poweron"),
            ("target", "tag"),
            ("tag", "1"),
            ("task", "1"),
        ],
    )
    .await;
    ulf.fill(TASK, "/console/tasks/1/do/run", &[]).await;
    site.ended(1).await;
    let before = site.heard();
    for path in [
        "tasks/1/edit",
        "tasks/1/delete",
        "events/1/edit",
        "events/1/delete",
        "deliveries/1",
        "deliveries/1/live",
    ] {
        let path = format!("/console/{path}");
        assert_eq!(vera.get(&path).await.status, 404, "{path}");
        assert_eq!(ulf.get(&path).await.status, 200, "{path}");
    }
    for path in [
        "tasks/1/edit",
        "tasks/1/delete",
        "tasks/1/do/run",
        "events/1/edit",
        "events/1/delete",
        "events/1/do/trigger",
        "deliveries/1/replay",
        "deliveries/1/cancel",
    ] {
        let path = format!("/console/{path}");
        assert_eq!(
            vera.fill(TASK, &path, &[("name", "x")]).await.status,
            404,
            "{path}"
        );
    }
    for path in ["tasks", "events", "deliveries"] {
        let page = vera.get(&format!("/console/{path}")).await;
        assert!(!page.has("tell") && !page.has("chat"), "{path}");
    }
    assert_eq!(vera.get("/console/deliveries?webhook=1").await.status, 404);
    // Nor can another's webhook be used, or another's task be run.
    assert_eq!(
        new_task(&vera, "x", &[]).await.error("webhook"),
        "This webhook does not exist."
    );
    let page = new_event(
        &vera,
        &[
            ("event", "poweron"),
            ("target", "tag"),
            ("tag", "1"),
            ("task", "1"),
        ],
    )
    .await;
    assert_eq!(page.error("task"), "This task does not exist.");
    let live = vera.get("/console/live").await;
    assert_eq!(live.status, 200);
    assert!(!live.has("chat") && !live.has(">Queue<"), "{}", live.html);
    assert_eq!(site.heard(), before);
}
