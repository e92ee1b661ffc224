//! Raw responses with bytes changed, dropped, doubled and spliced, in memory: no panic, no second
//! request, and every attempt ends.

use std::net::SocketAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::{Dial, DialFuture, IoStream, Request, Sender, TargetPolicy};
use rand::rngs::StdRng;
use rand::{RngExt as _, SeedableRng as _};
use tokio::io::AsyncWriteExt as _;

use crate::support::request::now;
use crate::support::wire::read_request;

const CASES: usize = 3000;

/// A receiver in memory that plays the answer of the moment and closes.
#[derive(Debug, Default)]
struct Plays {
    answer: Mutex<Vec<u8>>,
    requests: Arc<AtomicUsize>,
}

impl Dial for Plays {
    fn dial(&self, _: SocketAddr) -> DialFuture<'_> {
        let (ours, mut theirs) = tokio::io::duplex(16 * 1024);
        let (answer, requests) = (self.answer.lock().unwrap().clone(), self.requests.clone());
        tokio::spawn(async move {
            if read_request(&mut theirs).await.is_some() {
                requests.fetch_add(1, SeqCst);
                let _ = theirs.write_all(&answer).await;
            }
        });
        Box::pin(async move { Ok(Box::new(ours) as Box<dyn IoStream>) })
    }
}

fn corpus() -> Vec<Vec<u8>> {
    let folder = format!(
        "{}/tests/vectors/http/responses",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|f| f.unwrap().path())
        .collect();
    files.sort();
    files
        .iter()
        .map(|f| std::fs::read(f).unwrap())
        .filter(|raw| raw.len() < 4096)
        .collect()
}

fn mutate(corpus: &[Vec<u8>], rng: &mut StdRng) -> Vec<u8> {
    let mut raw = corpus[rng.random_range(0..corpus.len())].clone();
    for _ in 0..rng.random_range(1..6) {
        let at = rng.random_range(0..=raw.len());
        match rng.random_range(0..5) {
            0 => raw.insert(at, rng.random()),
            1 => raw.truncate(at),
            2 if at < raw.len() => raw[at] = rng.random(),
            3 if at < raw.len() => {
                raw.remove(at);
            }
            _ => {
                let other = &corpus[rng.random_range(0..corpus.len())];
                raw.splice(
                    at..,
                    other[rng.random_range(0..=other.len())..].iter().copied(),
                );
            }
        }
    }
    raw
}

#[tokio::test]
async fn mutated_answers_never_panic_and_always_end() {
    let (corpus, mut rng) = (corpus(), StdRng::seed_from_u64(2026));
    assert!(corpus.len() > 200);
    let plays = Arc::new(Plays::default());
    let sender = Sender::builder(TargetPolicy::public())
        .dialer(plays.clone())
        .build()
        .unwrap();
    let request = Request::builder("http://8.8.8.8/".parse().unwrap())
        .timeout(Duration::from_secs(5))
        .build()
        .unwrap();
    let mut successes = 0;
    for n in 1..=CASES {
        let raw = mutate(&corpus, &mut rng);
        *plays.answer.lock().unwrap() = raw.clone();
        let attempt = sender.send(&request, now()).await;
        assert_eq!(
            plays.requests.load(SeqCst),
            n,
            "one request for {:?}",
            String::from_utf8_lossy(&raw)
        );
        assert!(
            attempt.duration < Duration::from_secs(4),
            "the end of the stream is the end of the attempt"
        );
        assert!(
            !format!(
                "{attempt:?}{}{}",
                attempt.status_info(),
                attempt.body.text()
            )
            .contains('\u{1b}')
        );
        successes += usize::from(attempt.is_success());
    }
    // The control: the mutants are neither all noise nor all harmless.
    assert!((CASES / 20..CASES).contains(&successes), "{successes}");
}
