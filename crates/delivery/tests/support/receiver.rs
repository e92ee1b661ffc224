//! A receiver that follows a test's script, byte for byte, over real TCP.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;

use delivery::Sender;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;

use super::request::local_builder;
use super::wire::{Seen, read_request};

pub(crate) fn local_sender() -> Sender {
    local_builder().build().unwrap()
}

/// The action of a receiver after its response.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum After {
    /// Closes in order.
    Close,
    /// Keeps the connection open and sends nothing more.
    Hang,
    /// Takes the next request on the same connection.
    Keep,
    /// Resets the connection.
    Reset,
}

/// A receiver on its own port; it counts requests and connections.
pub(crate) struct Receiver {
    pub(crate) addr: SocketAddr,
    pub(crate) requests: Arc<AtomicUsize>,
    pub(crate) connections: Arc<AtomicUsize>,
    seen: mpsc::UnboundedReceiver<Seen>,
}

impl Receiver {
    /// Answers the n-th request with the n-th answer, the last for ever.
    pub(crate) async fn start(answers: Vec<(Vec<u8>, After)>) -> Self {
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

    /// Starts a receiver with one answer for all requests, which keeps the connection.
    pub(crate) async fn fixed(answer: &str) -> Self {
        Self::start(vec![(answer.as_bytes().to_vec(), After::Keep)]).await
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/in?x=1", self.addr)
    }

    pub(crate) fn requests(&self) -> usize {
        self.requests.load(SeqCst)
    }

    pub(crate) fn connections(&self) -> usize {
        self.connections.load(SeqCst)
    }

    /// The next request that arrived.
    pub(crate) async fn next(&mut self) -> Seen {
        self.seen.recv().await.unwrap()
    }
}

/// Plays answers on one connection until it must end.
pub(crate) async fn serve<S: AsyncRead + AsyncWrite + Unpin>(
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

pub(crate) async fn finish(mut stream: TcpStream, after: After) {
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
