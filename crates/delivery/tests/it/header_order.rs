//! SPEC 2.2 *Headers*: over HTTP/1.1 they arrive in the order and the case in which they were
//! given, a repeated name in its position among the others, over every kind of connection. The
//! sender's own are in Title-Case: some receivers compare names as they are.

use std::sync::Arc;

use delivery::{HeaderNames, Proxy, Request, RequestBuilder, Sender, SigningKeys};
use http::Method;
use proptest::prelude::*;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

use crate::proxy::Fake;
use crate::support::byte_receiver::{Arrived, Responds, listen, listen_and};
use crate::support::certs::{Here, Shown, ca, config, params, trusting};
use crate::support::receiver::{Receiver, local_sender};
use crate::support::request::{local_builder, now, post};
use crate::support::tls::BOTH;

const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
/// A, P, C, R, A in every case that a user may write.
const GIVEN: [(&str, &str); 6] = [
    ("X-Alpha", "1"),
    ("x-pRIORITY", "high"),
    ("Content-Type", "application/json"),
    ("ROUTE", "eu;q=1"),
    ("x-alpha", "2"),
    ("X-ALPHA", "3"),
];

fn given(builder: RequestBuilder) -> RequestBuilder {
    GIVEN.iter().fold(builder, |builder, (name, value)| {
        builder.header(name, value)
    })
}

fn lines_of_given() -> Vec<String> {
    let lines = GIVEN.iter().map(|(name, value)| format!("{name}: {value}"));
    lines.collect()
}

/// Checks three requests over one connection: all lines, first the host's, then those given, then
/// ours.
async fn expect_each_time(
    sender: &Sender,
    url: &str,
    host: &str,
    arrived: &mut mpsc::UnboundedReceiver<Arrived>,
) {
    let body = "x".repeat(3 * 1024 * 1024);
    let request = given(post(url))
        .sensitive_header("Authorization", "Bearer s3cret")
        .body(body.clone())
        .delivery_id("msg_1")
        .signing(SigningKeys::parse([SECRET]).unwrap())
        .build()
        .unwrap();
    for turn in 0..3 {
        let attempt = sender.send(&request, now()).await;
        assert_eq!(attempt.outcome, Ok(200));
        assert_eq!(attempt.reused, turn > 0);
        let seen = arrived.recv().await.unwrap();
        assert_eq!(seen.connection, 0);
        assert!(seen.head.starts_with(b"POST /in?x=1 HTTP/1.1\r\n"));
        let lines = seen.texts();
        let signature = lines
            .iter()
            .find(|l| l.starts_with("Webhook-Signature: v1,"));
        let mut expected = vec![format!("Host: {host}")];
        expected.extend(lines_of_given());
        expected.extend([
            "Authorization: Bearer s3cret".to_owned(),
            "User-Agent: gatepost-delivery".to_owned(),
            "Webhook-Id: msg_1".to_owned(),
            "Webhook-Timestamp: 1800000000".to_owned(),
            (*signature.unwrap()).to_owned(),
            format!("Content-Length: {}", body.len()),
        ]);
        assert_eq!(lines, expected);
        assert_eq!(seen.body, body.as_bytes());
    }
}

#[tokio::test]
async fn over_plain_tcp() {
    let (addr, mut arrived) = listen(None).await;
    let url = format!("http://{addr}/in?x=1");
    expect_each_time(&local_sender(), &url, &addr.to_string(), &mut arrived).await;
}

#[tokio::test]
async fn over_tls() {
    let root = ca();
    let shown = Shown::issued(&root, &params(&["a.example"]));
    let acceptor = TlsAcceptor::from(Arc::new(config(&shown, BOTH, &["http/1.1"])));
    let (addr, mut arrived) = listen(Some(acceptor)).await;
    let host = format!("a.example:{}", addr.port());
    let sender = trusting(&root).build().unwrap();
    let url = format!("https://{host}/in?x=1");
    expect_each_time(&sender, &url, &host, &mut arrived).await;
}

