//! Receivers that abuse HTTP/2, frame by frame.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use bytes::Bytes;
use delivery::{ErrorClass, Sender};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::support::certs::{ca, trusting};
use crate::support::frames::{END_HEADERS, SETTINGS, STATUS_200, frame, listen, play};
use crate::support::request::{now, post};

/// Shorter than the minute after which an idle connection is dropped in any case.
const LONGEST: Duration = Duration::from_secs(30);

/// The bytes that a receiver writes after the request: once, and then for ever.
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
async fn http2_abuse_ends_in_time_on_one_connection() {
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
            attempt.duration < Duration::from_secs(10),
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http2_receiver_flooding_while_idle_is_disconnected() {
    let floods = [
        ("unknown frames", frame(0xbb, 0, 0, &[0; 16_000])),
        ("windows", frame(8, 0, 0, &[0, 0, 0, 1]).repeat(1_000)),
    ];
    let root = ca();
    for (what, flood) in floods {
        let (listener, acceptor, url) = listen(&root).await;
        let server = Arc::new((listener, acceptor));
        let serve = async |server: &(TcpListener, TlsAcceptor), then: Vec<u8>| {
            let (stream, _) = server.0.accept().await.unwrap();
            let secured = server.1.accept(stream).await.unwrap();
            play(secured, frame(1, END_HEADERS | 1, 1, STATUS_200), then).await
        };
        let sender = trusting(&root).build().unwrap();
        let request = post(&url).build().unwrap();
        let first = server.clone();
        let flooded = tokio::spawn(async move { serve(&first, flood).await });
        assert!(sender.send(&request, now()).await.is_success(), "{what}");
        let flooded = tokio::time::timeout(LONGEST, flooded).await;
        assert!(flooded.is_ok(), "{what}: it is read for ever");
        let second = tokio::spawn(async move { serve(&server, vec![]).await });
        assert!(sender.send(&request, now()).await.is_success(), "{what}");
        second.abort();
    }
}
