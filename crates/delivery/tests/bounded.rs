//! A program with a single test, because it reads the peak memory of its process: responses without
//! end. Memory stays flat however much a receiver sends.

#![allow(clippy::unwrap_used)] // a helper that fails is a test that fails

#[path = "support/request.rs"]
mod request;
#[path = "support/wire.rs"]
mod wire;

use std::time::Duration;

use delivery::ErrorClass;
use request::{local_builder, now, post};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use wire::read_request;

const PARALLEL: usize = 50;
/// A budget that is never used up: each response is cut for its content, however busy the machine.
const BUDGET: Duration = Duration::from_secs(20);
const MIB: usize = 1024 * 1024;

/// Returns the peak resident memory of this process, in bytes (Linux).
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status
        .lines()
        .find(|line| line.starts_with("VmHWM:"))
        .unwrap();
    line.split_whitespace()
        .nth(1)
        .unwrap()
        .parse::<usize>()
        .unwrap()
        * 1024
}

/// Answers each request with a beginning and then with the same bytes until nobody reads.
async fn start(first: &'static [u8], forever: &'static [u8]) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                read_request(&mut stream).await;
                let _ = stream.write_all(first).await;
                while stream.write_all(forever).await.is_ok() {}
            });
        }
    });
    url
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_endless_responses_cost_under_one_mebibyte_each() {
    let chunk: &'static [u8] = &[b'x'; 64 * 1024];
    let cases: [(&str, &[u8], &[u8]); 6] = [
        ("body", b"HTTP/1.1 200 OK\r\n\r\n", chunk),
        (
            "chunks",
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n",
            b"4000\r\n",
        ),
        (
            "interim responses",
            b"",
            b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n",
        ),
        ("headers", b"HTTP/1.1 200 OK\r\n", b"x-a: b\r\n"),
        ("one header", b"HTTP/1.1 200 OK\r\nx-a: ", chunk),
        ("reason phrase", b"HTTP/1.1 200 ", chunk),
    ];
    for (what, first, forever) in cases {
        let url = start(first, forever).await;
        let sender = local_builder().build().unwrap();
        let before = peak();
        let mut running = JoinSet::new();
        for _ in 0..PARALLEL {
            let (sender, request) = (sender.clone(), post(&url).timeout(BUDGET).build().unwrap());
            running.spawn(async move { sender.send(&request, now()).await });
        }
        while let Some(ended) = running.join_next().await {
            let attempt = ended.unwrap();
            let fits = match (what, &attempt.outcome) {
                ("body" | "chunks", Ok(200)) => {
                    attempt.body.truncated && attempt.body.bytes.len() <= 16 * 1024
                }
                (_, Err(class)) => matches!(class, ErrorClass::TooLarge | ErrorClass::Protocol),
                _ => false,
            };
            assert!(fits, "{what}: {:?}", attempt.outcome);
        }
        let grown = peak().saturating_sub(before);
        assert!(
            grown < PARALLEL * MIB,
            "{what}: {} KiB a delivery",
            grown / PARALLEL / 1024
        );
    }
}