#[tokio::test]
async fn through_proxies() {
    let http = Fake::http(None).await;
    let socks = Fake::socks(None).await;
    for proxy in [
        format!("http://{}", http.addr),
        format!("socks5://{}", socks.addr),
    ] {
        let (addr, mut arrived) = listen(None).await;
        let sender = local_builder().resolver(Arc::new(Here));
        let sender = sender.proxy(Proxy::parse(&proxy).unwrap()).build().unwrap();
        let host = format!("a.example:{}", addr.port());
        let url = format!("http://{host}/in?x=1");
        expect_each_time(&sender, &url, &host, &mut arrived).await;
    }
}

#[tokio::test]
async fn without_signature_and_authorization() {
    let (addr, mut arrived) = listen(None).await;
    let request = given(post(&format!("http://{addr}/"))).build().unwrap();
    assert!(local_sender().send(&request, now()).await.is_success());
    let mut expected = vec![format!("Host: {addr}")];
    expected.extend(lines_of_given());
    expected.extend([
        "User-Agent: gatepost-delivery".to_owned(),
        "Content-Length: 2".to_owned(),
    ]);
    assert_eq!(arrived.recv().await.unwrap().texts(), expected);
}

#[tokio::test]
async fn forged_webhook_headers_are_replaced_user_agent_stays() {
    let (addr, mut arrived) = listen(None).await;
    let request = post(&format!("http://{addr}/"))
        .header("Webhook-Id", "forged")
        .header("User-AGENT", "acme/1")
        .header("WEBHOOK-SIGNATURE", "forged")
        .header("webhook-timestamp", "forged")
        .header("X-Last", "z")
        .delivery_id("msg_1")
        .signing(SigningKeys::parse([SECRET]).unwrap())
        .build()
        .unwrap();
    assert!(local_sender().send(&request, now()).await.is_success());
    let seen = arrived.recv().await.unwrap();
    let names: Vec<_> = seen
        .texts()
        .iter()
        .map(|l| l.split(':').next().unwrap().to_owned())
        .collect();
    let expected = [
        "Host",
        "User-AGENT",
        "X-Last",
        "Webhook-Id",
        "Webhook-Timestamp",
        "Webhook-Signature",
        "Content-Length",
    ];
    assert_eq!(names, expected);
    assert!(!String::from_utf8_lossy(&seen.head).contains("forged"));
}

#[tokio::test]
async fn platforms_header_names_keep_their_case() {
    let (addr, mut arrived) = listen(None).await;
    let names = HeaderNames::new("X-GitHub-Delivery", "x-github-time", "X-Hub-Signature-256");
    let sender = local_builder().header_names(names.unwrap()).build();
    let request = post(&format!("http://{addr}/"))
        .delivery_id("msg_1")
        .signing(SigningKeys::parse([SECRET]).unwrap())
        .build()
        .unwrap();
    let attempt = sender.unwrap().send(&request, now()).await;
    assert!(attempt.is_success());
    let shown = String::from_utf8(attempt.request_head).unwrap();
    let seen = arrived.recv().await.unwrap();
    let lines = seen.texts();
    for name in [
        "X-GitHub-Delivery: ",
        "x-github-time: ",
        "X-Hub-Signature-256: ",
    ] {
        assert!(lines.iter().any(|line| line.starts_with(name)), "{lines:?}");
        assert!(shown.contains(&format!("\r\n{name}")), "{shown}");
    }
}

#[tokio::test]
async fn trace_headers_over_http1_are_lower_case() {
    let (addr, mut arrived) = listen(None).await;
    let request = post(&format!("http://{addr}/")).build().unwrap();
    let parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    let request = request.with_trace(parent, Some("a=1")).unwrap();
    assert!(local_sender().send(&request, now()).await.is_success());
    let seen = arrived.recv().await.unwrap();
    let (parent, state) = (format!("traceparent: {parent}"), "tracestate: a=1");
    assert!(seen.texts().contains(&parent.as_str()) && seen.texts().contains(&state));
}

