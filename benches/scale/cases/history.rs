//! The cycle after 10,000,000 messages of history, against an empty store.

use crate::cases::cycle::MESSAGES;
use crate::cycle::Cycle;
use crate::report::{ratio, row};
use crate::stage::Stage;

pub(crate) async fn measure(stage: &mut Stage) {
    let kept = stage.kept().await;
    let (mut old, mut new) = (Vec::new(), Vec::new());
    for _ in 0..stage.rounds(3) {
        old.push(rate(stage, &kept).await);
        let store = stage.fresh().await;
        new.push(rate(stage, &store.place).await);
        store.remove().await;
    }
    let kind = stage.kind;
    row(kind, "cycles on an empty store", &new, "a second", "");
    row(kind, "cycles after 10,000,000", &old, "a second", "");
    ratio(
        kind,
        "cycles after 10,000,000, over empty",
        &old,
        &new,
        ">= 0.9 x",
    );
}

async fn rate(stage: &mut Stage, place: &str) -> f64 {
    let mut cycle = Cycle::start(stage, "tenants", place, 200).await;
    let count = stage.scaled(MESSAGES);
    cycle.run(stage, count / 4).await;
    cycle.run(stage, count).await.rate
}
