//! A receiver that keeps requests byte for byte, over TCP or TLS.

use std::net::SocketAddr;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_rustls::TlsAcceptor;

const OK: &[u8] = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/// One request, byte for byte, and the number of its connection.
pub(crate) struct Arrived {
    pub(crate) connection: usize,
    pub(crate) head: Vec<u8>,
    pub(crate) body: Vec<u8>,
}

impl Arrived {
    /// The lines after the first, without the empty one at the end.
    pub(crate) fn lines(&self) -> Vec<&[u8]> {
        let mut lines: Vec<_> = self.head.split(|b| *b == b'\n').skip(1).collect();
        assert_eq!(lines.split_off(lines.len() - 2), [&b"\r"[..], b""]);
        lines
            .into_iter()
            .map(|line| line.strip_suffix(b"\r").unwrap())
            .collect()
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        let texts = self.lines().into_iter();
        texts
            .map(|line| std::str::from_utf8(line).unwrap())
            .collect()
    }
}

/// The moment at which a receiver responds.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Responds {
    AfterTheBody,
    BeforeTheBody,
}

pub(crate) async fn listen(
    tls: Option<TlsAcceptor>,
) -> (SocketAddr, mpsc::UnboundedReceiver<Arrived>) {
    listen_and(Responds::AfterTheBody, tls).await
}

pub(crate) async fn listen_and(
    when: Responds,
    tls: Option<TlsAcceptor>,
) -> (SocketAddr, mpsc::UnboundedReceiver<Arrived>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let (tell, arrived) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        for connection in 0.. {
            let (stream, _) = listener.accept().await.unwrap();
            let (tls, tell) = (tls.clone(), tell.clone());
            tokio::spawn(async move {
                match tls {
                    Some(tls) => {
                        let secured = tls.accept(stream).await.unwrap();
                        serve(secured, when, connection, tell).await;
                    }
                    None => serve(stream, when, connection, tell).await,
                }
            });
        }
    });
    (addr, arrived)
}

async fn serve(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    when: Responds,
    connection: usize,
    tell: mpsc::UnboundedSender<Arrived>,
) {
    let mut bytes = Vec::new();
    loop {
        let end = loop {
            if let Some(at) = bytes.windows(4).position(|four| four == b"\r\n\r\n") {
                break at + 4;
            }
            if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
                return;
            }
        };
        let mut body = bytes.split_off(end);
        let head = std::mem::take(&mut bytes);
        if when == Responds::BeforeTheBody {
            stream.write_all(OK).await.unwrap();
        }
        while body.len() < announced(&head) {
            if stream.read_buf(&mut body).await.unwrap_or(0) == 0 {
                return; // given up within the body
            }
        }
        bytes = body.split_off(announced(&head));
        let arrived = Arrived {
            connection,
            head,
            body,
        };
        if tell.send(arrived).is_err() {
            return;
        }
        if when == Responds::AfterTheBody && stream.write_all(OK).await.is_err() {
            return;
        }
    }
}

fn announced(head: &[u8]) -> usize {
    let text = String::from_utf8_lossy(head);
    let length = text.split("\r\nContent-Length: ").nth(1);
    length.map_or(0, |rest| {
        rest.split("\r\n").next().unwrap().parse().unwrap()
    })
}