#[tokio::test]
async fn response_before_body_never_mixes_requests() {
    let (addr, mut arrived) = listen_and(Responds::BeforeTheBody, None).await;
    let sender = local_sender();
    let builder = given(post(&format!("http://{addr}/")));
    let request = builder.body(vec![b'x'; 8 * 1024 * 1024]).build().unwrap();
    let next = post(&format!("http://{addr}/")).header("X-Next", "1");
    let next = next.build().unwrap();
    for _ in 0..5 {
        assert!(sender.send(&request, now()).await.is_success());
        assert!(sender.send(&next, now()).await.is_success());
        // The large one may have been given up within its body; the small one has come whole.
        let seen = loop {
            let seen = arrived.recv().await.unwrap();
            if seen.body != *request.body() {
                break seen;
            }
        };
        assert!(seen.head.starts_with(b"POST / HTTP/1.1\r\nHost: "));
        assert!(seen.texts().contains(&"X-Next: 1"));
        assert_eq!(seen.body, b"{}");
    }
}

#[tokio::test]
async fn http_1_0_keep_alive_receives_identical_messages() {
    let response = "HTTP/1.0 200 OK\r\nconnection: keep-alive\r\ncontent-length: 0\r\n\r\n";
    let mut receiver = Receiver::fixed(response).await;
    let request = given(post(&receiver.url())).build().unwrap();
    let sender = local_sender();
    assert!(sender.send(&request, now()).await.is_success());
    assert!(sender.send(&request, now()).await.is_success());
    let (first, second) = (receiver.next().await, receiver.next().await);
    assert_eq!(first.head, second.head);
    assert_eq!(receiver.connections(), 1);
}

#[tokio::test]
async fn empty_body_has_content_length_for_body_methods() {
    let (addr, mut arrived) = listen(None).await;
    let sender = local_sender();
    for (method, announced) in [
        (Method::POST, true),
        (Method::PUT, true),
        (Method::PATCH, true),
        (Method::GET, false),
        (Method::HEAD, false),
        (Method::DELETE, false),
    ] {
        let request = post(&format!("http://{addr}/"))
            .method(method.clone())
            .body("")
            .build();
        let attempt = sender.send(&request.unwrap(), now()).await;
        assert!(attempt.is_success(), "{method}");
        let seen = arrived.recv().await.unwrap();
        assert!(
            seen.head
                .starts_with(format!("{method} / HTTP/1.1\r\n").as_bytes())
        );
        assert_eq!(
            seen.texts().contains(&"Content-Length: 0"),
            announced,
            "{method}"
        );
    }
}

fn name() -> impl Strategy<Value = String> {
    let theirs = [
        "user-agent",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    ];
    // Few letters, so that names repeat.
    "([aAbB]|[!#$%&'*+.^_`|~0-9a-zA-Z-]{1,20})".prop_filter("ours", move |name| {
        !theirs.contains(&name.to_ascii_lowercase().as_str())
    })
}

fn value() -> impl Strategy<Value = Vec<u8>> {
    let byte = prop_oneof![Just(b'\t'), b' '..=b'~', 0x80_u8..=0xff];
    prop::collection::vec(byte, 0..30)
}

/// Sends each list in turn by one sender; returns the lines that arrived for each.
async fn sent(lists: &[Vec<(String, Vec<u8>)>]) -> Vec<Vec<Vec<u8>>> {
    let (addr, mut arrived) = listen(None).await;
    let sender = local_sender();
    let mut all = Vec::new();
    for list in lists {
        let builder = Request::builder(format!("http://{addr}/").parse().unwrap());
        let add = |b: RequestBuilder, (name, value): &(String, Vec<u8>)| b.header(name, value);
        let request = list.iter().fold(builder, add).body("{}").build().unwrap();
        assert!(sender.send(&request, now()).await.is_success());
        let seen = arrived.recv().await.unwrap();
        all.push(seen.lines().into_iter().map(<[u8]>::to_vec).collect());
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_valid_list_arrives_as_it_was_given(
        lists in prop::collection::vec(prop::collection::vec((name(), value()), 0..12), 1..4),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let arrived = runtime.block_on(sent(&lists));
        for (list, lines) in lists.iter().zip(arrived) {
            let given: Vec<_> = list.iter().map(|(name, value)| [name.as_bytes(), b": ", value].concat()).collect();
            // `Host` before, `User-Agent` and `Content-Length` after.
            prop_assert_eq!(&lines[1..lines.len() - 2], &given[..]);
        }
    }
}
