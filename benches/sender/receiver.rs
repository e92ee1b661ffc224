//! The receiver: answers `ok` to everything.

use std::fmt;

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::rt::{Read, Write};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

use crate::load::Load;
use crate::tls;

/// The protocol of a receiver.
#[derive(Clone, Copy, PartialEq)]
pub enum Speaks {
    Http1,
    Http1OverTls,
    Http2OverTls,
}

impl Speaks {
    pub fn name(self) -> &'static str {
        match self {
            Self::Http1 => "HTTP/1.1",
            Self::Http1OverTls => "HTTP/1.1 over TLS",
            Self::Http2OverTls => "HTTP/2 over TLS",
        }
    }

    fn named(name: &str) -> Self {
        let all = [Self::Http1, Self::Http1OverTls, Self::Http2OverTls];
        all.into_iter().find(|one| one.name() == name).unwrap()
    }
}

impl fmt::Display for Speaks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Serves until it is killed, with the certificate in this folder.
pub async fn serve(speaks: &str, folder: &str) {
    let speaks = Speaks::named(speaks);
    let acceptor = tls::acceptor(folder, speaks);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let _ = stream.set_nodelay(true);
        let acceptor = acceptor.clone();
        tokio::spawn(async move {
            match speaks {
                Speaks::Http1 => http1(TokioIo::new(stream)).await,
                Speaks::Http1OverTls => {
                    http1(TokioIo::new(acceptor.accept(stream).await.unwrap())).await;
                }
                Speaks::Http2OverTls => {
                    http2(TokioIo::new(acceptor.accept(stream).await.unwrap())).await;
                }
            }
        });
    }
}

async fn http1(io: impl Read + Write + Unpin) {
    let connection = hyper::server::conn::http1::Builder::new();
    let _ = connection.serve_connection(io, service_fn(answer)).await;
}

async fn http2(io: impl Read + Write + Unpin) {
    let mut connection = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
    // Enough streams for every request.
    connection.max_concurrent_streams(u32::try_from(Load::FULL.in_flight).unwrap());
    let _ = connection.serve_connection(io, service_fn(answer)).await;
}

async fn answer(
    request: hyper::Request<Incoming>,
) -> Result<hyper::Response<Full<Bytes>>, hyper::Error> {
    request.into_body().collect().await?;
    Ok(hyper::Response::new(Full::new(Bytes::from_static(b"ok"))))
}
