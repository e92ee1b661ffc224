//! Headers that are longer than a target accepts over HTTP/2 (RFC 9113 §6.5.2) are not sent.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use bytes::Bytes;
use delivery::{Request, Retryable, Sender};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::task::JoinSet;

use crate::support::certs::{Ca, ca, trusting};
use crate::support::frames::listen;
use crate::support::request::{now, post};

const LIMIT: u32 = 4096;

/// An HTTP/2 receiver that announces the limit. Counts requests and connections.
async fn limited(root: &Ca) -> (String, Arc<[AtomicUsize; 2]>) {
    let (listener, acceptor, url) = listen(root).await;
    let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let counted = counts.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            counted[1].fetch_add(1, SeqCst);
            let secured = acceptor.accept(stream).await.unwrap();
            let counted = counted.clone();
            let service = service_fn(move |request: http::Request<Incoming>| {
                counted[0].fetch_add(1, SeqCst);
                async move {
                    request.into_body().collect().await?;
                    Ok::<_, hyper::Error>(http::Response::new(Empty::<Bytes>::new()))
                }
            });
            let mut builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            builder.max_header_list_size(LIMIT);
            tokio::spawn(builder.serve_connection(TokioIo::new(secured), service));
        }
    });
    (url, counts)
}

/// A request whose header list has this length.
fn sized(url: &str, bytes: usize) -> Request {
    let of = |value: usize| {
        post(url)
            .header("x-long", "x".repeat(value))
            .build()
            .unwrap()
    };
    let host = url.split('/').nth(2).unwrap();
    let fields = [
        (":method", "POST"),
        (":scheme", "https"),
        (":authority", host),
        (":path", "/in"),
        ("user-agent", "gatepost-delivery"),
        ("content-length", "2"),
        ("x-long", ""),
    ];
    let others: usize = fields.iter().map(|(n, v)| n.len() + v.len() + 32).sum();
    of(bytes - others)
}

async fn outcome(sender: &Sender, request: &Request) -> Result<u16, String> {
    let attempt = sender.send(request, now()).await;
    if let Err(class) = &attempt.outcome {
        assert_eq!(
            (class.code(), attempt.retryable()),
            ("build", Retryable::No)
        );
        assert!(attempt.request_head.is_empty());
    }
    attempt.outcome.map_err(|class| class.to_string())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn headers_beyond_targets_limit_are_not_sent() {
    let root = ca();
    let (url, counts) = limited(&root).await;
    let sender = trusting(&root).build().unwrap();
    let words = "the request cannot be built: headers: longer than the 4096 bytes that the target \
                 accepts over HTTP/2 (SETTINGS_MAX_HEADER_LIST_SIZE, RFC 9113 §6.5.2)";
    let (most, beyond) = (sized(&url, 4095), sized(&url, 4097));
    // The same holds for a new connection: the target's limit is known by then.
    for _ in 0..2 {
        assert_eq!(outcome(&sender, &beyond).await, Err(words.to_owned()));
    }
    assert_eq!(counts[0].load(SeqCst), 0);
    // The longest header that is sent: this receiver refuses it itself.
    let refused = sender.send(&sized(&url, 4096), now()).await;
    assert_eq!(refused.status, Some(431));
    let mut running = JoinSet::new();
    for n in 0..20 {
        let request = if n % 2 == 0 {
            most.clone()
        } else {
            beyond.clone()
        };
        let sender = sender.clone();
        running.spawn(async move { (n % 2 == 0, outcome(&sender, &request).await) });
    }
    for (fits, outcome) in running.join_all().await {
        assert_eq!(outcome.is_ok(), fits, "{outcome:?}");
    }
    assert_eq!(counts[0].load(SeqCst), 10);
    assert_eq!(counts[1].load(SeqCst), 1, "no connection was ended by it");
}
