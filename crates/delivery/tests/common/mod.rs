//! A receiver that plays what a test tells it to, byte for byte, over real TCP.

#![allow(dead_code, unreachable_pub)] // each test uses its own part
#![allow(clippy::unwrap_used, clippy::expect_used)] // a helper that fails is a test that fails

pub mod frames;
pub mod spellings;
pub mod tls;

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use chrono::{DateTime, Utc};
use delivery::{Request, RequestBuilder, Sender, SenderBuilder, TargetPolicy};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

pub fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

/// A policy that opens this machine, as every test with a receiver needs it.
pub fn local_policy() -> TargetPolicy {
    TargetPolicy::public()
        .allow("127.0.0.0/8".parse().unwrap())
        .allow("::1/128".parse().unwrap())
}

pub fn local_builder() -> SenderBuilder {
    Sender::builder(local_policy())
}

pub fn local_sender() -> Sender {
    local_builder().build().unwrap()
}

pub fn post(url: &str) -> RequestBuilder {
    Request::builder(url.parse().unwrap())
        .body("{}")
        .timeout(Duration::from_secs(5))
}

/// What a receiver does after its answer.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum After {
    /// Closes in order.
    Close,
    /// Keeps the connection open and says nothing more.
    Hang,
    /// Takes the next request on the same connection.
    Keep,
    /// Resets the connection.
    Reset,
}

/// One request as it arrived: head and body.
#[derive(Clone, Debug)]
pub struct Seen {
    pub head: String,
    pub body: Vec<u8>,
}

impl Seen {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }
}

/// A receiver on a port of its own; it counts requests and connections.
pub struct Receiver {
    pub addr: SocketAddr,
    pub requests: Arc<AtomicUsize>,
    pub connections: Arc<AtomicUsize>,
    seen: mpsc::UnboundedReceiver<Seen>,
}

impl Receiver {
    /// Answers the n-th request with the n-th answer, the last for ever.
    pub async fn start(answers: Vec<(Vec<u8>, After)>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let (requests, connections) =
            (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (tell, seen) = mpsc::unbounded_channel();
        let (counted, opened, answers) = (requests.clone(), connections.clone(), Arc::new(answers));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                opened.fetch_add(1, SeqCst);
                let (counted, answers, tell) = (counted.clone(), answers.clone(), tell.clone());
                tokio::spawn(async move {
                    let mut stream = stream;
                    let after = serve(&mut stream, &answers, &counted, &tell).await;
                    finish(stream, after).await;
                });
            }
        });
        Self {
            addr,
            requests,
            connections,
            seen,
        }
    }

    /// Always the same answer, with the connection kept.
    pub async fn fixed(answer: &str) -> Self {
        Self::start(vec![(answer.as_bytes().to_vec(), After::Keep)]).await
    }

    pub fn url(&self) -> String {
        format!("http://{}/in?x=1", self.addr)
    }

    pub fn requests(&self) -> usize {
        self.requests.load(SeqCst)
    }

    pub fn connections(&self) -> usize {
        self.connections.load(SeqCst)
    }

    /// The next request that arrived.
    pub async fn next(&mut self) -> Seen {
        self.seen.recv().await.unwrap()
    }
}

/// Plays answers on one connection until it is to end.
pub async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
    stream: &mut S,
    answers: &[(Vec<u8>, After)],
    counted: &AtomicUsize,
    tell: &mpsc::UnboundedSender<Seen>,
) -> After {
    while let Some(seen) = read_request(stream).await {
        let index = counted.fetch_add(1, SeqCst);
        let _ = tell.send(seen);
        let (answer, after) = answers
            .get(index)
            .unwrap_or_else(|| answers.last().unwrap());
        if stream.write_all(answer).await.is_err() || stream.flush().await.is_err() {
            return After::Close;
        }
        if *after != After::Keep {
            return *after;
        }
    }
    After::Close
}

pub async fn finish(mut stream: TcpStream, after: After) {
    match after {
        After::Reset => {
            let _ = stream.set_zero_linger();
        }
        After::Hang => {
            // Until the other side gives up.
            let mut sink = [0; 1024];
            while matches!(stream.read(&mut sink).await, Ok(1..)) {}
        }
        After::Close | After::Keep => {
            let _ = stream.shutdown().await;
            let mut sink = [0; 1024];
            while matches!(stream.read(&mut sink).await, Ok(1..)) {}
        }
    }
}

pub async fn read_request<S: AsyncRead + Unpin>(stream: &mut S) -> Option<Seen> {
    let mut bytes = Vec::new();
    let mut chunk = [0; 4096];
    let end = loop {
        if let Some(at) = bytes.windows(4).position(|w| w == b"\r\n\r\n") {
            break at + 4;
        }
        match stream.read(&mut chunk).await {
            Ok(n) if n > 0 => bytes.extend_from_slice(&chunk[..n]),
            _ => return None,
        }
    };
    let head = String::from_utf8(bytes[..end].to_vec()).unwrap();
    let mut seen = Seen {
        head,
        body: bytes[end..].to_vec(),
    };
    let length: usize = seen
        .header("content-length")
        .map_or(0, |v| v.parse().unwrap());
    while seen.body.len() < length {
        match stream.read(&mut chunk).await {
            Ok(n) if n > 0 => seen.body.extend_from_slice(&chunk[..n]),
            _ => return None,
        }
    }
    Some(seen)
}
