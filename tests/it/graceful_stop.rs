//! The stop that the page on embedding shows: it ends even if a client has sent half a request.

use std::future::Future;
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Notify, oneshot};

/// The same code as on the page.
async fn serve(
    listener: TcpListener,
    app: Router,
    stop: impl Future<Output = ()> + Send + 'static,
    patience: Duration,
) -> io::Result<()> {
    let stopping = Arc::new(Notify::new());
    let stopped = stopping.clone();
    let serving = axum::serve(
        listener,
        app.into_make_service_with_connect_info::<SocketAddr>(),
    )
    .with_graceful_shutdown(async move {
        stop.await;
        stopped.notify_one();
    });
    let over = async {
        stopping.notified().await;
        tokio::time::sleep(patience).await;
    };
    tokio::select! {
        ended = serving => ended,
        () = over => Ok(()),
    }
}

/// Returns the text from its head to the next item, without the parts that `cargo fmt` may change.
fn function(text: &str) -> String {
    let (_, text) = text.split_once("async fn serve(").unwrap();
    let (text, _) = text.split_once("\n}\n").unwrap();
    text.split_whitespace()
        .collect::<String>()
        .replace(",)", ")")
}

#[test]
fn stop_on_the_page_is_the_one_tested() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/..");
    let page = std::fs::read_to_string(format!("{root}/docs/guides/rest-and-console.md")).unwrap();
    assert_eq!(function(&page), function(include_str!("graceful_stop.rs")));
}

#[tokio::test]
async fn stop_is_not_held_by_half_a_request() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let server = listener.local_addr().unwrap();
    let (stop, stopped) = oneshot::channel::<()>();
    let stopped = async { drop(stopped.await) };
    let serving = serve(listener, Router::new(), stopped, Duration::from_millis(50));
    let serving = tokio::spawn(serving);
    let mut client = TcpStream::connect(server).await.unwrap();
    let whole = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    client.write_all(whole).await.unwrap();
    let mut some = [0; 12];
    client.read_exact(&mut some).await.unwrap();
    assert_eq!(&some, b"HTTP/1.1 404");
    client.write_all(b"POST / HTTP/1.1\r\n").await.unwrap();
    stop.send(()).unwrap();
    // A stop that waits for the client would never end.
    serving.await.unwrap().unwrap();
    drop(client);
}
