//! Line ends, zero bytes and letters beyond ASCII in every field that a user may fill: refused by
//! name, or carried exactly. Each delivery is one request with the expected headers; a target's
//! response is shown as text.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use gatepost_ids::TenantId;
use serde_json::{Value, json};
use tests::world::{Expect as _, World};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use webhook_model::{Audience, Object, ObjectId, Occurrence, TagId, WebhookId};

/// The last but one: letters whose lower byte is that of CR and LF.
const PAYLOADS: [&str; 9] = [
    "x\r\nX-Injected: 1",
    "x\nX-Injected: 1",
    "x\rX-Injected: 1",
    "x\r\n\r\nGET /second HTTP/1.1\r\nHost: y\r\n\r\n",
    "x\u{0}y",
    "x\u{7f}\u{1b}[31my",
    "x\u{85}X-Injected: 1\u{2028}X-Injected: 1",
    "x\u{10d}\u{10a}X-Injected: 1",
    "naïve ☃ \u{202e}text",
];

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\nok";
const EXPECTED: [&str; 8] = [
    "host",
    "content-type",
    "content-length",
    "user-agent",
    "webhook-id",
    "authorization",
    "x-api-key",
    "x-own",
];

/// Every byte that arrived; all input gets one response.
struct Raw {
    addr: SocketAddr,
    arrived: Arc<Mutex<Vec<u8>>>,
}

impl Raw {
    async fn start(answer: &'static [u8]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let arrived = Arc::<Mutex<Vec<u8>>>::default();
        let kept = arrived.clone();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let kept = kept.clone();
                tokio::spawn(async move {
                    let mut piece = [0; 65536];
                    let n = stream.read(&mut piece).await.unwrap();
                    kept.lock().unwrap().extend_from_slice(&piece[..n]);
                    stream.write_all(answer).await.unwrap();
                });
            }
        });
        Self { addr, arrived }
    }

    /// Returns the one request that arrived since the last call: head lines and body.
    fn take(&self) -> (Vec<String>, Vec<u8>) {
        let bytes = std::mem::take(&mut *self.arrived.lock().unwrap());
        let end = bytes.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let lines: Vec<String> = head.split("\r\n").map(str::to_owned).collect();
        let length = lines.iter().find_map(|line| {
            let (name, value) = line.split_once(": ")?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.parse::<usize>().unwrap())
        });
        let body = bytes[end + 4..].to_vec();
        assert_eq!(body.len(), length.unwrap(), "one request and no more");
        (lines, body)
    }
}

/// Returns a webhook in which one field has this value.
fn webhook(field: &str, payload: &str, addr: SocketAddr) -> Value {
    let mut row = json!({"name": "w", "url": format!("http://{addr}/in")});
    match field {
        "name" => row["name"] = payload.into(),
        "url" => row["url"] = format!("http://{addr}/in?a={payload}").into(),
        "headers" => row["headers"] = format!("X-Own:{payload}\n").into(),
        "header name" => row["headers"] = format!("X-Own{payload}:v\n").into(),
        kind => {
            row["authorization_type"] = kind.into();
            let value = if kind == "basic" {
                format!("u:{payload}")
            } else {
                payload.to_owned()
            };
            row["authorization_value"] = value.into();
        }
    }
    row
}

#[tokio::test]
async fn webhook_fields_cannot_inject_headers_or_requests() {
    let (world, raw) = (World::start().await, Raw::start(ANSWER).await);
    let fields = [
        "name",
        "url",
        "headers",
        "header name",
        "basic",
        "bearer",
        "apikey",
    ];
    let (mut refused, mut sent) = (0, 0);
    for field in fields {
        for payload in PAYLOADS {
            let row = webhook(field, payload, raw.addr);
            let made = world.post("webhook_urls", row).await;
            if made.status != 201 {
                assert_eq!(made.status, 422, "{field} {payload:?}: {}", made.body);
                let column = match field {
                    "header name" => "headers",
                    "basic" | "bearer" | "apikey" => "authorization_value",
                    column => column,
                };
                assert!(made.body.contains(column), "{field}: {}", made.body);
                refused += 1;
                continue;
            }
            let id = made.json()["$row"].as_i64().unwrap();
            let delivery = world.engine.send(WebhookId(id), None).await.unwrap();
            world.ended(delivery).await;
            let (lines, _) = raw.take();
            assert!(lines[0].starts_with("POST /in"), "{lines:?}");
            // In this field a line end is the regular way to write a second header.
            let own = field == "headers" && payload.contains('\n');
            for line in &lines[1..] {
                let name = line.split_once(": ").unwrap().0.to_ascii_lowercase();
                let known = EXPECTED.contains(&name.as_str()) || (own && name == "x-injected");
                assert!(known, "{field} {payload:?}: {line:?}");
                assert!(
                    !line.contains(['\r', '\n', '\0']),
                    "{field} {payload:?}: {line:?}"
                );
            }
            let answer = world.delete(&format!("webhook_urls/{id}")).await;
            answer.expect(200);
            sent += 1;
        }
    }
    assert!(refused > 20 && sent > 10, "{refused} refused, {sent} sent");
}

