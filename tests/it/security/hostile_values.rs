//! Names of objects and contents of messages cannot break out of their context in a page or a
//! header.

use examples::receiver::Receiver;
use gatepost_ids::TenantId;
use serde_json::{Value, json};
use tests::world::World;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use webhook_model::{Audience, Object, ObjectId, Occurrence};

const NAMES: [&str; 8] = [
    "plain",
    "quote\" , \"admin\": true, \"x\": \"",
    "back\\slash \\u0022",
    "line\nbreak\r\ttab\u{0}\u{7f}",
    "${RANDOM} ${NAME} $<NAME>",
    "\u{2028}\u{202e}🦀 é",
    "</script><b>",
    "",
];

#[tokio::test]
async fn object_name_stays_in_json_string_without_reexpansion() {
    let world = World::start().await;
    let receiver = Receiver::start(None).await.unwrap();
    let message = r#"{"text":"${NAME}","twice":"${NAME}${NAME}","n":${RANDOM}}"#;
    let (_, task) = world.task(receiver.addr, "hook", message, false).await;
    world.on_poweron(task, json!({"tag": 4})).await;
    for (n, name) in NAMES.into_iter().enumerate() {
        let occurrence = Occurrence::new(
            "vms".parse().unwrap(),
            "poweron".parse().unwrap(),
            Audience::Tenant(TenantId(1)),
        )
        .with_object(Object::new(ObjectId::from(1), name))
        .with_tags(vec![webhook_model::TagId(4)]);
        let made = world.engine.emit(occurrence).await.unwrap().deliveries;
        world.ended(made[0]).await;
        let received = receiver.wait_for("/hook", n + 1).await.unwrap();
        let body: Value = serde_json::from_str(&received.body)
            .unwrap_or_else(|e| panic!("{e}: {}", received.body));
        assert_eq!(body.as_object().unwrap().len(), 3, "{}", received.body);
        assert_eq!(body["text"], name, "{}", received.body);
        assert_eq!(body["twice"], format!("{name}{name}"));
        assert!(body["n"].is_u64());
    }
}

#[tokio::test]
async fn invalid_bodies_are_refused_and_change_nothing() {
    let world = World::start().await;
    let deep = format!("{}1{}", "[".repeat(20_000), "]".repeat(20_000));
    for (body, statuses) in [
        ("", [400, 422]),
        ("null", [400, 422]),
        ("[]", [400, 422]),
        ("{\"name\":", [400, 422]),
        (
            "{\"name\":\"a\",\"name\":\"b\",\"url\":\"https://x.example/\",\"surprise\":1}",
            [400, 422],
        ),
        (
            "{\"name\":\"\\ud800\",\"url\":\"https://x.example/\"}",
            [400, 422],
        ),
        (deep.as_str(), [400, 422]),
    ] {
        let status = raw_post(&world, "webhook_urls", body.as_bytes()).await;
        assert!(
            statuses.contains(&status),
            "{status}: {}",
            &body[..body.len().min(60)]
        );
    }
    let big = vec![b' '; 2 * 1024 * 1024];
    assert_eq!(raw_post(&world, "webhook_urls", &big).await, 413);
    assert_eq!(
        raw_post(
            &world,
            "webhook_urls",
            b"{\"name\":\"\xff\xfe\",\"url\":\"https://x.example/\"}"
        )
        .await
            / 100,
        4
    );
    assert_eq!(world.get("webhook_urls").await.body, "[]");
}

/// Posts bytes as they are; returns the status.
async fn raw_post(world: &World, table: &str, body: &[u8]) -> u16 {
    let (key, length) = (&world.admin, body.len());
    let head = format!(
        "POST /api/v4/{table} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer {key}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    let stream = TcpStream::connect(world.server).await.unwrap();
    let (mut read, mut write) = stream.into_split();
    let request = [head.as_bytes(), body].concat();
    // A server that has seen enough may respond before it has read everything. A server that sees
    // the end of a client's input takes the client for disconnected.
    let send = tokio::spawn(async move {
        let _ = write.write_all(&request).await;
        write
    });
    let mut answer = Vec::new();
    let _ = read.read_to_end(&mut answer).await;
    drop(send.await.unwrap());
    let text = String::from_utf8_lossy(&answer).into_owned();
    text.split(' ')
        .nth(1)
        .unwrap_or_else(|| panic!("{text}"))
        .parse()
        .unwrap()
}
