//! Connections that are reused: no request gets another one's response.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

use delivery::{Dial, DialFuture, ErrorClass, IoStream, TargetPolicy};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

use crate::support::receiver::{After, Receiver, local_sender};
use crate::support::request::{local_builder, local_policy, now, post};
use crate::support::wire::read_request;

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

fn script(answers: &[(&str, After)]) -> Vec<(Vec<u8>, After)> {
    answers
        .iter()
        .map(|(text, after)| (text.as_bytes().to_vec(), *after))
        .collect()
}

#[tokio::test]
async fn a_connection_is_used_again() {
    let receiver = Receiver::fixed(OK).await;
    let (sender, request) = (local_sender(), post(&receiver.url()).build().unwrap());
    for n in 0..5 {
        let attempt = sender.send(&request, now()).await;
        assert_eq!((attempt.outcome, attempt.reused), (Ok(200), n > 0));
    }
    assert_eq!((receiver.requests(), receiver.connections()), (5, 1));
}

#[tokio::test]
async fn connection_closed_while_idle_costs_no_attempt() {
    let receiver = Receiver::start(script(&[(OK, After::Close)])).await;
    let (sender, request) = (local_sender(), post(&receiver.url()).build().unwrap());
    for _ in 0..20 {
        assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
        // Lets the close arrive: the test is about the idle connection, not the race.
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    assert_eq!((receiver.requests(), receiver.connections()), (20, 20));
}

#[tokio::test]
async fn unsolicited_response_is_never_used_for_next_request() {
    let two = format!("{OK}HTTP/1.1 201 Smuggled\r\ncontent-length: 0\r\n\r\n");
    let receiver = Receiver::start(script(&[(&two, After::Keep), (OK, After::Keep)])).await;
    let (sender, request) = (local_sender(), post(&receiver.url()).build().unwrap());
    for _ in 0..3 {
        assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
    }
    assert_eq!(
        receiver.connections(),
        2,
        "the first connection is poisoned"
    );
}

#[tokio::test]
async fn narrower_policy_does_not_reuse_wider_connections() {
    let receiver = Receiver::fixed(OK).await;
    let url = format!("http://localhost:{}/", receiver.addr.port());
    let request = post(&url).build().unwrap();
    let wide = local_sender();
    assert_eq!(wide.send(&request, now()).await.outcome, Ok(200));
    let narrow = wide.with_policy(TargetPolicy::public());
    assert!(matches!(
        narrow.send(&request, now()).await.outcome,
        Err(ErrorClass::Refused(_))
    ));
    let named = wide.with_policy(local_policy().deny_host("localhost".parse().unwrap()));
    assert!(matches!(
        named.send(&request, now()).await.outcome,
        Err(ErrorClass::Refused(_))
    ));
    assert_eq!(receiver.requests(), 1);
}

#[tokio::test]
async fn an_unfinished_body_ends_its_connection() {
    let long = format!(
        "HTTP/1.1 200 OK\r\ncontent-length: 20000\r\n\r\n{}",
        "x".repeat(20_000)
    );
    let receiver = Receiver::fixed(&long).await;
    let (sender, request) = (local_sender(), post(&receiver.url()).build().unwrap());
    for _ in 0..2 {
        assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
    }
    assert_eq!(receiver.connections(), 2);
}

#[tokio::test]
async fn idle_connections_are_closed_in_time() {
    let mut server = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .map(Some)
        .unwrap();
    let listener = server.take().unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let sender = local_builder()
        .idle_for(Duration::from_millis(100))
        .build()
        .unwrap();
    let serving = tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        read_request(&mut stream).await.unwrap();
        tokio::io::AsyncWriteExt::write_all(&mut stream, OK.as_bytes())
            .await
            .unwrap();
        read_request(&mut stream).await.is_none() // the other side closed
    });
    assert_eq!(
        sender
            .send(&post(&url).build().unwrap(), now())
            .await
            .outcome,
        Ok(200)
    );
    let closed = tokio::time::timeout(Duration::from_secs(3), serving).await;
    assert!(closed.expect("the idle connection must be closed").unwrap());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_requests_each_arrive_exactly_once() {
    let receiver = Receiver::fixed(OK).await;
    let (sender, request) = (local_sender(), post(&receiver.url()).build().unwrap());
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..64 {
        let (sender, request) = (sender.clone(), request.clone());
        running.spawn(async move {
            for _ in 0..20 {
                assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
            }
        });
    }
    while let Some(ended) = running.join_next().await {
        ended.unwrap();
    }
    assert_eq!(receiver.requests.load(SeqCst), 64 * 20);
    assert!(receiver.connections() <= 64);
}

