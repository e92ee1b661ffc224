//! Retries, with time moved manually over in-memory streams (never with real sockets).

use std::net::SocketAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::{
    Dial, DialFuture, IoStream, Request, RetryPolicy, Sender, SigningKeys, TargetPolicy,
};
use rand::SeedableRng;
use rand::rngs::StdRng;
use tokio::sync::mpsc;
use tokio::time::Instant;

use crate::support::receiver::{After, serve};
use crate::support::request::now;
use crate::support::wire::Seen;

/// A receiver in memory; notes when it was dialled.
#[derive(Debug)]
struct InMemory {
    answers: Arc<Vec<(Vec<u8>, After)>>,
    count: Arc<AtomicUsize>,
    dialled: Mutex<Vec<Instant>>,
    tell: mpsc::UnboundedSender<Seen>,
}

impl Dial for InMemory {
    fn dial(&self, _: SocketAddr) -> DialFuture<'_> {
        self.dialled.lock().unwrap().push(Instant::now());
        let (ours, mut theirs) = tokio::io::duplex(64 * 1024);
        let (answers, count, tell) = (self.answers.clone(), self.count.clone(), self.tell.clone());
        tokio::spawn(async move {
            if serve(&mut theirs, &answers, &count, &tell).await == After::Hang {
                std::future::pending::<()>().await;
            }
        });
        Box::pin(async move { Ok(Box::new(ours) as Box<dyn IoStream>) })
    }
}

fn setup(answers: &[(&str, After)]) -> (Sender, Arc<InMemory>, mpsc::UnboundedReceiver<Seen>) {
    let (tell, seen) = mpsc::unbounded_channel();
    let dial = Arc::new(InMemory {
        answers: Arc::new(
            answers
                .iter()
                .map(|(text, after)| (text.as_bytes().to_vec(), *after))
                .collect(),
        ),
        count: Arc::default(),
        dialled: Mutex::default(),
        tell,
    });
    let sender = Sender::builder(TargetPolicy::public())
        .dialer(dial.clone())
        .build()
        .unwrap();
    (sender, dial, seen)
}

fn request() -> Request {
    Request::builder("http://8.8.8.8/".parse().unwrap())
        .body("{}")
        .delivery_id("msg_1")
        .signing(SigningKeys::parse(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]).unwrap())
        .build()
        .unwrap()
}

fn waits(dial: &InMemory) -> Vec<f64> {
    let at = dial.dialled.lock().unwrap();
    at.windows(2)
        .map(|pair| (pair[1] - pair[0]).as_secs_f64())
        .collect()
}

#[tokio::test(start_paused = true)]
async fn default_schedule_attempts_once_plus_retries() {
    let (sender, dial, mut seen) =
        setup(&[("HTTP/1.1 500 X\r\ncontent-length: 0\r\n\r\n", After::Close)]);
    let delivered = sender
        .deliver(
            &request(),
            &RetryPolicy::new(7),
            now(),
            &mut StdRng::seed_from_u64(1),
        )
        .await;
    assert_eq!((delivered.attempts(), delivered.is_success()), (8, false));
    for (wait, base) in waits(&dial)
        .iter()
        .zip([5.0, 30.0, 120.0, 600.0, 1800.0, 3600.0, 3600.0])
    {
        assert!(
            (0.8 * base..=1.2 * base + 0.01).contains(wait),
            "{wait} for {base}"
        );
    }
    // Each attempt is signed at its own time, and nothing else changes.
    let mut last = 0;
    for _ in 0..8 {
        let seen = seen.recv().await.unwrap();
        let at: i64 = seen.header("webhook-timestamp").unwrap().parse().unwrap();
        assert!(at >= last && at >= now().timestamp());
        last = at;
        assert_eq!(
            (seen.header("webhook-id"), &seen.body[..]),
            (Some("msg_1"), &b"{}"[..])
        );
    }
    assert!(
        last - now().timestamp() > 7000,
        "the wall time moves on with the waits"
    );
}

#[tokio::test(start_paused = true)]
async fn a_late_success_ends_it() {
    let (sender, dial, _seen) = setup(&[
        ("", After::Close),
        (
            "HTTP/1.1 503 X\r\nretry-after: 100\r\ncontent-length: 0\r\n\r\n",
            After::Close,
        ),
        ("", After::Hang),
        ("HTTP/1.1 204 X\r\n\r\n", After::Close),
    ]);
    let delivered = sender
        .deliver(
            &request(),
            &RetryPolicy::new(9),
            now(),
            &mut StdRng::seed_from_u64(2),
        )
        .await;
    assert_eq!((delivered.attempts(), delivered.is_success()), (4, true));
    let waits = waits(&dial);
    assert!(
        (100.0..100.1).contains(&waits[1]),
        "Retry-After lengthens 30 s to 100 s: {waits:?}"
    );
    assert_eq!(
        delivered.earlier[2].duration,
        Duration::from_secs(5),
        "the budget, to the millisecond"
    );
}

#[tokio::test(start_paused = true)]
async fn no_retries_means_one_request() {
    let (sender, dial, _seen) = setup(&[("", After::Close)]);
    let delivered = sender
        .deliver(
            &request(),
            &RetryPolicy::new(0),
            now(),
            &mut StdRng::seed_from_u64(3),
        )
        .await;
    assert_eq!(delivered.attempts(), 1);
    assert_eq!(dial.dialled.lock().unwrap().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn forbidden_target_is_not_retried() {
    let (sender, dial, _seen) = setup(&[("", After::Close)]);
    let inner = Request::builder("http://10.0.0.1/".parse().unwrap())
        .build()
        .unwrap();
    let delivered = sender
        .deliver(
            &inner,
            &RetryPolicy::new(100),
            now(),
            &mut StdRng::seed_from_u64(4),
        )
        .await;
    assert_eq!(delivered.attempts(), 1);
    assert!(dial.dialled.lock().unwrap().is_empty());
}
