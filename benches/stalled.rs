//! Bytes that a delivery in flight to a stalled receiver holds, against bare hyper connections.
//!
//! Each way is measured in a separate process, as resident memory with 10,000 requests written and
//! unanswered, less that of the process before. Needs 10,100 open files.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a bench stops at the first surprise"
)]

use std::net::SocketAddr;
use std::process::Command;
use std::time::Duration;

use benches::{Receiver, spread};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use delivery::{Request, Sender, SigningKeys, TargetPolicy};
use http_body_util::Full;
use hyper_util::rt::TokioIo;
use tokio::io::AsyncReadExt as _;
use tokio::net::{TcpListener, TcpStream};

const IN_FLIGHT: usize = 10_000;
const ROUNDS: usize = 3;
const BODY: &str =
    r#"{"text":"vm-1 is on","at":1790000000,"filler":"0123456789012345678901234567890123456789"}"#;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let mut args = std::env::args().skip(1);
    match (args.next().as_deref(), args.next()) {
        (Some("--receiver"), _) => runtime.block_on(stall()),
        (Some("--sender"), Some(addr)) => runtime.block_on(senders(addr.parse().unwrap())),
        (Some("--hyper"), Some(addr)) => runtime.block_on(handles(addr.parse().unwrap())),
        _ => compare(),
    }
}

fn compare() {
    let (mut own, mut ratios) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let (ours, bare) = (measured("--sender"), measured("--hyper"));
        println!("{ours:.0} bytes each; bare hyper {bare:.0}");
        own.push(ours);
        ratios.push(ours / bare);
    }
    benches::keep(
        "memory in flight / bare hyper",
        &ratios,
        benches::Better::Less,
    );
    let ((bytes, ..), (ratio, low, high)) = (spread(own), spread(ratios));
    println!(
        "{IN_FLIGHT} in flight to a stalled receiver: {bytes:.0} bytes each, {ratio:.2} x bare hyper ({low:.2} to {high:.2})"
    );
}

/// Returns the bytes for each request, as printed by a process that makes them one way.
fn measured(way: &str) -> f64 {
    let receiver = Receiver::start();
    let own = std::env::current_exe().unwrap();
    let told = Command::new(own)
        .args([way, &receiver.addr.to_string()])
        .output()
        .unwrap();
    let told = String::from_utf8(told.stdout).unwrap();
    told.trim().parse::<f64>().unwrap() / IN_FLIGHT as f64
}

/// Reads and never answers.
async fn stall() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        tokio::spawn(async move {
            let mut sink = [0; 1024];
            while stream.read(&mut sink).await.is_ok_and(|n| n > 0) {}
        });
    }
}

/// Returns the resident memory of this process, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmRSS:")).unwrap();
    let kib: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib * 1024
}

/// Waits until all requests have been written, each over its own connection.
async fn tell_growth(before: usize) {
    let mut open = 0;
    while open < IN_FLIGHT {
        tokio::time::sleep(Duration::from_millis(100)).await;
        open = std::fs::read_dir("/proc/self/fd").unwrap().count();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    println!("{}", resident() - before);
}

async fn senders(addr: SocketAddr) {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let sender = Sender::builder(policy).build().unwrap();
    let keys = SigningKeys::parse(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]).unwrap();
    let now: DateTime<Utc> = "2026-09-21T12:00:00Z".parse().unwrap();
    let url: url::Url = format!("http://{addr}/in").parse().unwrap();
    let before = resident();
    for _ in 0..IN_FLIGHT {
        let (sender, url, keys) = (sender.clone(), url.clone(), keys.clone());
        tokio::spawn(async move {
            let request = Request::builder(url)
                .header("content-type", "application/json")
                .sensitive_header("authorization", "Bearer s3cret")
                .body(BODY)
                .timeout(Duration::from_secs(120))
                .delivery_id("msg_2KWPBgLlAfxdpx2AI54pPJ85f4W")
                .signing(keys)
                .build()
                .unwrap();
            sender.send(&request, now).await
        });
    }
    tell_growth(before).await;
}

async fn handles(addr: SocketAddr) {
    let before = resident();
    for _ in 0..IN_FLIGHT {
        tokio::spawn(async move {
            let stream = TcpStream::connect(addr).await.unwrap();
            let (mut handle, connection) =
                hyper::client::conn::http1::handshake(TokioIo::new(stream))
                    .await
                    .unwrap();
            tokio::spawn(connection);
            let request = hyper::Request::post("/in")
                .header("host", "127.0.0.1")
                .header("content-type", "application/json")
                .body(Full::new(Bytes::from_static(BODY.as_bytes())))
                .unwrap();
            handle.send_request(request).await
        });
    }
    tell_growth(before).await;
}