#[tokio::test]
async fn origin_with_all_idle_connections_yields_one() {
    let (busy, other) = (Receiver::fixed(OK).await, Receiver::fixed(OK).await);
    let sender = local_builder().max_idle(8, 8).build().unwrap();
    let mut running = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (sender, request) = (sender.clone(), post(&busy.url()).build().unwrap());
        running.spawn(async move { sender.send(&request, now()).await.outcome });
    }
    while let Some(ended) = running.join_next().await {
        assert_eq!(ended.unwrap(), Ok(200));
    }
    assert_eq!(busy.connections(), 8, "control: they had no other");
    let request = post(&other.url()).build().unwrap();
    for n in 0..2 {
        let attempt = sender.send(&request, now()).await;
        assert_eq!((attempt.outcome, attempt.reused), (Ok(200), n > 0));
    }
    let request = post(&busy.url()).build().unwrap();
    assert!(sender.send(&request, now()).await.reused, "it has the rest");
}

#[tokio::test]
async fn group_of_many_origins_leaves_connections_to_others() {
    let sender = local_builder().max_idle(8, 8).build().unwrap();
    let mut receivers = Vec::new();
    for _ in 0..16 {
        receivers.push(Receiver::fixed(OK).await);
    }
    let to = |receiver: &Receiver, group| {
        let request = post(&receiver.url()).build().unwrap().with_group(group);
        let sender = sender.clone();
        async move {
            let attempt = sender.send(&request, now()).await;
            assert_eq!(attempt.outcome, Ok(200));
            attempt.reused
        }
    };
    for group in [2, 3] {
        for receiver in &receivers {
            to(receiver, 1).await;
        }
        assert!(!to(&receivers[0], group).await);
        for receiver in &receivers {
            to(receiver, 1).await;
        }
        assert!(to(&receivers[0], group).await, "group {group}");
    }
}

#[tokio::test]
async fn reuse_can_be_turned_off() {
    let receiver = Receiver::fixed(OK).await;
    let sender = local_builder().idle_for(Duration::ZERO).build().unwrap();
    let request = post(&receiver.url()).build().unwrap();
    for _ in 0..3 {
        assert!(!sender.send(&request, now()).await.reused);
    }
    assert_eq!(receiver.connections(), 3);
}

/// Connections in memory with little buffer space; the other side responds after the first bytes
/// and stops reading.
#[derive(Debug, Default)]
struct Hasty {
    connections: AtomicUsize,
}

impl Dial for Hasty {
    fn dial(&self, _: SocketAddr) -> DialFuture<'_> {
        self.connections.fetch_add(1, SeqCst);
        Box::pin(async {
            let (ours, mut theirs) = duplex(64);
            tokio::spawn(async move {
                theirs.read_exact(&mut [0; 16]).await.unwrap();
                let response = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
                theirs.write_all(response).await.unwrap();
                std::future::pending::<()>().await;
            });
            Ok(Box::new(ours) as Box<dyn IoStream>)
        })
    }
}

#[tokio::test]
async fn connection_with_unfinished_head_is_never_reused() {
    let hasty = Arc::new(Hasty::default());
    let builder = local_builder().dialer(Arc::clone(&hasty) as Arc<dyn Dial>);
    let sender = builder.build().unwrap();
    let request = post("http://127.0.0.1/").body("");
    let request = request.header("x-long", "x".repeat(500)).build().unwrap();
    for turn in 1..=3 {
        assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
        assert_eq!(hasty.connections.load(SeqCst), turn);
    }
}
