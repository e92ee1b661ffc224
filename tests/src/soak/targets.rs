//! One target of every kind, good and bad, each a real listener.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use examples::certificate;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// A target of a webhook in the run.
#[derive(Clone, Debug)]
pub struct Soaked {
    /// The name of its behaviour.
    pub name: String,
    /// Its URL, with its own host name.
    pub url: String,
}

impl Soaked {
    /// Returns whether it is given one request at a time, because it responds to none.
    #[must_use]
    pub fn is_slow(&self) -> bool {
        ["silent", "nobody listens"].contains(&self.name.as_str())
    }
}

fn url(scheme: &str, n: usize, addr: SocketAddr) -> String {
    format!("{scheme}://target-{n}.test:{}/", addr.port())
}

#[derive(Clone, Debug)]
enum Way {
    /// Answers these bytes, and keeps the connection.
    Answers(Vec<u8>),
    /// Answers these bytes, one each 50 ms.
    Drips(Vec<u8>),
    /// Answers these bytes and ends the connection: in order, or by a reset.
    Ends(Vec<u8>, bool),
    /// Reads everything and sends nothing.
    Silent,
    /// Ends the connection before anything is read.
    Refuses,
    /// Sends a body without end.
    Pours,
}

/// Returns one target of each kind.
pub async fn all() -> Vec<Soaked> {
    let ok = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok".to_vec();
    let text = |text: &str| text.as_bytes().to_vec();
    let status = |n: u16| text(&format!("HTTP/1.1 {n} X\r\ncontent-length: 0\r\n\r\n"));
    let long = |n: usize| "x".repeat(n);
    let good = listen(Way::Answers(ok.clone())).await;
    let onward = text(&format!(
        "HTTP/1.1 307 Go\r\nlocation: http://{good}/moved\r\ncontent-length: 0\r\n\r\n"
    ));
    let away =
        text("HTTP/1.1 307 Go\r\nlocation: http://169.254.169.254/\r\ncontent-length: 0\r\n\r\n");
    let busy = text("HTTP/1.1 503 Busy\r\nretry-after: 1\r\ncontent-length: 0\r\n\r\n");
    let head = format!("HTTP/1.1 200 OK\r\nx: {}\r\n\r\n", long(1 << 20));
    let chunks = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";
    let ways = [
        ("closes after each response", Way::Ends(ok.clone(), false)),
        ("resets after each response", Way::Ends(ok.clone(), true)),
        ("status 500", Way::Answers(status(500))),
        ("status 404", Way::Answers(status(404))),
        ("overloaded", Way::Answers(busy)),
        ("redirects", Way::Answers(onward)),
        ("redirects to a refused address", Way::Answers(away)),
        (
            "redirects in a circle",
            Way::Answers(text(
                "HTTP/1.1 308 X\r\nlocation: /\r\ncontent-length: 0\r\n\r\n",
            )),
        ),
        ("drips its head", Way::Drips(ok.clone())),
        ("silent", Way::Silent),
        ("ends at once", Way::Refuses),
        ("ends without a response", Way::Ends(Vec::new(), false)),
        ("resets without a response", Way::Ends(Vec::new(), true)),
        (
            "half a head",
            Way::Ends(text("HTTP/1.1 200 OK\r\ncont"), false),
        ),
        (
            "half a body",
            Way::Ends(
                text("HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nhalf"),
                false,
            ),
        ),
        ("a head of a mebibyte", Way::Ends(head.into_bytes(), false)),
        ("chunks of nonsense", Way::Ends(text(chunks), false)),
        ("a body without end", Way::Pours),
        ("not HTTP", Way::Answers(text("220 mail.example ESMTP\r\n"))),
    ];
    let mut targets = vec![Soaked {
        name: "good".to_owned(),
        url: url("http", 0, good),
    }];
    for (name, way) in ways {
        targets.push(Soaked {
            name: name.to_owned(),
            url: url("http", targets.len(), listen(way).await),
        });
    }
    for name in ["self-signed, allowed", "self-signed"] {
        targets.push(Soaked {
            name: name.to_owned(),
            url: url(
                "https",
                targets.len(),
                listen_tls(Way::Answers(ok.clone())).await,
            ),
        });
    }
    targets.push(Soaked {
        name: "nobody listens".to_owned(),
        url: "http://nobody.test:1/".to_owned(),
    });
    targets
}

async fn listen(way: Way) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            tokio::spawn(play_tcp(stream, way.clone()));
        }
    });
    addr
}

async fn listen_tls(way: Way) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let mut server = (*certificate::self_signed().unwrap().server).clone();
    server.alpn_protocols = Vec::new();
    let acceptor = TlsAcceptor::from(Arc::new(server));
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, way) = (acceptor.clone(), way.clone());
            tokio::spawn(async move {
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    play(&mut stream, &way).await;
                }
            });
        }
    });
    addr
}

async fn play_tcp(mut stream: TcpStream, way: Way) {
    play(&mut stream, &way).await;
    if matches!(way, Way::Ends(_, true)) {
        drop(stream.set_zero_linger());
    }
}

/// Plays until the other side disconnects; a request is one read, because they are small here.
async fn play<S: AsyncRead + AsyncWrite + Unpin>(stream: &mut S, way: &Way) -> Option<()> {
    let mut request = [0; 8192];
    if matches!(way, Way::Refuses) {
        return None;
    }
    while stream.read(&mut request).await.ok()? > 0 {
        match way {
            Way::Answers(bytes) => stream.write_all(bytes).await.ok()?,
            Way::Drips(bytes) => {
                for byte in bytes {
                    stream.write_all(&[*byte]).await.ok()?;
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
            Way::Ends(bytes, _) => {
                stream.write_all(bytes).await.ok()?;
                return None;
            }
            Way::Pours => {
                stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.ok()?;
                let piece = Arc::<[u8]>::from(vec![b'x'; 16 * 1024]);
                loop {
                    stream.write_all(&piece).await.ok()?;
                }
            }
            Way::Silent | Way::Refuses => {}
        }
    }
    Some(())
}
