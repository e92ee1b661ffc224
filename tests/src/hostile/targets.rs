//! Targets that the nine share with the attacker: one speaks HTTP/2, one HTTP/1.1, and both treat
//! the attacker's requests in the ways in which servers hurt others on the same connection.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::body::{Body, to_bytes};
use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::mutual_tls::Authority;

/// The header with the attacker's credentials.
pub(super) const TOKEN: &str = "x-token";
/// A header at least as long ends its connection, as with a stock nginx.
const LONG: usize = 8_192;
/// The window of RFC 9113 §6.9.2, for a connection as for a stream: an unread message takes all of
/// it.
const WINDOW: u32 = 65_535;
/// The largest part of a request that a response repeats.
const REPEATED: usize = 16 * 1024;
const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

/// Starts the one that speaks HTTP/2.
pub(super) async fn http2(counted: Arc<AtomicUsize>) -> SocketAddr {
    let acceptor = TlsAcceptor::from(Arc::new(Authority::new().server(false, "h2")));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, counted) = (acceptor.clone(), counted.clone());
            tokio::spawn(async move {
                if let Ok(secured) = acceptor.accept(stream).await {
                    streams(secured, counted).await;
                }
            });
        }
    });
    address
}

/// Serves a connection until it ends or has a long header.
async fn streams(secured: TlsStream<TcpStream>, counted: Arc<AtomicUsize>) {
    let end = Arc::new(Notify::new());
    let ending = end.clone();
    let service = service_fn(move |request: Request<Incoming>| {
        let (ending, counted) = (ending.clone(), counted.clone());
        async move { respond(request, &ending, &counted).await }
    });
    let connection = http2::Builder::new(TokioExecutor::new())
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .serve_connection(TokioIo::new(secured), service);
    tokio::select! {
        _ = connection => {}
        () = end.notified() => {}
    }
}

async fn respond(
    request: Request<Incoming>,
    ending: &Notify,
    counted: &AtomicUsize,
) -> Result<Response<Body>, Infallible> {
    if request.headers().values().any(|value| value.len() >= LONG) {
        ending.notify_one();
    }
    let mut response = Response::new(Body::empty());
    match request.uri().path() {
        "/counted" => {
            let body = Body::new(request.into_body());
            if to_bytes(body, usize::MAX).await.is_ok() {
                counted.fetch_add(1, Ordering::SeqCst);
            }
        }
        "/unread" => std::future::pending().await,
        _ => repeat(&request, &mut response),
    }
    Ok(response)
}

/// Repeats the credentials of a request, in headers and as often as fits into the body.
fn repeat(request: &Request<Incoming>, response: &mut Response<Body>) {
    let tokens = request.headers().get_all(TOKEN);
    let mut body = Vec::new();
    for value in tokens {
        response.headers_mut().append(TOKEN, value.clone());
        body.extend_from_slice(value.as_bytes());
    }
    if !body.is_empty() {
        *response.body_mut() = body.repeat(REPEATED / body.len()).into();
    }
}

/// Starts the one that speaks HTTP/1.1.
pub(super) async fn http1(counted: Arc<AtomicUsize>) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let counted = counted.clone();
            tokio::spawn(async move { requests(stream, &counted).await });
        }
    });
    address
}

/// Serves a connection. A request to `/early` gets its response before its body is read; the
/// following bytes are taken for the next request, whose head ends with the next empty line.
async fn requests(mut stream: TcpStream, counted: &AtomicUsize) -> Option<()> {
    let mut read = Vec::new();
    loop {
        let end = loop {
            match read.windows(4).position(|four| four == b"\r\n\r\n") {
                Some(at) => break at + 4,
                None => more(&mut stream, &mut read).await?,
            }
        };
        let head = String::from_utf8_lossy(&read[..end]).to_lowercase();
        read.drain(..end);
        if !head.starts_with("post /early ") {
            let length = head.split("content-length:").nth(1)?.lines().next()?;
            let length = length.trim().parse().ok()?;
            while read.len() < length {
                more(&mut stream, &mut read).await?;
            }
            read.drain(..length);
        }
        if head.starts_with("post /counted ") {
            counted.fetch_add(1, Ordering::SeqCst);
        }
        stream.write_all(OK).await.ok()?;
    }
}

/// Reads more bytes; none at the end.
async fn more(stream: &mut TcpStream, read: &mut Vec<u8>) -> Option<()> {
    let bytes = stream.read_buf(read).await.ok()?;
    (bytes > 0).then_some(())
}
