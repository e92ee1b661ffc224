//! An HTTP/2 receiver that writes its frames manually.

use std::sync::Arc;

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use super::certs::{Ca, Shown, config, params};
use super::tls::BOTH;

pub(crate) const SETTINGS: u8 = 4;

pub(crate) const STATUS_200: &[u8] = &[0x88]; // HPACK: indexed `:status: 200`

pub(crate) const END_HEADERS: u8 = 4;

pub(crate) async fn listen(root: &Ca) -> (TcpListener, TlsAcceptor, String) {
    let shown = Shown::issued(root, &params(&["a.example"]));
    let acceptor = TlsAcceptor::from(Arc::new(config(&shown, BOTH, &["h2", "http/1.1"])));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://a.example:{}/in",
        listener.local_addr().unwrap().port()
    );
    (listener, acceptor, url)
}

/// One frame (RFC 9113 §4.1).
pub(crate) fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let mut frame = u32::try_from(payload.len()).unwrap().to_be_bytes()[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// The response `200` without a body, and the farewell of a receiver that is shut down in order.
///
/// Play it on one thread: if another one reads both between the moment at which hyper's dispatcher
/// hands a request over and the one at which it checks whether the connection is open, hyper drops
/// the response.
pub(crate) fn respond_and_goaway() -> Vec<u8> {
    let mut bytes = frame(1, END_HEADERS | 1, 1, STATUS_200);
    bytes.extend(frame(7, 0, 0, &[0, 0, 0, 1, 0, 0, 0, 0]));
    bytes
}

pub(crate) async fn play(
    mut stream: TlsStream<TcpStream>,
    once: Vec<u8>,
    forever: Vec<u8>,
) -> Option<u64> {
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).await.ok()?;
    let mut seen = Vec::new();
    let mut chunk = [0; 4096];
    // The preface and a HEADERS frame on stream 1: the request has arrived.
    while !seen
        .windows(9)
        .any(|w| w[3] == 1 && w[5..9] == [0, 0, 0, 1])
    {
        let read = stream.read(&mut chunk).await.ok().filter(|n| *n > 0)?;
        seen.extend_from_slice(&chunk[..read]);
    }
    stream.write_all(&once).await.ok()?;
    stream.flush().await.ok()?;
    let mut written = 0;
    if forever.is_empty() {
        while matches!(stream.read(&mut chunk).await, Ok(1..)) {}
        return Some(0);
    }
    while stream.write_all(&forever).await.is_ok() {
        written += forever.len() as u64;
    }
    Some(written)
}
