//! A program with a single test, because it counts the allocations of its process: the cost of one
//! request over an open connection.

#![allow(clippy::unwrap_used)] // a helper that fails is a test that fails

#[path = "support/request.rs"]
mod request;

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::time::Duration;

use delivery::{Request, Sender, SigningKeys};
use request::{local_builder, now, post};

const BODY: &str = r#"{"text":"Webhook"}"#;
/// The most allocations of a request. It takes 21 without optimisation, 20 with it; hyper makes
/// twelve of them, two of which are space for more header lines than its default of 100.
const MOST: u64 = 22;

/// Answers every request of one connection, on its own thread, which is not counted.
fn receiver() -> std::net::SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let addr = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let (mut request, mut piece) = (Vec::new(), [0; 4096]);
        loop {
            match stream.read(&mut piece) {
                Ok(read @ 1..) => request.extend_from_slice(&piece[..read]),
                _ => return,
            }
            if request.ends_with(BODY.as_bytes()) {
                request.clear();
                let response = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
                stream.write_all(response).unwrap();
            }
        }
    });
    addr
}

async fn deliver(sender: &Sender, target: &Request) {
    let request = target.for_delivery("msg_1", BODY).unwrap();
    let attempt = sender.send(&request, now()).await;
    assert!(attempt.is_success(), "{}", attempt.status_info());
}

#[test]
fn signed_request_on_open_connection_allocates_within_limit() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    let sender = local_builder().build().unwrap();
    let keys = SigningKeys::parse(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]).unwrap();
    let target = post(&format!("http://{}/in", receiver()))
        .timeout(Duration::from_secs(60))
        .header("content-type", "application/json")
        .sensitive_header("authorization", "Bearer s3cret")
        .delivery_id("none-yet")
        .signing(keys)
        .build()
        .unwrap();
    // These open the connection, and make the one-time allocations.
    (0..3).for_each(|_| runtime.block_on(deliver(&sender, &target)));
    // The fewest of several: hyper's read buffer is a new one now and then.
    let counted = (0..20).map(|_| {
        allocation_counter::measure(|| runtime.block_on(deliver(&sender, &target))).count_total
    });
    let fewest = counted.min().unwrap();
    assert!(fewest <= MOST, "{fewest}");
}
