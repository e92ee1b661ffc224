//! HTTP/2: one connection for all, and receivers that abuse the protocol, frame by frame.

#![allow(clippy::unwrap_used)] // a helper that fails is a test that fails

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

use bytes::Bytes;
use common::tls::{BOTH, Ca, Shown, ca, config, params, trusting};
use common::{now, post};
use delivery::{ErrorClass, Protocol, Sender};
use http_body_util::{BodyExt as _, Full};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

async fn listen(root: &Ca) -> (TcpListener, TlsAcceptor, String) {
    let shown = Shown::issued(root, &params(&["a.example"]));
    let acceptor = TlsAcceptor::from(Arc::new(config(&shown, BOTH, &["h2", "http/1.1"])));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://a.example:{}/in",
        listener.local_addr().unwrap().port()
    );
    (listener, acceptor, url)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_requests_to_an_origin_share_one_connection() {
    let root = ca();
    let (listener, acceptor, url) = listen(&root).await;
    let connections = Arc::new(AtomicUsize::new(0));
    let opened = connections.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            opened.fetch_add(1, SeqCst);
            let acceptor = acceptor.clone();
            tokio::spawn(async move {
                let secured = acceptor.accept(stream).await.unwrap();
                let service =
                    service_fn(|request: http::Request<hyper::body::Incoming>| async move {
                        assert_eq!(request.uri().path(), "/in");
                        assert!(request.headers().get("host").is_none());
                        let body = request.into_body().collect().await?.to_bytes();
                        Ok::<_, hyper::Error>(http::Response::new(Full::new(body)))
                    });
                let _ = hyper::server::conn::http2::Builder::new(TokioExecutor::new())
                    .serve_connection(TokioIo::new(secured), service)
                    .await;
            });
        }
    });
    let sender = trusting(&root).build().unwrap();
    let request = post(&url)
        .body("echo")
        .delivery_id("msg_1")
        .build()
        .unwrap();
    let first = sender.send(&request, now()).await;
    assert_eq!(
        (first.outcome, first.protocol),
        (Ok(200), Some(Protocol::Http2))
    );
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..100 {
        let (sender, request) = (sender.clone(), request.clone());
        running.spawn(async move { sender.send(&request, now()).await });
    }
    while let Some(attempt) = running.join_next().await {
        let attempt = attempt.unwrap();
        assert_eq!(
            (attempt.outcome, &attempt.body.bytes[..], attempt.reused),
            (Ok(200), &b"echo"[..], true)
        );
    }
    assert_eq!(connections.load(SeqCst), 1);
}

/// One frame (RFC 9113 §4.1).
fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

const SETTINGS: u8 = 4;
const STATUS_200: &[u8] = &[0x88]; // HPACK: indexed `:status: 200`
const END_HEADERS: u8 = 4;

/// The answer `200` without a body, and the farewell of a receiver that is shut down in order.
fn answer_and_goaway() -> Vec<u8> {
    let mut bytes = frame(1, END_HEADERS | 1, 1, STATUS_200);
    bytes.extend(frame(7, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0]));
    bytes
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_receiver_that_says_goodbye_between_requests_costs_no_attempt() {
    let root = ca();
    let (listener, acceptor, url) = listen(&root).await;
    let connections = Arc::new(AtomicUsize::new(0));
    let opened = connections.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            opened.fetch_add(1, SeqCst);
            let secured = acceptor.accept(stream).await.unwrap();
            tokio::spawn(play(secured, answer_and_goaway(), vec![]));
        }
    });
    let sender = trusting(&root).build().unwrap();
    let request = post(&url).build().unwrap();
    for n in 1..=5 {
        assert_eq!(
            sender.send(&request, now()).await.outcome,
            Ok(200),
            "request {n}"
        );
        assert_eq!(connections.load(SeqCst), n);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn attempts_that_lose_their_connection_open_the_next_one_together() {
    let root = ca();
    let (listener, acceptor, url) = listen(&root).await;
    let connections = Arc::new(AtomicUsize::new(0));
    let opened = connections.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let nth = opened.fetch_add(1, SeqCst);
            let secured = acceptor.accept(stream).await.unwrap();
            if nth == 0 {
                tokio::spawn(play(secured, answer_and_goaway(), vec![]));
            } else {
                let service = service_fn(|_| async {
                    Ok::<_, hyper::Error>(http::Response::new(Full::new(Bytes::new())))
                });
                let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                tokio::spawn(builder.serve_connection(TokioIo::new(secured), service));
            }
        }
    });
    let sender = trusting(&root).build().unwrap();
    let request = post(&url).build().unwrap();
    assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let (sender, request) = (sender.clone(), request.clone());
        running.spawn(async move { sender.send(&request, now()).await.outcome });
    }
    while let Some(outcome) = running.join_next().await {
        assert_eq!(outcome.unwrap(), Ok(200));
    }
    assert_eq!(connections.load(SeqCst), 2);
}

/// What a receiver writes once the request is there: once, and then for ever.
struct Abuse {
    what: &'static str,
    once: Vec<u8>,
    forever: Vec<u8>,
    success: bool,
}

