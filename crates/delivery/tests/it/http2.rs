//! HTTP/2: one connection for all attempts on an origin.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use bytes::Bytes;
use delivery::Protocol;
use http_body_util::{BodyExt as _, Full};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use crate::support::certs::{Ca, ca, trusting};
use crate::support::frames::{listen, play, respond_and_goaway};
use crate::support::request::{now, post};

/// Serves each connection, with its number; returns the count of them, and the URL.
async fn serve(
    root: &Ca,
    each: impl Fn(usize, TlsStream<TcpStream>) + Send + Sync + 'static,
) -> (Arc<AtomicUsize>, String) {
    let (listener, acceptor, url) = listen(root).await;
    let connections = Arc::new(AtomicUsize::new(0));
    let opened = connections.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let nth = opened.fetch_add(1, SeqCst);
            each(nth, acceptor.accept(stream).await.unwrap());
        }
    });
    (connections, url)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_requests_to_an_origin_share_one_connection() {
    let root = ca();
    let (connections, url) = serve(&root, |_, secured| {
        let service = service_fn(|request: http::Request<hyper::body::Incoming>| async move {
            assert_eq!(request.uri().path(), "/in");
            assert!(request.headers().get("host").is_none());
            let body = request.into_body().collect().await?.to_bytes();
            Ok::<_, hyper::Error>(http::Response::new(Full::new(body)))
        });
        let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
        tokio::spawn(builder.serve_connection(TokioIo::new(secured), service));
    })
    .await;
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

#[tokio::test]
async fn http2_goaway_between_requests_costs_no_attempt() {
    let root = ca();
    let (connections, url) = serve(&root, |_, secured| {
        tokio::spawn(play(secured, respond_and_goaway(), vec![]));
    })
    .await;
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

#[tokio::test]
async fn attempts_losing_connection_share_the_next_one() {
    let root = ca();
    let (connections, url) = serve(&root, |nth, secured| {
        if nth == 0 {
            tokio::spawn(play(secured, respond_and_goaway(), vec![]));
        } else {
            let service = service_fn(|_| async {
                Ok::<_, hyper::Error>(http::Response::new(Full::new(Bytes::new())))
            });
            let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            tokio::spawn(builder.serve_connection(TokioIo::new(secured), service));
        }
    })
    .await;
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
