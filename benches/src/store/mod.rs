//! A storage backend against its bare driver, in one run on one database: the body of
//! `store_sqlite` and `store_postgres`.
#![allow(clippy::print_stdout, reason = "a measurement prints its figures")]

mod work;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use chrono::TimeDelta;
use gatepost_storage::webhooks::{
    Claim, Disposition, QueueClaim, QueueClass, RecordStore as _, Settled, Settlement, WebhookQueue,
};
use gatepost_storage::{AtMost, WebhookStore};
use tokio::time::Instant;
use webhook_model::WebhookId;

pub use self::work::{BODY, Work};
use self::work::{now, sent, webhook};
use crate::measurement_output::{Better, keep, spread};

/// The number of concurrent emitters, and of deliveries that the bare driver writes in one set.
const EMITTERS: usize = 256;
/// The number of queues with waiting rows.
const QUEUES: usize = 100;
const SIZES: [i64; 4] = [1_000, 10_000, 100_000, 1_000_000];
const QUICK_SIZES: [i64; 2] = [1_000, 100_000];

/// A backend, and the least work of its bare driver for the same result.
pub trait Backend {
    /// The store.
    type Store: WebhookStore + Clone;

    /// The number of measurements of the durable cycle.
    const ROUNDS: usize;
    /// The length of each of them.
    const SPAN: Duration;
    /// The number of measured single enqueues.
    const SINGLES: usize;
    /// The number of measured claims at each size.
    const CLAIMS: usize;

    /// Returns the store to measure.
    fn store(&self) -> &Self::Store;

    /// Inserts these messages leased with the bare driver, then completes them. Returns their
    /// number.
    fn bare_cycle(&mut self, names: &[String]) -> impl Future<Output = u64>;

    /// Inserts one message with the bare driver and commits.
    fn bare_insert(&mut self, name: &str) -> impl Future<Output = ()>;

    /// Adds the waiting deliveries number `from` to `to`, the last excluded, without the store:
    /// number `n` to the webhook `first + n % 100`. Then leaves the database at rest.
    fn fill(&mut self, first: WebhookId, from: i64, to: i64) -> impl Future<Output = ()>;
}

/// Measures the durable cycle and single enqueues, each against the bare driver. Returns the
/// emitter that it used.
pub async fn against_the_driver<B: Backend>(backend: &mut B) -> Work<B::Store> {
    let work = Work::new(backend.store().clone()).await;
    cycles(backend, &work).await;
    singles(backend, &work).await;
    work
}

/// Measures a claim of 64 out of more and more waiting rows in 100 queues; with the argument
/// `quick` on fewer rows.
///
/// # Panics
/// If the store refuses.
pub async fn claims<B: Backend>(backend: &mut B) {
    let quick = std::env::args().any(|arg| arg == "quick");
    let sizes = if quick { &QUICK_SIZES[..] } else { &SIZES[..] };
    let store = backend.store().clone();
    let mut hooks = Vec::new();
    for n in 0..QUEUES {
        let hook = webhook(&format!("queue{n}"));
        let hook = store.insert_webhook(&hook, AtMost::UNLIMITED, now()).await;
        hooks.push(hook.expect("a webhook").id);
    }
    let (mut waiting, mut smallest) = (0, None);
    for size in sizes {
        backend.fill(hooks[0], waiting, *size).await;
        waiting = *size;
        let mut micros = Vec::new();
        for round in 0..B::CLAIMS {
            micros.push(claim_and_release(&store, &hooks, round).await);
        }
        let median = spread(micros).0;
        let first = *smallest.get_or_insert(median);
        println!(
            "claim of 64 among {size} waiting: {median:.0} us, {:.2} x",
            median / first
        );
    }
}

/// Measures leased inserts and their completion: by the bare driver in sets of as many as there are
/// emitters, and by emitters that each call `enqueue` and `settle` for one delivery.
async fn cycles<B: Backend>(backend: &mut B, work: &Work<B::Store>) {
    let (mut of_bare, mut of_store, mut ratios) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..B::ROUNDS {
        let (start, mut done) = (Instant::now(), 0);
        while start.elapsed() < B::SPAN {
            done += backend.bare_cycle(&work.names(EMITTERS)).await;
        }
        let bare = done as f64 / start.elapsed().as_secs_f64();
        let ours = store_cycle(work, B::SPAN).await;
        of_bare.push(bare);
        of_store.push(ours);
        ratios.push(ours / bare);
    }
    keep("durable cycle / bare driver", &ratios, Better::More);
    let (ratio, least, most) = spread(ratios);
    println!(
        "durable cycle, {EMITTERS} emitters: bare {:.0}/s, store {:.0}/s, ratio {ratio:.2} ({least:.2} to {most:.2})",
        spread(of_bare).0,
        spread(of_store).0,
    );
}

async fn store_cycle<S: WebhookStore + Clone>(work: &Work<S>, span: Duration) -> f64 {
    let done = Arc::new(AtomicU64::new(0));
    let start = Instant::now();
    let emitters = (0..EMITTERS).map(|_| {
        let (work, done) = (work.clone(), Arc::clone(&done));
        tokio::spawn(async move {
            while start.elapsed() < span {
                let claim = work.emit().await;
                work.settle(vec![claim]).await;
                done.fetch_add(1, Ordering::Relaxed);
            }
        })
    });
    for emitter in emitters.collect::<Vec<_>>() {
        emitter.await.expect("an emitter");
    }
    done.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
}

/// Measures one enqueue on an idle system against one insert and commit.
async fn singles<B: Backend>(backend: &mut B, work: &Work<B::Store>) {
    let (mut of_bare, mut of_store) = (Vec::new(), Vec::new());
    for name in work.names(B::SINGLES) {
        let start = Instant::now();
        backend.bare_insert(&name).await;
        of_bare.push(micros(start));
        let start = Instant::now();
        work.emit().await;
        of_store.push(micros(start));
    }
    let (bare, ours) = (spread(of_bare).0, spread(of_store).0);
    println!(
        "single enqueue, idle: bare commit {bare:.0} us, store {ours:.0} us, ratio {:.2}",
        ours / bare
    );
}

/// Claims eight of each of eight queues; returns the time in microseconds. They are given back
/// immediately, so that each size keeps its rows.
async fn claim_and_release(store: &impl WebhookStore, hooks: &[WebhookId], round: usize) -> f64 {
    let queues: Vec<QueueClaim> = (0..8)
        .map(|i| QueueClaim {
            queue: WebhookQueue {
                webhook: hooks[(round * 8 + i) % QUEUES],
                class: QueueClass::First,
            },
            limit: 8,
        })
        .collect();
    let start = Instant::now();
    let claimed = store.claim(&queues, now() + TimeDelta::seconds(60), now());
    let claimed = claimed.await.expect("a claim");
    let micros = micros(start);
    assert_eq!(claimed.len(), 64);
    let release = claimed.into_iter().map(|claimed| Settlement {
        disposition: Disposition::Release {
            due: claimed.delivery.due,
        },
        attempt: None,
        ..sent(Claim {
            delivery: claimed.delivery.id,
            token: claimed.token,
        })
    });
    let settled = store.settle(release.collect(), now()).await;
    let settled = settled.expect("a release");
    assert!(settled.iter().all(|s| *s == Settled::Done), "{settled:?}");
    micros
}

fn micros(start: Instant) -> f64 {
    start.elapsed().as_secs_f64() * 1e6
}
