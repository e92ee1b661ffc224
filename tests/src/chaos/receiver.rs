//! A receiver that counts. It refuses, delays and resets some requests, by the number in the
//! message; on demand it hangs.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use super::now;

/// A request that arrived whole.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The `webhook-id`.
    pub id: String,
    /// The body.
    pub body: String,
    /// The time of its arrival.
    pub at: DateTime<Utc>,
    /// The status of the response; `None` if the connection was reset instead.
    pub answered: Option<u16>,
    /// Whether its connection had served another request and was reset before any byte of a
    /// response: the sender sends it once more, in the same attempt.
    pub repeated: bool,
    /// Its `authorization` header.
    pub authorization: String,
}

#[derive(Debug, Default)]
struct Inner {
    seen: Mutex<Vec<Seen>>,
    ids: Mutex<HashSet<String>>,
    open: AtomicUsize,
    most: AtomicUsize,
    hangs: watch::Sender<bool>,
}

/// The receiver; it ends with the runtime.
#[derive(Clone, Debug)]
pub struct Counting {
    inner: Arc<Inner>,
    /// The address at which it listens.
    pub addr: SocketAddr,
}

impl Counting {
    /// Starts it on a free port of 127.0.0.1.
    ///
    /// # Panics
    /// If there is none.
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let addr = listener.local_addr().unwrap();
        let inner = Arc::new(Inner::default());
        let accepting = inner.clone();
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let inner = accepting.clone();
                // A sender that dies in the middle of a request is expected in these runs.
                tokio::spawn(async move { drop(serve(&inner, stream).await) });
            }
        });
        Self { inner, addr }
    }

    /// Returns all requests that arrived so far.
    pub fn seen(&self) -> Vec<Seen> {
        self.inner.seen.lock().unwrap().clone()
    }

    /// Returns the newest request that fulfils the condition.
    pub fn last(&self, so: impl Fn(&Seen) -> bool) -> Option<Seen> {
        let seen = self.inner.seen.lock().unwrap();
        seen.iter().rev().find(|seen| so(seen)).cloned()
    }

    /// Sets whether requests are read whole and then wait for their responses.
    pub fn hang(&self, hangs: bool) {
        self.inner.hangs.send_replace(hangs);
    }

    /// Returns the largest number of concurrent requests.
    pub fn most_at_once(&self) -> usize {
        self.inner.most.load(Ordering::SeqCst)
    }
}

async fn serve(inner: &Inner, stream: TcpStream) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut is_reused = false;
    loop {
        let (mut id, mut length, mut line) = (String::new(), 0, String::new());
        let mut authorization = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        loop {
            line.clear();
            stream.read_line(&mut line).await?;
            let Some((name, value)) = line.trim().split_once(": ") else {
                break;
            };
            match name.to_ascii_lowercase().as_str() {
                "webhook-id" => value.clone_into(&mut id),
                "authorization" => value.clone_into(&mut authorization),
                "content-length" => length = value.parse().unwrap_or(0),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let open = inner.open.fetch_add(1, Ordering::SeqCst) + 1;
        inner.most.fetch_max(open, Ordering::SeqCst);
        let body = String::from_utf8_lossy(&body).into_owned();
        let answered = answer(inner, id, body, authorization, is_reused).await;
        is_reused = true;
        inner.open.fetch_sub(1, Ordering::SeqCst);
        let Some(status) = answered else {
            return Ok(());
        };
        let head = format!("HTTP/1.1 {status} x\r\ncontent-length: 2\r\n\r\nok");
        stream.get_mut().write_all(head.as_bytes()).await?;
    }
}

/// Records the request and decides on the response: the first request of some messages is refused
/// or reset, that of others delayed.
async fn answer(
    inner: &Inner,
    id: String,
    body: String,
    authorization: String,
    is_reused: bool,
) -> Option<u16> {
    let first = inner.ids.lock().unwrap().insert(id.clone());
    let number: u64 = body.bytes().filter(u8::is_ascii_digit).fold(0, |n, digit| {
        n.wrapping_mul(10).wrapping_add(u64::from(digit - b'0'))
    });
    let answered = match number {
        n if first && n % 7 == 3 => Some(500),
        n if first && n % 11 == 5 => None,
        _ => Some(200),
    };
    inner.seen.lock().unwrap().push(Seen {
        id,
        body,
        at: now(),
        answered,
        repeated: is_reused && answered.is_none(),
        authorization,
    });
    if number % 13 == 6 {
        tokio::time::sleep(Duration::from_millis(40)).await;
    }
    let mut hangs = inner.hangs.subscribe();
    let _ = hangs.wait_for(|hangs| !hangs).await;
    answered
}
