//! All servers in the namespace, and a record of the connections to them.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::wire::read_request;

/// The public addresses at which the two proxies stand.
pub(crate) const HTTP_PROXY: &str = "8.8.4.4:3128";
pub(crate) const SOCKS_PROXY: &str = "8.8.4.4:1080";

/// The number of connections to each address on port 80 or 443.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hits(Arc<Mutex<HashMap<IpAddr, usize>>>);

impl Hits {
    /// Takes the record and begins a new one.
    pub(crate) fn take(&self) -> HashMap<IpAddr, usize> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

/// Starts every address on earth as a target, and two proxies.
pub(crate) async fn world() -> Hits {
    let hits = Hits::default();
    for port in [80, 443] {
        // Takes IPv4 too: [::] is both by default.
        let listener = TcpListener::bind(("::", port)).await.unwrap();
        tokio::spawn(targets(listener, hits.clone()));
    }
    tokio::spawn(http_proxy(TcpListener::bind(HTTP_PROXY).await.unwrap()));
    tokio::spawn(socks_proxy(TcpListener::bind(SOCKS_PROXY).await.unwrap()));
    hits
}

/// Redirects a request for `/to/<url>` to that URL, and answers `204` to all others.
async fn targets(listener: TcpListener, hits: Hits) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        let meant = stream.local_addr().unwrap().ip().to_canonical();
        *hits.0.lock().unwrap().entry(meant).or_default() += 1;
        tokio::spawn(async move {
            let seen = read_request(&mut stream).await?;
            let path = seen.head.split(' ').nth(1)?;
            let answer = match path.strip_prefix("/to/") {
                Some(url) => format!("307 Go\r\nlocation: {url}"),
                None => "204 Here".to_owned(),
            };
            let answer =
                format!("HTTP/1.1 {answer}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(answer.as_bytes()).await.ok()
        });
    }
}

/// Connects to any requested target: a connection to a refused address through it counts.
async fn http_proxy(listener: TcpListener) {
    loop {
        let (mut stream, _) = listener.accept().await.unwrap();
        tokio::spawn(async move {
            let head = read_request(&mut stream).await?.head;
            let mut onward = TcpStream::connect(head.split(' ').nth(1)?).await.ok()?;
            stream.write_all(b"HTTP/1.1 200 Go\r\n\r\n").await.ok()?;
            copy_bidirectional(&mut stream, &mut onward).await.ok()
        });
    }
}

/// The same by SOCKS5 (RFC 1928), for addresses of both families and for names.
async fn socks_proxy(listener: TcpListener) {
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        tokio::spawn(socks(stream));
    }
}

async fn socks(mut stream: TcpStream) -> Option<()> {
    let mut head = [0; 2];
    stream.read_exact(&mut head).await.ok()?;
    let mut methods = vec![0; head[1].into()];
    stream.read_exact(&mut methods).await.ok()?;
    stream.write_all(&[5, 0]).await.ok()?;
    let mut request = [0; 4];
    stream.read_exact(&mut request).await.ok()?;
    let ip: IpAddr = match request[3] {
        1 => {
            let mut octets = [0; 4];
            stream.read_exact(&mut octets).await.ok()?;
            octets.into()
        }
        4 => {
            let mut octets = [0; 16];
            stream.read_exact(&mut octets).await.ok()?;
            octets.into()
        }
        other => panic!("the proxy was given a name to resolve: {other}"),
    };
    let port = stream.read_u16().await.ok()?;
    let mut onward = TcpStream::connect(SocketAddr::new(ip, port)).await.ok()?;
    stream
        .write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        .await
        .ok()?;
    copy_bidirectional(&mut stream, &mut onward).await.ok()?;
    Some(())
}
