//! The cost of 8 processes that have nothing to do, while 100,000 queues wait for a later time.

use std::time::Duration;

use benches::bulk::Waiting;
use benches::platform::now;
use chrono::TimeDelta;

use crate::engines::Engines;
use crate::report::row;
use crate::stage::Stage;

const PROCESSES: usize = 8;
/// The time for which nothing has happened by then.
const SETTLED: Duration = Duration::from_secs(100);

pub(crate) async fn measure(stage: &mut Stage) {
    let queues = stage.scaled(100_000);
    let store = stage.fresh().await;
    store.hooks(1, queues.min(1_000), false).await;
    let mut bulk = store.bulk().await;
    bulk.copy_hooks(queues).await;
    let waiting = Waiting {
        count: queues,
        queues,
        due: now() + TimeDelta::hours(2),
        step: TimeDelta::milliseconds(1),
    };
    bulk.waiting(waiting).await;
    drop(bulk);
    let engines = Engines::start(PROCESSES, stage.kind, &store.place);
    let server = store.server().await;
    // Until then retention of the new records runs, and a check each second.
    tokio::time::sleep(SETTLED).await;
    let span = Duration::from_secs(if stage.short { 20 } else { 60 });
    let (mut of_server, mut of_processes) = (Vec::new(), Vec::new());
    let used = || {
        server
            .as_ref()
            .map_or(Duration::ZERO, |server| server.cpu())
    };
    for _ in 0..stage.rounds(2) {
        let before = (used(), engines.cpu());
        tokio::time::sleep(span).await;
        let percent = |used: Duration| used.as_secs_f64() / span.as_secs_f64() * 100.0;
        of_server.push(percent(used() - before.0));
        of_processes.push(percent(engines.cpu() - before.1));
    }
    let kind = stage.kind;
    if server.is_some() {
        let what = "idle, 8 processes, 100,000 queues waiting for later: PostgreSQL";
        row(kind, what, &of_server, "% of a core", "<= 2 %");
    }
    let what = "idle, 8 processes, 100,000 queues waiting for later: the 8 themselves";
    row(kind, what, &of_processes, "% of a core", "");
    drop((engines, server));
    store.remove().await;
}
