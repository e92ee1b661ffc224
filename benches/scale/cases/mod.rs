//! The cases, one a file.

mod cycle;
mod due;
mod growth;
mod history;
mod idle;
mod lists;
mod long;
mod outbox;
mod peers;
mod retention;
mod searches;
mod stats;
mod wake;

use crate::stage::Stage;

/// Their names.
pub(crate) const ALL: &[&str] = &[
    "peers",
    "cycle",
    "long",
    "due",
    "figures",
    "lists",
    "searches",
    "wake",
    "idle",
    "retention",
    "history",
    "outbox",
    "growth",
];

/// Measures one of them and prints its results.
pub(crate) async fn run(name: &str, stage: &mut Stage) {
    match name {
        "peers" => peers::measure(stage).await,
        "cycle" => cycle::measure(stage).await,
        "long" => long::measure(stage).await,
        "due" => due::measure(stage).await,
        "figures" => stats::measure(stage).await,
        "lists" => lists::measure(stage).await,
        "searches" => searches::measure(stage).await,
        "wake" => wake::measure(stage).await,
        "idle" => idle::measure(stage).await,
        "retention" => retention::measure(stage).await,
        "history" => history::measure(stage).await,
        "outbox" => outbox::measure(stage).await,
        "growth" => growth::measure(stage).await,
        other => panic!("no case {other}"),
    }
}
