//! A request whose reused connection is lost before any byte of the response is sent once more,
//! over a fresh one.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use delivery::{Attempt, AttemptOutcome, ErrorClass};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use crate::support::certs::{ca, trusting};
use crate::support::frames::{END_HEADERS, SETTINGS, STATUS_200, frame, listen};
use crate::support::receiver::{After, Receiver, local_sender};
use crate::support::request::{now, post};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";
const RST_STREAM: u8 = 3;
const GOAWAY: u8 = 7;

/// Sends twice to a receiver that plays these; returns the second attempt, requests and
/// connections.
async fn second(answers: &[(&str, After)]) -> (Attempt, usize, usize) {
    let answers = answers.iter();
    let answers = answers.map(|(text, after)| (text.as_bytes().to_vec(), *after));
    let receiver = Receiver::start(answers.collect()).await;
    let request = post(&receiver.url()).timeout(Duration::from_millis(500));
    let (sender, request) = (local_sender(), request.build().unwrap());
    assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
    let attempt = sender.send(&request, now()).await;
    (attempt, receiver.requests(), receiver.connections())
}

#[tokio::test]
async fn reused_connection_lost_request_is_repeated_once() {
    for lost in [After::Close, After::Reset] {
        let played = [(OK, After::Keep), ("", lost), (OK, After::Keep)];
        let (attempt, requests, connections) = second(&played).await;
        assert_eq!(attempt.outcome, Ok(200), "{lost:?}");
        assert!(attempt.repeated && !attempt.reused);
        assert_eq!((requests, connections), (3, 2));
        let info = "delivered with status 200 (second request, over a new connection)";
        assert_eq!(attempt.status_info(), info);
        // The last is played for ever: the repeat is lost, too.
        let (attempt, requests, connections) = second(&[(OK, After::Keep), ("", lost)]).await;
        assert_eq!(attempt.outcome, Err(ErrorClass::Reset));
        assert!(attempt.repeated);
        assert_eq!((requests, connections), (3, 2));
    }
}

#[tokio::test]
async fn fresh_connection_lost_request_is_not_repeated() {
    let receiver = Receiver::start(vec![(Vec::new(), After::Close)]).await;
    let request = post(&receiver.url()).build().unwrap();
    let attempt = local_sender().send(&request, now()).await;
    assert_eq!(attempt.outcome, Err(ErrorClass::Reset));
    assert!(!attempt.repeated);
    assert_eq!((receiver.requests(), receiver.connections()), (1, 1));
}

#[tokio::test]
async fn response_begun_or_timeout_request_is_not_repeated() {
    let reset = Err(ErrorClass::Reset);
    let timeout = Err(ErrorClass::Timeout(delivery::Phase::Head));
    let cases: [(&str, After, AttemptOutcome); 5] = [
        ("H", After::Close, reset.clone()),
        ("HTTP/1.1 200 OK\r\n", After::Reset, reset.clone()),
        ("HTTP/1.1 103 Early Hints\r\n\r\n", After::Close, reset),
        ("", After::Hang, timeout.clone()),
        ("HTTP/1.1 2", After::Hang, timeout),
    ];
    for (begun, after, outcome) in cases {
        let played = [(OK, After::Keep), (begun, after), (OK, After::Keep)];
        let (attempt, requests, _) = second(&played).await;
        assert_eq!(attempt.outcome, outcome, "{begun:?}");
        assert!(!attempt.repeated);
        assert_eq!(requests, 2, "{begun:?}");
    }
}

/// Such a receiver costs no attempt, after any number of requests.
#[tokio::test]
async fn receiver_closing_reused_connections_receives_every_delivery() {
    let mut played = Vec::new();
    for _ in 0..20 {
        played.push((OK.as_bytes().to_vec(), After::Keep));
        played.push((Vec::new(), After::Close));
    }
    let receiver = Receiver::start(played).await;
    let (sender, request) = (local_sender(), post(&receiver.url()).build().unwrap());
    for _ in 0..20 {
        assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
    }
}

/// How an HTTP/2 receiver ends the second request of a connection.
struct Ends {
    what: &'static str,
    bytes: Vec<u8>,
    closes: bool,
    repeated: bool,
}

/// Responds to the first request of a connection. Then plays the end.
async fn play(mut stream: TlsStream<TcpStream>, requests: &AtomicUsize, end: &(Vec<u8>, bool)) {
    stream.write_all(&frame(SETTINGS, 0, 0, &[])).await.unwrap();
    let (mut seen, mut answered) = (Vec::new(), 0);
    loop {
        let head = |w: &[u8]| w[3] == 1 && w[5..9] == [0, 0, 0, 2 * answered + 1];
        if seen.windows(9).any(head) {
            requests.fetch_add(1, SeqCst);
            let head = frame(1, END_HEADERS | 1, 1, STATUS_200);
            let bytes = if answered == 0 { &head } else { &end.0 };
            stream.write_all(bytes).await.unwrap();
            answered += 1;
            if answered == 2 && end.1 {
                drop(stream.shutdown().await);
                return;
            }
        }
        if stream.read_buf(&mut seen).await.unwrap_or(0) == 0 {
            return;
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http2_connection_lost_request_is_repeated_once() {
    let ends = |what, bytes: &[u8], closes, repeated| Ends {
        what,
        bytes: bytes.to_vec(),
        closes,
        repeated,
    };
    let goaway = |last: u8, code: u8| frame(GOAWAY, 0, 0, &[0, 0, 0, last, 0, 0, 0, code]);
    let reset = |code: u8| frame(RST_STREAM, 0, 3, &[0, 0, 0, code]);
    let cases = [
        ends("a close", b"", true, true),
        ends("GOAWAY without it", &goaway(1, 0), false, true),
        ends("GOAWAY with an error", &goaway(3, 9), true, true),
        ends("GOAWAY with it, and a close", &goaway(3, 0), true, true),
        ends("a broken frame", &frame(SETTINGS, 0, 0, &[0]), false, true),
        ends("REFUSED_STREAM", &reset(7), false, true),
        ends("INTERNAL_ERROR", &reset(2), false, false),
        ends("CANCEL", &reset(8), false, false),
    ];
    let root = ca();
    for case in cases {
        let (listener, acceptor, url) = listen(&root).await;
        let (requests, connections) =
            (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let (counted, opened) = (requests.clone(), connections.clone());
        let end = Arc::new((case.bytes, case.closes));
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                opened.fetch_add(1, SeqCst);
                let secured = acceptor.accept(stream).await.unwrap();
                let (counted, end) = (counted.clone(), end.clone());
                tokio::spawn(async move { play(secured, &counted, &end).await });
            }
        });
        let sender = trusting(&root).build().unwrap();
        let request = post(&url).build().unwrap();
        assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
        let attempt = sender.send(&request, now()).await;
        assert_eq!(attempt.is_success(), case.repeated, "{}", case.what);
        assert_eq!(attempt.repeated, case.repeated, "{}", case.what);
        let (requests, connections) = (requests.load(SeqCst), connections.load(SeqCst));
        let more = usize::from(case.repeated);
        assert_eq!(
            (requests, connections),
            (2 + more, 1 + more),
            "{}",
            case.what
        );
    }
}