#[tokio::test]
async fn messages_and_names_in_them_arrive_exactly() {
    let (world, raw) = (World::start().await, Raw::start(ANSWER).await);
    for (n, payload) in PAYLOADS.into_iter().enumerate() {
        let message = json!({"said": payload, "name": "${NAME}"}).to_string();
        let (_, task) = world
            .task(raw.addr, &format!("w{n}"), &message, false)
            .await;
        let tag = i64::try_from(n).unwrap() + 100;
        world.on_poweron(task, json!({"tag": tag})).await;
        let occurrence = Occurrence::new(
            "vms".parse().unwrap(),
            "poweron".parse().unwrap(),
            Audience::Tenant(TenantId(1)),
        )
        .with_object(Object::new(ObjectId::from(1), payload))
        .with_tags(vec![TagId(tag)]);
        let made = world.engine.emit(occurrence).await.unwrap().deliveries;
        world.ended(made[0]).await;
        let (_, body) = raw.take();
        let body: Value = serde_json::from_slice(&body).unwrap();
        assert_eq!(body, json!({"said": payload, "name": payload}));
    }
}

#[tokio::test]
async fn hostile_names_are_refused_or_returned_exactly() {
    let (world, raw) = (World::start().await, Raw::start(ANSWER).await);
    let owner = world
        .make(
            "webhook_urls",
            json!({"name": "w", "url": format!("http://{}/", raw.addr)}),
        )
        .await;
    for payload in PAYLOADS {
        for (table, field) in [
            ("user_api_keys", "name"),
            ("user_api_keys", "description"),
            ("tasks", "name"),
            ("tasks", "description"),
            ("webhook_urls", "name"),
        ] {
            let mut row = match table {
                "tasks" => {
                    json!({"name": "t", "owner": format!("webhook_urls/{owner}"), "action": "send"})
                }
                "webhook_urls" => json!({"url": "https://example.com/"}),
                _ => json!({"name": "k", "user": 1}),
            };
            row[field] = payload.into();
            let made = world.post(table, row).await;
            if made.status != 201 {
                assert_eq!(
                    made.status, 422,
                    "{table}.{field} {payload:?}: {}",
                    made.body
                );
                assert!(made.body.contains(field), "{table}.{field}: {}", made.body);
                continue;
            }
            let id = made.json()["$row"].as_i64().unwrap();
            let path = format!("{table}/{id}");
            let read = world.get(&format!("{path}?fields=all")).await;
            assert_eq!(read.json()[field], payload, "{table}.{field}");
            world.delete(&path).await.expect(200);
        }
    }
}

#[tokio::test]
async fn target_response_is_shown_as_text() {
    let answer: &[u8] = b"HTTP/1.1 500 Oh</script>\r\nx-evil: \xff\x80\t<b>\r\nconnection: close\r\n\r\n\x00\x1b[2J\r\nHTTP/1.1 200 OK\r\n\r\n\xff\xfe</script>\"";
    let (world, raw) = (World::start().await, Raw::start(answer).await);
    let row = json!({"name": "w", "url": format!("http://{}/", raw.addr), "retries": 0});
    let hook = world.make("webhook_urls", row).await;
    let delivery = world.engine.send(WebhookId(hook), None).await.unwrap();
    let ended = world.ended(delivery).await;
    assert_eq!(ended.status_info, "the target responded with status 500");
    let path = format!("webhooks/{delivery}?fields=all");
    let shown = world.get(&path).await;
    assert_eq!(shown.status, 200);
    assert!(
        !shown.body.bytes().any(|b| b < 0x20 || b == 0x7f),
        "no control byte is in the response: {:?}",
        shown.body
    );
    let body = shown.json()["response_body"].as_str().unwrap().to_owned();
    assert!(
        body.contains("\u{1b}[2J") && body.contains("HTTP/1.1 200 OK"),
        "{body:?}"
    );
    assert!(body.contains('\u{fffd}'), "what is no text is marked");
}
