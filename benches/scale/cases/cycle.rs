//! The durable cycle with 1,000 tenants, 256 emitters and messages of 200 bytes;
//! `SubscriptionPolicy` and quotas are on.

use benches::platform::Kind;

use crate::cycle::{Cycle, print};
use crate::stage::Stage;

pub(crate) const MESSAGES: i64 = 60_000;

pub(crate) async fn measure(stage: &mut Stage) {
    let store = stage.fresh().await;
    let mut cycle = Cycle::start(stage, "tenants", &store.place, 200).await;
    let count = stage.scaled(MESSAGES);
    cycle.run(stage, count / 10).await;
    let mut runs = Vec::new();
    for _ in 0..stage.rounds(5) {
        runs.push(cycle.run(stage, count).await);
    }
    drop(cycle);
    let goals = match stage.kind {
        Kind::Sqlite => ["<= 50", "", ""],
        Kind::Postgres => ["", "<= 40", "<= 2,200"],
    };
    print(stage.kind, "1,000 tenants, 200 bytes", &runs, goals);
    store.remove().await;
}
