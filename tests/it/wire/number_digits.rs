//! Numbers in free JSON over REST keep the digits that a client wrote, in sent messages and in
//! responses.

use examples::client::{Response, send};
use examples::receiver::Receiver;
use serde_json::json;
use tests::world::{Expect as _, HERE, World};

/// Numbers that no value of 64 bits has, or that it writes in another way.
const DIGITS: &str = r#"{"a":[1.10,{"b":-0}],"big":18446744073709551616,"far":1e400,"long":0.1000000000000000055,"low":-1E+400,"text":"1.10"}"#;
const OTHER: &str = r#"{"a":2.50,"big":36893488147419103232}"#;

/// Sends a call of the administrator with a body as it is written.
async fn raw(world: &World, method: &str, path: &str, body: &str) -> Response {
    let (server, key) = (world.server, &world.admin);
    let head = format!(
        "{method} /api/v4/{path} HTTP/1.1\r\nHost: {server}\r\nAuthorization: Bearer {key}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    send(server, HERE, &head, body).await.unwrap()
}

/// Starts a platform with one task, number 1, that sends this message.
async fn with_task(message: &str) -> (World, Receiver) {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    world.task(receiver.addr, "w", message, false).await;
    (world, receiver)
}

/// Creates an event on machine 1 that runs it, with this context.
async fn make_event(world: &World, context: &str) {
    let event = r#""table":"vms","event":"poweron","owner":"vms/1""#;
    let body = format!("\u{feff} {{ \"task\" : 1 ,{event}, \"context\": {context}\n}}");
    raw(world, "POST", "task_events", &body).await.expect(201);
}

fn spaced(json: &str) -> String {
    json.replace(':', " :\n").replace(',', " , ")
}

/// Checks that all ways of reading the context show it.
async fn shows(world: &World, context: &str) {
    for path in [
        "task_events/1",
        "task_events/1?fields=most",
        "task_events?fields=all&sort=-modified,event",
        "task_events?fields=task,context&filter=context%20ne%20null",
    ] {
        let shown = raw(world, "GET", path, "").await.body;
        assert!(
            shown.contains(&format!("\"context\":{context}")),
            "{path}: {shown}"
        );
    }
    let only = raw(world, "GET", "task_events/1?fields=context%20as%20c", "").await;
    assert_eq!(only.body, format!("{{\"c\":{context}}}"));
    let listed = raw(world, "GET", "task_events?fields=context", "").await;
    assert_eq!(listed.body, format!("[{{\"context\":{context}}}]"));
}

#[tokio::test]
async fn context_over_rest_keeps_digits() {
    let (world, receiver) = with_task("${context} ${context.big} ${context.a}").await;
    make_event(&world, &spaced(DIGITS)).await;
    shows(&world, DIGITS).await;
    world.emit(1, &[]).await;
    let received = receiver.wait_for("/w", 1).await.unwrap();
    let parts = r#" 18446744073709551616 [1.10,{"b":-0}]"#;
    assert_eq!(received.body, format!("{DIGITS}{parts}"));
    // As an object, and as a text that is JSON. The last of two members with one name counts.
    let text = json!(format!("\u{feff} {}\n", spaced(DIGITS))).to_string();
    for (at, body, context, parts) in [
        (
            2,
            format!("{{\"context\":{{\"a\":1}},\"context\":{OTHER}}}"),
            OTHER,
            " 36893488147419103232 2.50",
        ),
        (3, format!("{{\"context\":{text}}}"), DIGITS, parts),
        (4, "{\"context\": null }".to_owned(), "{}", "  "),
    ] {
        let edited = raw(&world, "PUT", "task_events/1", &body).await.expect(200);
        let shown = format!("\"context\":{context}");
        assert!(edited.body.contains(&shown), "{}", edited.body);
        shows(&world, context).await;
        world.emit(1, &[]).await;
        let received = receiver.wait_for("/w", at).await.unwrap();
        assert_eq!(received.body, format!("{context}{parts}"));
    }
}

#[tokio::test]
async fn trigger_context_over_rest_keeps_digits() {
    let message = "${data} ${context.long} ${data.far} ${a} ${low} ${text}";
    let (world, receiver) = with_task(message).await;
    make_event(&world, "{}").await;
    let expected =
        format!(r#"{DIGITS} 0.1000000000000000055 1e400 [1.10,{{"b":-0}}] -1E+400 1.10"#);
    let context = spaced(DIGITS);
    let beside = format!("{{\"context\":{context}}}");
    let named = format!("{{\"task_event\":1,\"action\":\"trigger\",\"params\":{beside}}}");
    for (at, method, path, body) in [
        (1, "POST", "task_events/1/trigger", beside.clone()),
        (
            2,
            "POST",
            "task_events/1/trigger",
            format!("{{\"context\":{OTHER},\"params\":{{\"context\":{context}}}}}"),
        ),
        (3, "PUT", "task_events/1?action=trigger", beside),
        (4, "POST", "task_event_actions", named),
    ] {
        let triggered = raw(&world, method, path, &body).await;
        assert_eq!(triggered.status, 200, "{path}: {}", triggered.body);
        let received = receiver.wait_for("/w", at).await.unwrap();
        assert_eq!(received.body, expected, "{path}");
    }
}

#[tokio::test]
async fn execute_parameters_over_rest_keep_digits() {
    let (world, receiver) = with_task("${A} ${B} ${C} ${D} ${E}").await;
    let params = r#""A": 1.10 ,"B":18446744073709551616,"C":[ 1e400, {"x" : -0}],"D":"1.10""#;
    let expected = r#"1.10 18446744073709551616 [1e400,{"x":-0}] 1.10 null"#;
    for (at, path, body) in [
        (
            1,
            "tasks/1/execute",
            format!("{{\"params\":{{{params},\"E\":null}},\"A\":2.50}}"),
        ),
        (2, "tasks/1/execute", format!("{{{params},\"E\":null}}")),
        (
            3,
            "task_actions",
            format!("{{\"task\":1,\"action\":\"execute\",{params},\"E\":null}}"),
        ),
    ] {
        let run = raw(&world, "POST", path, &body).await;
        assert_eq!(run.status, 200, "{path}: {}", run.body);
        let received = receiver.wait_for("/w", at).await.unwrap();
        assert_eq!(received.body, expected, "{path}");
    }
}

/// A text that a client sends stays a text, and so do names.
#[tokio::test]
async fn texts_that_look_like_numbers_stay_texts() {
    let context = r#"{"\u00012.50":3.50,"$serde_json::private::Number":"9.90","m":"\u00011.10","n":[1.10,"[1.10]"]}"#;
    let (world, receiver) = with_task("${context} ${context.n}").await;
    make_event(&world, context).await;
    let shown = raw(&world, "GET", "task_events/1?fields=context", "").await;
    assert_eq!(shown.body, format!("{{\"context\":{context}}}"));
    world.emit(1, &[]).await;
    let received = receiver.wait_for("/w", 1).await.unwrap();
    assert_eq!(received.body, format!(r#"{context} [1.10,"[1.10]"]"#));
}

/// No column of Gatepost holds such a number, and no filter compares with it.
#[tokio::test]
async fn numbers_beyond_64_bits_elsewhere_are_refused() {
    let (world, _receiver) = with_task("x").await;
    make_event(&world, "{}").await;
    for (path, body, column) in [
        ("task_events/1", r#"{"task": 1e400}"#, "'task'"),
        ("task_events/1", r#"{"tag": -1e400}"#, "'tag'"),
        ("task_events/1", r#"{"enabled": 1e400}"#, "'enabled'"),
        ("task_events/1", r#"{"context": 1e400}"#, "'context'"),
        (
            "task_events/1",
            r#"{"table_event_filters": {"a": {"$lt": 1e400}}}"#,
            "'table_event_filters'",
        ),
        ("tasks/1", r#"{"name": 1e400}"#, "'name'"),
    ] {
        let refused = raw(&world, "PUT", path, body).await;
        assert_eq!(refused.status, 422, "{body}: {}", refused.body);
        assert!(refused.body.contains(column), "{}", refused.body);
    }
    let broken = raw(&world, "PUT", "tasks/1", "{\"name\": 1e400,\n \"a\" 1}").await;
    assert_eq!(broken.status, 400, "{}", broken.body);
}
