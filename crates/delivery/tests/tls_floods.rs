//! A program with a single test, because it reads the peak memory of its process: a receiver that
//! keeps the TLS layer busy instead of answering, by requests for new keys, for another handshake,
//! tickets without end. Each ends with the budget, costs one connection, and holds little memory.

#![allow(clippy::unwrap_used)] // a helper that fails is a test that fails

#[path = "support/certs.rs"]
mod certs;
#[path = "support/request.rs"]
mod request;
#[path = "support/wire.rs"]
mod wire;

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use certs::{Shown, ca, config, params, trusting};
use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{ChaCha20Poly1305, Nonce};
use delivery::{Attempt, ErrorClass, Phase};
use request::{now, post};
use rustls::crypto::ring::{cipher_suite, default_provider};
use rustls::{ConnectionTrafficSecrets, ServerConfig};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;
use wire::read_request;

const BUDGET: Duration = Duration::from_millis(800);
/// A time that no attempt takes that ends with its budget, however busy the machine.
const LATE: Duration = Duration::from_secs(30);
/// The number of messages that a busy machine receives within the budget, and that no real server
/// sends.
const FLOOD: usize = 50;
const MIB: usize = 1024 * 1024;

/// Sends to a receiver that runs `then` after it read the request; returns the outcome and the
/// number of connections.
async fn sent_to<F, Fut>(config: impl FnOnce(&Shown) -> ServerConfig, then: F) -> (Attempt, usize)
where
    F: Fn(TlsStream<TcpStream>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output = ()> + Send,
{
    let root = ca();
    let acceptor = TlsAcceptor::from(Arc::new(config(&Shown::issued(
        &root,
        &params(&["a.example"]),
    ))));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://a.example:{}/",
        listener.local_addr().unwrap().port()
    );
    let connections = Arc::new(AtomicUsize::new(0));
    let opened = connections.clone();
    let server = tokio::spawn(async move {
        loop {
            let (stream, _) = listener.accept().await.unwrap();
            opened.fetch_add(1, SeqCst);
            let mut stream = acceptor.accept(stream).await.unwrap();
            read_request(&mut stream).await.unwrap();
            then(stream).await;
        }
    });
    let sender = trusting(&root).build().unwrap();
    let request = post(&url).timeout(BUDGET).build().unwrap();
    let attempt = sender.send(&request, now()).await;
    server.abort();
    (attempt, connections.load(SeqCst))
}

/// The most memory that this process ever held.
fn peak() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|l| l.starts_with("VmHWM:")).unwrap();
    let kib: usize = line.split_whitespace().nth(1).unwrap().parse().unwrap();
    kib * 1024
}

fn expect_bounded((attempt, connections): (Attempt, usize), before: usize) {
    match attempt.outcome {
        Err(ErrorClass::Timeout(Phase::Head)) => {}
        Err(ErrorClass::Tls(_)) => {} // it is free to have enough
        other => panic!("{other:?}"),
    }
    assert!(attempt.duration < LATE, "{:?}", attempt.duration);
    assert_eq!(connections, 1);
    let grown = peak().saturating_sub(before);
    assert!(grown < 8 * MIB, "{} KiB", grown / 1024);
}

fn tls13(shown: &Shown) -> ServerConfig {
    config(shown, &[&rustls::version::TLS13], &[])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_for_new_keys_end_with_the_budget() {
    let before = peak();
    // The receiver never reads the answers, so they would pile up here.
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let flood = move |mut stream: TlsStream<TcpStream>| {
        let count = count.clone();
        async move {
            while stream.get_mut().1.refresh_traffic_keys().is_ok() && stream.flush().await.is_ok()
            {
                count.fetch_add(1, SeqCst);
            }
        }
    };
    expect_bounded(sent_to(tls13, flood).await, before);
    assert!(asked.load(SeqCst) > FLOOD, "{asked:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tickets_without_end_are_not_kept() {
    let before = peak();
    let many = |shown: &Shown| {
        let mut config = tls13(shown);
        config.send_tls13_tickets = 20_000;
        config
    };
    let hang = |stream: TlsStream<TcpStream>| async move {
        std::future::pending::<()>().await;
        drop(stream);
    };
    expect_bounded(sent_to(many, hang).await, before);
}

/// TLS 1.2 with a cipher whose records are easily made manually.
fn tls12(shown: &Shown) -> ServerConfig {
    let mut provider = default_provider();
    provider.cipher_suites = vec![cipher_suite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256];
    let resolver = config(shown, &[&rustls::version::TLS12], &[]).cert_resolver;
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider))
        .with_protocol_versions(&[&rustls::version::TLS12])
        .unwrap()
        .with_no_client_auth()
        .with_cert_resolver(resolver);
    config.enable_secret_extraction = true;
    config
}

/// The request for another handshake (RFC 5246 §7.4.1.1), as the `number`th record of a connection
/// (RFC 7905).
fn hello_request(cipher: &ChaCha20Poly1305, iv: &[u8], number: u64) -> Vec<u8> {
    let message = [0, 0, 0, 0];
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&number.to_be_bytes());
    nonce.iter_mut().zip(iv).for_each(|(n, iv)| *n ^= iv);
    let header = [22, 3, 3, 0, 4];
    let aad = [&number.to_be_bytes()[..], &header].concat();
    let payload = Payload {
        msg: &message,
        aad: &aad,
    };
    let sealed = cipher.encrypt(&Nonce::from(nonce), payload).unwrap();
    [
        &[22, 3, 3, 0, u8::try_from(sealed.len()).unwrap()][..],
        &sealed,
    ]
    .concat()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_for_another_handshake_end_with_the_budget() {
    let before = peak();
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let flood = move |stream: TlsStream<TcpStream>| {
        let count = count.clone();
        async move {
            let (mut tcp, tls) = stream.into_inner();
            let (mut number, secrets) = tls.dangerous_extract_secrets().unwrap().tx;
            let ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } = secrets else {
                panic!("another cipher");
            };
            let cipher = ChaCha20Poly1305::new_from_slice(key.as_ref()).unwrap();
            loop {
                let record = hello_request(&cipher, iv.as_ref(), number);
                if tcp.write_all(&record).await.is_err() {
                    return;
                }
                number += 1;
                count.fetch_add(1, SeqCst);
            }
        }
    };
    expect_bounded(sent_to(tls12, flood).await, before);
    assert!(asked.load(SeqCst) > 0);
}

#[tokio::test]
async fn one_request_for_new_keys_disturbs_nothing() {
    let answer = |mut stream: TlsStream<TcpStream>| async move {
        stream.get_mut().1.refresh_traffic_keys().unwrap();
        stream
            .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")
            .await
            .unwrap();
        stream.flush().await.unwrap();
        std::future::pending::<()>().await;
    };
    let (attempt, connections) = sent_to(tls13, answer).await;
    assert_eq!((attempt.outcome, connections), (Ok(200), 1));
}
