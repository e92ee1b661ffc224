//! Whether the queue slows down with age: the cost of history, backlog, other processes and time.
//! BENCHMARKS.md gives the goals next to each result.
//!
//! `cargo bench -p benches --bench scale -- NAME… [sqlite|postgres] [short] [ROUNDS]`; without a
//! NAME it prints the possible ones. It measures both backends unless one is named; `short` is a
//! tenth. Each store is new, and the emitter and the receiver are separate processes. Cases of one
//! call that need a log of 10,000,000 deliveries share it. Each of the lines printed last is a row
//! for a table: the measured operation, the median with minimum and maximum of the rounds, the
//! goal.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a bench measures time and stops at the first surprise"
)]

mod backlog;
mod cases;
mod cycle;
mod emitter;
mod engines;
mod receiver;
mod report;
mod stage;

use benches::platform::Kind;

use self::stage::Stage;

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    match words.as_slice() {
        [] => cases::ALL.iter().for_each(|name| println!("{name}")),
        ["--receiver"] => receiver::run(),
        ["--emit", rest @ ..] => runtime.block_on(emitter::run(rest)),
        ["--engine", kind, place] => runtime.block_on(engines::run(kind.parse().unwrap(), place)),
        words => runtime.block_on(measure(words)),
    }
    // Running tasks are not awaited: the stores are thrown away.
    runtime.shutdown_background();
}

async fn measure(words: &[&str]) {
    let kinds: Vec<Kind> = words.iter().filter_map(|word| word.parse().ok()).collect();
    let kinds = if kinds.is_empty() {
        vec![Kind::Sqlite, Kind::Postgres]
    } else {
        kinds
    };
    let names: Vec<&str> = words
        .iter()
        .copied()
        .filter(|word| cases::ALL.contains(word))
        .collect();
    assert!(!names.is_empty(), "none of {:?}", cases::ALL);
    let rounds = words.iter().find_map(|word| word.parse().ok());
    for kind in kinds {
        let mut stage = Stage::new(kind, words.contains(&"short"), rounds);
        for name in &names {
            cases::run(name, &mut stage).await;
        }
        stage.end().await;
    }
}
