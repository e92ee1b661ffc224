//! The server of the examples against clients that are slow, silent or many, over real sockets and
//! with short limits.

mod http2;
mod many;
mod slow;

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use axum::Router;
use examples::serve::{ServeLimits, serve_within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::time::timeout;

/// A time limit that never ends in a test.
const NEVER: Duration = Duration::from_secs(3600);
const SHORT: Duration = Duration::from_millis(200);
/// A time within which everything happens, on a busy machine too.
const SOON: Duration = Duration::from_secs(30);

/// Returns limits without a time limit and with enough connections.
fn patient() -> ServeLimits {
    ServeLimits {
        handshake: NEVER,
        header: NEVER,
        body: NEVER,
        idle: NEVER,
        ..ServeLimits::default()
    }
}

/// Serves until the test ends.
async fn served(limits: ServeLimits, router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let forever = std::future::pending();
    tokio::spawn(serve_within(limits, listener, None, router, forever));
    addr
}

/// Connects from 127.0.0.`from`.
async fn connect(server: SocketAddr, from: u8) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    let own = Ipv4Addr::new(127, 0, 0, from);
    socket.bind((own, 0).into()).unwrap();
    socket.connect(server).await.unwrap()
}

/// Sends a request without a body.
async fn ask(stream: &mut TcpStream, path: &str) {
    let request = format!("GET {path} HTTP/1.1\r\nhost: here\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
}

/// Reads a response that ends in `end`; an empty text if the connection was closed.
async fn hear(stream: &mut TcpStream, end: &str) -> String {
    let mut heard = Vec::new();
    let read = async {
        while !heard.ends_with(end.as_bytes()) {
            match stream.read_buf(&mut heard).await {
                Ok(1..) => {}
                _ => return,
            }
        }
    };
    timeout(SOON, read).await.unwrap();
    String::from_utf8(heard).unwrap()
}

/// Waits until the server has closed the connection.
async fn closed(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    let end = timeout(SOON, stream.read_to_end(&mut rest)).await;
    // A reset counts as an end as well.
    let _ = end.unwrap();
}
