//! Groups of requests: they share no connection and no TLS session, so that no group ends, delays
//! or reads the requests of another.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use bytes::Bytes;
use delivery::{Attempt, Request, RequestBuilder, Sender};
use http_body_util::{BodyExt as _, Empty};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rcgen::KeyPair;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::support::certs::{Ca, ca, params, trusting};
use crate::support::client_certificates::{Asking, Asks};
use crate::support::frames::listen;
use crate::support::receiver::local_sender;
use crate::support::request::{now, post};
use crate::support::tls::BOTH;

const H1: Asks = Asks {
    versions: BOTH,
    alpn: "http/1.1",
    required: false,
    keeps: true,
};
/// The group that attacks, and the one that is to notice nothing.
const ATTACKER: u128 = 1;
const VICTIM: u128 = 2;
/// The number of the victim's deliveries.
const ROUNDS: usize = 30;
/// The number of streams that the receiver allows at a time.
const STREAMS: u32 = 32;
/// The configuration; `127.0.0.1:8443` and the folder are replaced.
const NGINX: &str = "
daemon off;
master_process off;
error_log stderr emerg;
pid FOLDER/nginx.pid;
events {}
http {
    access_log off;
    client_body_temp_path FOLDER/body;
    proxy_temp_path FOLDER/proxy;
    fastcgi_temp_path FOLDER/fastcgi;
    uwsgi_temp_path FOLDER/uwsgi;
    scgi_temp_path FOLDER/scgi;
    server {
        listen ADDR ssl http2;
        ssl_certificate FOLDER/chain.pem;
        ssl_certificate_key FOLDER/key.pem;
        location / { return 200; }
    }
}
";

fn of(group: Option<u128>, request: RequestBuilder) -> Request {
    let request = request.build().unwrap();
    match group {
        Some(group) => request.with_group(group),
        None => request,
    }
}

