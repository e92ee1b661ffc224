//! Slow clients.

use std::sync::Arc;

use axum::Router;
use axum::body::{Body, Bytes};
use axum::routing::{get, post};
use examples::certificate::self_signed;
use examples::serve::{ServeLimits, serve_within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::sync::Notify;
use tokio::time::{interval, timeout};

use super::{SHORT, SOON, ask, closed, connect, hear, patient, served};

const LARGE: usize = 32 * 1024 * 1024;

fn hello() -> Router {
    Router::new()
        .route("/", get(async || "hello"))
        .route("/", post(async |body: Bytes| body.len().to_string()))
}

#[tokio::test]
async fn silent_connection_is_closed() {
    let limits = ServeLimits {
        header: SHORT,
        ..patient()
    };
    let server = served(limits, hello()).await;
    closed(&mut connect(server, 1).await).await;
}

#[tokio::test]
async fn a_head_that_trickles_in_is_closed() {
    let limits = ServeLimits {
        header: SHORT,
        ..patient()
    };
    let server = served(limits, hello()).await;
    for first in [false, true] {
        let mut stream = connect(server, 1).await;
        if first {
            ask(&mut stream, "/").await;
            assert!(hear(&mut stream, "hello").await.ends_with("hello"));
        }
        let (mut read, mut write) = stream.into_split();
        let trickle = async {
            let mut tick = interval(SHORT / 10);
            write.write_all(b"GET / HTTP/1.1\r\nx: ").await.unwrap();
            while write.write_all(b"x").await.is_ok() {
                tick.tick().await;
            }
        };
        let mut rest = Vec::new();
        let end = read.read_to_end(&mut rest);
        let both = async { tokio::join!(trickle, end) };
        timeout(SOON, both)
            .await
            .expect("the end of the connection")
            .1
            .ok();
    }
}

/// The time limit for a head does not run between requests: a browser keeps its connection.
#[tokio::test]
async fn idle_connection_outlasts_the_header_timeout() {
    let limits = ServeLimits {
        header: SHORT,
        ..patient()
    };
    let server = served(limits, hello()).await;
    let mut idle = connect(server, 1).await;
    ask(&mut idle, "/").await;
    assert!(hear(&mut idle, "hello").await.ends_with("hello"));
    // The time of a later connection with a slow head runs out in between.
    closed(&mut connect(server, 1).await).await;
    ask(&mut idle, "/").await;
    assert!(hear(&mut idle, "hello").await.ends_with("hello"));
}

#[tokio::test]
async fn an_idle_connection_is_closed_in_the_end() {
    let limits = ServeLimits {
        idle: SHORT,
        ..patient()
    };
    let server = served(limits, hello()).await;
    let mut idle = connect(server, 1).await;
    ask(&mut idle, "/").await;
    assert!(hear(&mut idle, "hello").await.ends_with("hello"));
    closed(&mut idle).await;
}

/// The same for a body that trickles in, a byte at a time.
#[tokio::test]
async fn late_body_is_answered_with_408() {
    let limits = ServeLimits {
        body: SHORT,
        ..patient()
    };
    let server = served(limits, hello()).await;
    for trickles in [false, true] {
        let stream = connect(server, 1).await;
        let (mut read, mut write) = stream.into_split();
        let head = b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 100000\r\n\r\n";
        write.write_all(head).await.unwrap();
        let trickle = async {
            let mut tick = interval(SHORT / 10);
            while trickles && write.write_all(b"x").await.is_ok() {
                tick.tick().await;
            }
            std::future::pending::<()>().await;
        };
        let mut answer = Vec::new();
        let all = async {
            while !answer.ends_with(b"in time\"}") {
                read.read_buf(&mut answer).await.unwrap();
            }
        };
        let first = async {
            tokio::select! {
                () = all => {}
                () = trickle => unreachable!(),
            }
        };
        timeout(SOON, first).await.expect("a response");
        let answer = String::from_utf8(answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
        assert!(
            answer.to_lowercase().contains("connection: close"),
            "{answer}"
        );
    }
}

#[tokio::test]
async fn a_body_that_arrives_in_time_is_read() {
    let server = served(ServeLimits::default(), hello()).await;
    let mut stream = connect(server, 1).await;
    let mut request = b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 100000\r\n\r\n".to_vec();
    request.resize(request.len() + 100_000, b'x');
    stream.write_all(&request).await.unwrap();
    assert!(
        hear(&mut stream, "100000")
            .await
            .ends_with("\r\n\r\n100000")
    );
}

/// A response is dropped if its client does not read it.
#[tokio::test]
async fn a_response_that_nobody_reads_is_dropped() {
    let limits = ServeLimits {
        idle: SHORT,
        ..patient()
    };
    let (router, dropped) = large();
    let server = served(limits, router).await;
    let mut stream = connect(server, 1).await;
    ask(&mut stream, "/").await;
    timeout(SOON, dropped.notified()).await.expect("an end");
    closed(&mut stream).await;
}

/// A slow reader still reads: its response is complete.
#[tokio::test]
async fn a_response_that_is_read_arrives_whole() {
    let limits = ServeLimits {
        idle: SOON,
        ..patient()
    };
    let server = served(limits, large().0).await;
    let mut stream = connect(server, 1).await;
    let request = "GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n";
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut all = Vec::new();
    let read = stream.read_to_end(&mut all);
    timeout(SOON, read).await.unwrap().unwrap();
    let head = all.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    assert!(String::from_utf8_lossy(&all[..head]).contains(&format!("content-length: {LARGE}")));
    assert_eq!(all.len() - head - 4, LARGE);
}

/// Returns a router with a large response, and a notification of its drop.
pub(super) fn large() -> (Router, Arc<Notify>) {
    let dropped = Arc::new(Notify::new());
    let say = dropped.clone();
    let router = Router::new().route(
        "/",
        get(move || {
            let much = Much(vec![b'x'; LARGE], say.clone());
            async move { Body::from(Bytes::from_owner(much)) }
        }),
    );
    (router, dropped)
}

struct Much(Vec<u8>, Arc<Notify>);

impl AsRef<[u8]> for Much {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Much {
    fn drop(&mut self) {
        self.1.notify_one();
    }
}

#[tokio::test]
async fn a_handshake_that_is_not_done_is_closed() {
    let limits = ServeLimits {
        handshake: SHORT,
        ..patient()
    };
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = listener.local_addr().unwrap();
    let tls = Some(self_signed().unwrap().server);
    tokio::spawn(serve_within(
        limits,
        listener,
        tls,
        hello(),
        std::future::pending(),
    ));
    closed(&mut connect(server, 1).await).await;
}

/// README and SECURITY.md state them.
#[test]
fn defaults_are_those_that_are_documented() {
    let limits = ServeLimits::default();
    let times = [limits.header, limits.body, limits.idle, limits.handshake];
    assert_eq!(times.map(|time| time.as_secs()), [10, 30, 75, 10]);
}
