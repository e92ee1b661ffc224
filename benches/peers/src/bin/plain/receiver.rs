//! A receiver in a separate process, which refuses some requests.

use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// The argument that makes this program the receiver.
pub(crate) const SERVE: &str = "--receiver";
/// One of this number of requests is answered by 503, the others by 200.
pub(crate) const REFUSED_OF: usize = 5;

static REQUESTS: AtomicUsize = AtomicUsize::new(0);

/// This program as a receiver. It ends with this value.
pub(crate) struct Receiver {
    child: Child,
    addr: SocketAddr,
}

impl Receiver {
    pub(crate) fn start() -> Self {
        let own = std::env::current_exe().unwrap();
        let mut child = Command::new(own)
            .arg(SERVE)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        output.read_line(&mut line).unwrap();
        let addr = line.trim().parse().unwrap();
        Self { child, addr }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/in", self.addr)
    }

    /// Returns the number of requests answered so far, without this one.
    pub(crate) async fn requests(&self) -> usize {
        let count = reqwest::get(format!("http://{}/count", self.addr)).await;
        count.unwrap().text().await.unwrap().parse().unwrap()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Serves until it is killed; its address is its first line.
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn serve() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let _ = stream.set_nodelay(true);
        let connection = hyper::server::conn::http1::Builder::new();
        tokio::spawn(connection.serve_connection(TokioIo::new(stream), service_fn(answer)));
    }
}

async fn answer(request: Request<Incoming>) -> Result<Response<Full<Bytes>>, hyper::Error> {
    if request.uri().path() == "/count" {
        let count = REQUESTS.load(Ordering::Relaxed).to_string();
        return Ok(Response::new(Full::from(count)));
    }
    request.into_body().collect().await?;
    let before = REQUESTS.fetch_add(1, Ordering::Relaxed);
    let mut response = Response::new(Full::from("ok"));
    if before % REFUSED_OF == 0 {
        *response.status_mut() = StatusCode::SERVICE_UNAVAILABLE;
    }
    Ok(response)
}