async fn send(sender: &Sender, group: u128, request: RequestBuilder) -> Attempt {
    sender.send(&of(Some(group), request), now()).await
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn groups_same_origin_share_no_connection() {
    let root = ca();
    let sender = trusting(&root).build().unwrap();
    for alpn in ["http/1.1", "h2"] {
        let receiver = Asking::start(&root, Asks { alpn, ..H1 }).await;
        let groups = [("one", Some(1)), ("two", Some(2)), ("none", None)];
        for (path, group) in (0..10).flat_map(|_| groups) {
            let request = of(group, post(&receiver.url(path)));
            assert!(sender.send(&request, now()).await.is_success());
        }
        let mut running = JoinSet::new();
        for (path, group) in (0..30).flat_map(|_| groups) {
            let (sender, request) = (sender.clone(), of(group, post(&receiver.url(path))));
            running.spawn(async move { sender.send(&request, now()).await.is_success() });
        }
        assert!(running.join_all().await.into_iter().all(|sent| sent));
        let mut arrived = receiver.arrived();
        assert_eq!(arrived.len(), 120);
        arrived.sort_by_key(|one| one.connection);
        for pair in arrived.windows(2) {
            let [one, next] = pair else { unreachable!() };
            assert!(one.connection != next.connection || one.path == next.path);
        }
    }
}

#[tokio::test]
async fn tls_sessions_other_group_are_not_resumed() {
    let root = ca();
    for version in BOTH {
        let sender = trusting(&root).build().unwrap();
        let receiver = Asking::start(
            &root,
            Asks {
                versions: std::slice::from_ref(version),
                keeps: false,
                ..H1
            },
        )
        .await;
        let groups = [("one", Some(1)), ("two", Some(2)), ("none", None)];
        for (path, group) in (0..4).flat_map(|_| groups) {
            let request = of(group, post(&receiver.url(path)));
            assert!(sender.send(&request, now()).await.is_success());
        }
        let arrived = receiver.arrived();
        for (path, _) in groups {
            let path = format!("/{path}");
            let resumed = arrived.iter().filter(|one| one.path == path);
            let resumed: Vec<bool> = resumed.map(|one| one.resumed).collect();
            assert_eq!(resumed, [false, true, true, true], "{path}");
        }
    }
}

/// A stock nginx; ends when this is dropped.
struct Nginx(Child);

impl Drop for Nginx {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

async fn nginx(folder: &Path, root: &Ca) -> (Nginx, SocketAddr) {
    let free = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = free.local_addr().unwrap();
    drop(free);
    let config = NGINX.replace("FOLDER", folder.to_str().unwrap());
    let config = config.replace("ADDR", &addr.to_string());
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("nginx.conf", &config);
    let key = KeyPair::generate().unwrap();
    let shown = params(&["a.example"]).signed_by(&key, root).unwrap();
    write("chain.pem", &shown.pem());
    write("key.pem", &key.serialize_pem());
    let mut places = ["/usr/sbin/nginx", "/usr/local/sbin/nginx"].into_iter();
    let program = places.find(|place| Path::new(place).exists());
    let process = Command::new(program.unwrap_or("nginx"))
        .args(["-e", "stderr", "-p"])
        .arg(folder)
        .arg("-c")
        .arg(folder.join("nginx.conf"))
        .stdin(Stdio::null())
        .spawn();
    let nginx = Nginx(process.expect("nginx, which ./test installs"));
    for _ in 0..500 {
        if TcpStream::connect(addr).await.is_ok() {
            return (nginx, addr);
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("nginx does not listen");
}

/// Encoded for HTTP/2 it is longer than nginx takes, which then ends the whole connection.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn header_nginx_refuses_ends_no_other_delivery() {
    let (root, folder) = (ca(), tempfile::tempdir().unwrap());
    let (_nginx, addr) = nginx(folder.path(), &root).await;
    let url = format!("https://a.example:{}/in", addr.port());
    let sender = trusting(&root).build().unwrap();
    assert!(send(&sender, ATTACKER, post(&url)).await.is_success());
    let poison = "`".repeat(8 * 1024);
    let mut delivered = 0;
    for _ in 0..ROUNDS {
        let attack = send(&sender, ATTACKER, post(&url).header("x-long", &poison));
        let delivery = send(&sender, VICTIM, post(&url));
        let (attack, delivery) = tokio::join!(attack, delivery);
        assert!(!attack.is_success(), "control: nginx refuses it");
        delivered += usize::from(delivery.is_success());
    }
    assert_eq!(delivered, ROUNDS);
}

/// Responds to every request except `/unread`, whose body it does not read, and `/slow`. Sends the
/// paths of arriving requests.
async fn stubborn(root: &Ca) -> (String, mpsc::UnboundedReceiver<String>) {
    let (listener, acceptor, url) = listen(root).await;
    let (tell, told) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            let (acceptor, tell) = (acceptor.clone(), tell.clone());
            tokio::spawn(async move {
                let secured = acceptor.accept(stream).await.unwrap();
                let service = service_fn(move |request: http::Request<Incoming>| {
                    let path = request.uri().path().to_owned();
                    let _ = tell.send(path.clone());
                    async move {
                        if path != "/in" {
                            std::future::pending::<()>().await;
                        }
                        request.into_body().collect().await?;
                        Ok::<_, hyper::Error>(http::Response::new(Empty::<Bytes>::new()))
                    }
                });
                let mut builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                let builder = builder
                    .max_concurrent_streams(STREAMS)
                    .initial_stream_window_size(1024 * 1024)
                    .initial_connection_window_size(65_535);
                drop(
                    builder
                        .serve_connection(TokioIo::new(secured), service)
                        .await,
                );
            });
        }
    });
    (url, told)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn message_left_unread_blocks_no_other_group() {
    let root = ca();
    let (url, mut told) = stubborn(&root).await;
    let sender = trusting(&root).build().unwrap();
    assert!(send(&sender, ATTACKER, post(&url)).await.is_success());
    assert_eq!(told.recv().await.unwrap(), "/in");
    let unread = post(&url.replace("/in", "/unread")).body(vec![b'x'; 200_000]);
    let attack = send(&sender, ATTACKER, unread.timeout(Duration::from_secs(60)));
    let delivery = async {
        assert_eq!(told.recv().await.unwrap(), "/unread");
        send(&sender, VICTIM, post(&url).body(vec![b'x'; 1_000])).await
    };
    tokio::select! {
        attack = attack => panic!("control: {:?}", attack.outcome),
        delivery = delivery => assert_eq!(delivery.outcome, Ok(200)),
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slow_requests_take_no_other_groups_streams() {
    let root = ca();
    let (url, mut told) = stubborn(&root).await;
    let sender = trusting(&root).build().unwrap();
    assert!(send(&sender, ATTACKER, post(&url)).await.is_success());
    assert_eq!(told.recv().await.unwrap(), "/in");
    let mut slow = JoinSet::new();
    for _ in 0..STREAMS {
        let request = post(&url.replace("/in", "/slow")).timeout(Duration::from_secs(60));
        let (sender, request) = (sender.clone(), of(Some(ATTACKER), request));
        slow.spawn(async move { sender.send(&request, now()).await });
    }
    for _ in 0..STREAMS {
        assert_eq!(told.recv().await.unwrap(), "/slow");
    }
    assert_eq!(send(&sender, VICTIM, post(&url)).await.outcome, Ok(200));
}

/// Leaves the body of `/early` unread, in the bytes from which the next request is read. Sends path
/// and body.
async fn careless() -> (String, mpsc::UnboundedReceiver<(String, String)>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (tell, told) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let tell = tell.clone();
            tokio::spawn(async move {
                let mut bytes = Vec::new();
                loop {
                    let text = String::from_utf8_lossy(&bytes).into_owned();
                    let whole = text.split_once("\r\n\r\n").and_then(|(head, rest)| {
                        let path = head.split(' ').nth(1)?.to_owned();
                        let length = head.split("Content-Length: ").nth(1)?;
                        let length: usize = length.split("\r\n").next()?.parse().ok()?;
                        let length = if path == "/early" { 0 } else { length };
                        Some((
                            path,
                            rest.get(..length)?.to_owned(),
                            head.len() + 4 + length,
                        ))
                    });
                    let Some((path, body, end)) = whole else {
                        if stream.read_buf(&mut bytes).await.unwrap_or(0) == 0 {
                            return;
                        }
                        continue;
                    };
                    bytes.drain(..end);
                    let _ = tell.send((path, body));
                    let response = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                    if stream.write_all(response).await.is_err() {
                        return;
                    }
                }
            });
        }
    });
    (url, told)
}

