//! The emitter and the drain of the outbox over a worker with a scripted network.

mod addressed;
mod audience;
mod batches;
mod caused_runs;
mod emit_many;
mod outbox;
mod preconditions;
mod sequence;
mod stored_rows;

use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::webhooks::{OutboxRow, OutboxStore as _};

use super::drain::OutboxDrain;
use super::emitted::Emitted;
use super::emitter::Emitter;
use crate::access::Rule;
use crate::access::testing::Platform;
use crate::config::Limits;
use crate::error::EmitError;
use crate::testing::{Bench, Records, Script, noon, poweron};

async fn bench(records: &Records, limits: &Limits) -> (Bench, Arc<Emitter>) {
    let bench = Bench::new(records, limits, Script::new(&[])).await;
    let emitter = bench.emitter(limits);
    (bench, emitter)
}

async fn bench_of(
    records: &Records,
    limits: &Limits,
    rule: Rule,
    platform: &Arc<Platform>,
) -> (Bench, Arc<Emitter>) {
    let bench = Bench::of(records, limits, Script::new(&[]), rule, platform).await;
    let emitter = bench.emitter(limits);
    (bench, emitter)
}

impl Emitter {
    async fn emit_tagged(&self) -> Result<Emitted, EmitError> {
        self.emit(&poweron(7, &[1]), Self::all()).await
    }
}

/// Starts a drain; its store fails on command.
fn drain(emitter: Arc<Emitter>) -> Arc<OutboxDrain> {
    let drain = Arc::new(OutboxDrain::new(emitter, Duration::from_secs(1)));
    drain.start();
    drain
}

/// Moves the clock and the timers together.
async fn pass(bench: &Bench, time: Duration) {
    let step = Duration::from_millis(250);
    let mut left = time;
    while !left.is_zero() {
        let some = left.min(step);
        bench.broken.clock.advance(some);
        tokio::time::sleep(some).await;
        left -= some;
    }
}

/// Returns all rows of the outbox, including those that are not due for a long time.
async fn rows(records: &Records) -> Vec<OutboxRow> {
    let end_of_time = noon() + chrono::TimeDelta::days(1_000);
    let until = end_of_time + chrono::TimeDelta::seconds(1);
    let (store, mut taken) = (&records.store, Vec::new());
    for holder in 1_000.. {
        let some = store.take_outbox(holder, 1_000, until, end_of_time).await;
        let Some(some) = some.unwrap() else { break };
        taken.push((holder, some));
    }
    let mut rows = Vec::new();
    for (holder, some) in taken {
        let given_back = store.give_back_outbox(some.audience, holder).await;
        given_back.unwrap();
        rows.extend(some.rows);
    }
    rows
}
