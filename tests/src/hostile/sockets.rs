//! Connections that send nothing, send little, or read nothing. Each of the attacker's counts for
//! many.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use tokio::time::sleep;

/// The number of concurrent sockets for each of the attacker's connections of these kinds.
const SOCKETS: usize = 100;
const PAUSE: Duration = Duration::from_millis(100);
const TRICKLE: Duration = Duration::from_secs(1);

async fn connect(server: SocketAddr) -> io::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.bind((Ipv4Addr::new(127, 0, 2, 1), 0).into())?;
    socket.connect(server).await
}

/// Keeps as many sockets open at all times as possible.
async fn many<F>(server: SocketAddr, keep: impl Fn(TcpStream) -> F)
where
    F: Future<Output = io::Result<()>> + Send + 'static,
{
    let mut open = JoinSet::new();
    loop {
        while open.len() < SOCKETS {
            match connect(server).await {
                Ok(stream) => drop(open.spawn(keep(stream))),
                Err(_) => break,
            }
        }
        let _ = open.join_next().await;
        sleep(PAUSE).await;
    }
}

pub(super) async fn idle(server: SocketAddr) {
    many(server, async |mut stream: TcpStream| {
        stream.read_u8().await.map(drop)
    })
    .await;
}

pub(super) async fn slow_heads(server: SocketAddr) {
    many(server, |stream| {
        trickle(stream, "GET / HTTP/1.1\r\nhost: here\r\nx: ".to_owned())
    })
    .await;
}

pub(super) async fn slow_bodies(server: SocketAddr, key: &str) {
    let head = format!(
        "POST /api/v4/tasks HTTP/1.1\r\nhost: here\r\nauthorization: Bearer {key}\r\ncontent-length: 900000\r\n\r\n"
    );
    many(server, |stream| trickle(stream, head.clone())).await;
}

async fn trickle(mut stream: TcpStream, begin: String) -> io::Result<()> {
    stream.write_all(begin.as_bytes()).await?;
    loop {
        sleep(TRICKLE).await;
        stream.write_all(b" ").await?;
    }
}

/// Requests a large response, and does not read it.
pub(super) async fn unread(server: SocketAddr, key: &str) {
    let request = format!(
        "GET /api/v4/webhooks?fields=message&limit=100 HTTP/1.1\r\nhost: here\r\nauthorization: Bearer {key}\r\n\r\n"
    );
    many(server, |mut stream| {
        let request = request.clone();
        async move {
            stream.write_all(request.as_bytes()).await?;
            // Until the platform closes the connection.
            let mut gone = JoinSet::new();
            gone.spawn(async move {
                sleep(TRICKLE * 40).await;
                stream.shutdown().await
            });
            let _ = gone.join_next().await;
            Ok(())
        }
    })
    .await;
}