#[tokio::test]
async fn body_left_unread_robs_no_other_groups_request() {
    let (url, mut told) = careless().await;
    let sender = local_sender();
    let stolen = "POST /stolen HTTP/1.1\r\ncontent-length: 120\r\n\r\n";
    let attack = post(&format!("{url}/early")).body(stolen);
    assert!(send(&sender, ATTACKER, attack).await.is_success());
    assert_eq!(told.recv().await.unwrap().0, "/early");
    let request = post(&format!("{url}/in")).sensitive_header("authorization", "Bearer s3cret");
    assert!(
        send(&sender, VICTIM, request.body("mine"))
            .await
            .is_success()
    );
    let arrived = told.recv().await.unwrap();
    assert_eq!(arrived, ("/in".to_owned(), "mine".to_owned()));
}

/// A group finds a connection that it returned, even if other groups have used the origin in the
/// meantime.
#[tokio::test]
async fn connection_returned_is_found_by_its_group() {
    let connections = Arc::new(AtomicUsize::new(0));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/in", listener.local_addr().unwrap());
    let opened = connections.clone();
    tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            opened.fetch_add(1, SeqCst);
            let service = service_fn(|_| async {
                Ok::<_, hyper::Error>(http::Response::new(Empty::<Bytes>::new()))
            });
            let builder = hyper::server::conn::http1::Builder::new();
            tokio::spawn(builder.serve_connection(TokioIo::new(stream), service));
        }
    });
    let sender = local_sender();
    for round in 0..5 {
        for group in [None, Some(ATTACKER), Some(VICTIM)] {
            let attempt = sender.send(&of(group, post(&url)), now()).await;
            assert_eq!((attempt.outcome, attempt.reused), (Ok(200), round > 0));
        }
    }
    assert_eq!(connections.load(SeqCst), 3);
}

/// A connection beyond the limit is shared while a request is under way, and is then closed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http2_connection_beyond_limit_is_not_kept() {
    let root = ca();
    let (url, mut told) = stubborn(&root).await;
    let sender = trusting(&root).max_idle(1, 1).build().unwrap();
    for (group, round, is_kept) in [(1, 0, false), (2, 0, false), (1, 1, true), (2, 1, false)] {
        let attempt = send(&sender, group, post(&url)).await;
        assert_eq!(
            (attempt.outcome, attempt.reused),
            (Ok(200), is_kept),
            "{group} {round}"
        );
        assert_eq!(told.recv().await.unwrap(), "/in");
    }
    let slow = post(&url.replace("/in", "/slow")).timeout(Duration::from_secs(60));
    let slow = send(&sender, 2, slow);
    let delivery = async {
        assert_eq!(told.recv().await.unwrap(), "/slow");
        send(&sender, 2, post(&url)).await
    };
    tokio::select! {
        slow = slow => panic!("control: {:?}", slow.outcome),
        delivery = delivery => assert!(delivery.is_success() && delivery.reused),
    }
}