fn abuses() -> Vec<Abuse> {
    let abuse = |what, once: Vec<u8>, forever: Vec<u8>, success| Abuse {
        what,
        once,
        forever,
        success,
    };
    let head = frame(1, END_HEADERS, 1, STATUS_200);
    vec![
        abuse("RST_STREAM", frame(3, 0, 1, &[0, 0, 0, 2]), vec![], false),
        abuse(
            "REFUSED_STREAM",
            frame(3, 0, 1, &[0, 0, 0, 7]),
            vec![],
            false,
        ),
        abuse(
            "GOAWAY below the request",
            frame(7, 0, 0, &[0; 8]),
            vec![],
            false,
        ),
        abuse(
            "empty DATA flood",
            head.clone(),
            frame(0, 0, 1, &[]).repeat(100),
            true,
        ),
        abuse(
            "SETTINGS flood",
            vec![],
            frame(SETTINGS, 0, 0, &[]).repeat(100),
            false,
        ),
        abuse(
            "PING flood",
            vec![],
            frame(6, 0, 0, &[1; 8]).repeat(100),
            false,
        ),
        abuse(
            "CONTINUATION flood",
            frame(1, 0, 1, STATUS_200),
            frame(9, 0, 1, &[0x40, 1, b'a', 1, b'b'].repeat(200)),
            false,
        ),
        abuse(
            "empty CONTINUATION flood",
            frame(1, 0, 1, STATUS_200),
            frame(9, 0, 1, &[]).repeat(100),
            false,
        ),
        abuse("endless DATA", head, frame(0, 0, 1, &[b'x'; 16_000]), true),
        abuse(
            "informational flood",
            vec![],
            frame(1, END_HEADERS, 1, &[0x08, 3, b'1', b'0', b'3']).repeat(50),
            false,
        ),
        abuse(
            "PUSH_PROMISE",
            frame(5, END_HEADERS, 1, &[0, 0, 0, 2, 0x82]),
            vec![],
            false,
        ),
        abuse("DATA before HEADERS", frame(0, 0, 1, b"x"), vec![], false),
        abuse(
            "a frame that is too large",
            vec![0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1],
            vec![],
            false,
        ),
        abuse(
            "HTTP/1.1 instead",
            b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".to_vec(),
            vec![],
            false,
        ),
        abuse(
            "a window of nothing",
            frame(SETTINGS, 0, 0, &[0, 4, 0, 0, 0, 0]),
            vec![],
            false,
        ),
        abuse("silence", vec![], vec![], false),
    ]
}

async fn play(mut stream: TlsStream<TcpStream>, once: Vec<u8>, forever: Vec<u8>) -> Option<u64> {
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).await.ok()?;
    let mut seen = Vec::new();
    let mut chunk = [0; 4096];
    // The preface and a HEADERS frame on stream 1: the request has arrived.
    while !seen
        .windows(9)
        .any(|w| w[3] == 1 && w[5..9] == [0, 0, 0, 1])
    {
        let read = stream.read(&mut chunk).await.ok().filter(|n| *n > 0)?;
        seen.extend_from_slice(&chunk[..read]);
    }
    stream.write_all(&once).await.ok()?;
    stream.flush().await.ok()?;
    let mut written = 0;
    if forever.is_empty() {
        while matches!(stream.read(&mut chunk).await, Ok(1..)) {}
        return Some(0);
    }
    while stream.write_all(&forever).await.is_ok() {
        written += forever.len() as u64;
    }
    Some(written)
}

async fn abused(
    sender: &Sender,
    listener: TcpListener,
    acceptor: TlsAcceptor,
    url: &str,
    abuse: &Abuse,
) -> (delivery::Attempt, usize) {
    let connections = Arc::new(AtomicUsize::new(0));
    let (once, forever, opened) = (
        abuse.once.clone(),
        abuse.forever.clone(),
        connections.clone(),
    );
    let server = tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            opened.fetch_add(1, SeqCst);
            let Ok(secured) = acceptor.accept(stream).await else {
                continue;
            };
            tokio::spawn(play(secured, once.clone(), forever.clone()));
        }
    });
    let request = post(url)
        .timeout(Duration::from_millis(800))
        .body(Bytes::from_static(b"{}"))
        .build()
        .unwrap();
    let attempt = sender.send(&request, now()).await;
    server.abort();
    (attempt, connections.load(SeqCst))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn abuse_ends_within_the_budget_and_costs_one_connection() {
    let root = ca();
    for abuse in abuses() {
        let (listener, acceptor, url) = listen(&root).await;
        let sender = trusting(&root).build().unwrap();
        let (attempt, connections) = abused(&sender, listener, acceptor, &url, &abuse).await;
        assert_eq!(
            attempt.is_success(),
            abuse.success,
            "{}: {:?}",
            abuse.what,
            attempt.outcome
        );
        assert!(
            attempt.duration < Duration::from_millis(1050),
            "{}: {:?}",
            abuse.what,
            attempt.duration
        );
        assert!(attempt.body.bytes.len() <= 16 * 1024);
        assert_eq!(connections, 1, "{}", abuse.what);
        if let Err(class) = attempt.outcome {
            assert!(
                matches!(
                    class,
                    ErrorClass::Protocol
                        | ErrorClass::Reset
                        | ErrorClass::Timeout(_)
                        | ErrorClass::TooLarge
                ),
                "{}: {class:?}",
                abuse.what
            );
        }
    }
}
