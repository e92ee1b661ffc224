//! Targets of the measurements that send, and how their names are resolved.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use delivery::{Resolve, ResolveFuture};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

/// The time at which each message began to arrive, and the number of retries that did.
pub type Arrived = Arc<Mutex<(HashMap<usize, Instant>, usize)>>;

/// A message that `/turning` never answers.
pub const STALL: &str = r#"{"stall":"now"}"#;

/// A resolver that resolves every name to this machine.
#[derive(Clone, Copy, Debug)]
pub struct Here;

impl Resolve for Here {
    fn resolve<'a>(&'a self, _: &'a str) -> ResolveFuture<'a> {
        Box::pin(async { Ok(vec![IpAddr::V4(Ipv4Addr::LOCALHOST)]) })
    }
}

/// Starts a receiver on its own thread; returns its port and the arrivals: `/good` is answered
/// immediately, `/failing` by 500, `/stalled` never, `/turning` immediately except during
/// [`STALL`].
///
/// # Panics
/// If no port can be had.
#[must_use]
pub fn targets() -> (u16, Arrived) {
    let (listener, port) = listen().expect("a port");
    let arrived = Arrived::default();
    let noted = arrived.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a runtime");
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(answer(stream, noted.clone()));
            }
        });
    });
    (port, arrived)
}

fn listen() -> std::io::Result<(std::net::TcpListener, u16)> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0")?;
    listener.set_nonblocking(true)?;
    let port = listener.local_addr()?.port();
    Ok((listener, port))
}

/// One request is under way on a connection, and it fits: each read is one.
async fn answer(mut stream: TcpStream, arrived: Arrived) {
    let mut buffer = [0; 8192];
    while let Ok(length @ 1..) = stream.read(&mut buffer).await {
        let at = Instant::now();
        let request = String::from_utf8_lossy(&buffer[..length]);
        let turns = request.starts_with("POST /turning") && request.ends_with(STALL);
        if turns || request.starts_with("POST /stalled") {
            continue;
        }
        let number = request.rsplit_once(r#"{"n":""#);
        let number = number.and_then(|(_, rest)| rest.trim_end_matches(r#""}"#).parse().ok());
        if let Some(number) = number {
            arrived
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .0
                .entry(number)
                .or_insert(at);
        }
        let failing = request.starts_with("POST /failing");
        arrived.lock().unwrap_or_else(PoisonError::into_inner).1 += usize::from(failing);
        let status = if failing { 500 } else { 200 };
        let answer = format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\n\r\n");
        drop(stream.write_all(answer.as_bytes()).await);
    }
}
