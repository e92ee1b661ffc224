//! Everything together, for any time: the example platform on a PostgreSQL server with a long
//! history, nine users at a steady pace and a hostile one (`tests::hostile`), targets of every bad
//! kind, records that come and go, and a check for growth.
//!
//! `cargo build --release -p tests --bin host --bin hostile`, then
//! `cargo bench -p benches --bench everything -- [SECONDS] [DELIVERIES]`: the length, an hour by
//! default, and the number of ended deliveries at the beginning, 10,000,000 by default. It needs
//! PostgreSQL's binaries and 1 GB in the folder for temporary files for 1,000,000. It ends with an
//! error when something is more at the end than in the beginning, when one of the nine got an
//! error, or when a delivery is missing.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::indexing_slicing,
    reason = "a bench measures time and stops at the first surprise"
)]

mod churn;
mod sample;
mod verdict;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::bulk::Bulk;
use benches::platform::{Kind, now};
use benches::server::Server;
use chrono::TimeDelta;
use sample::Look;
use tests::hostile::{Addresses, Attacked};
use tests::platform::{PASSWORD, PlatformProcess};
use tests::postgres::TestPostgres;

/// The number of webhooks of the history: enough for all of it to be kept.
const WEBHOOKS: i64 = 4_000;
/// The time between two samples.
const WINDOW: Duration = Duration::from_secs(60);
/// The smallest number of samples of a run.
const LOOKS: u32 = 12;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let numbers = std::env::args().filter_map(|argument| argument.parse().ok());
    let numbers: Vec<u64> = numbers.collect();
    let length = Duration::from_secs(numbers.first().copied().unwrap_or(3_600));
    let deliveries = numbers.get(1).copied().unwrap_or(10_000_000);
    match run(length, deliveries.cast_signed()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            println!("{what}");
            ExitCode::FAILURE
        }
    }
}

async fn run(length: Duration, deliveries: i64) -> Result<(), String> {
    let database = TestPostgres::start();
    let folder = tempfile::tempdir().unwrap();
    let start = || platform(database.url(), folder.path());
    let attacked = Attacked::furnish(start(), Addresses::Own).await;
    let attacked = attacked
        .restarted(async || {
            history(database.url(), deliveries).await;
            start()
        })
        .await;
    let server = Server::open(database.url()).await;
    let attacked = Arc::new(attacked);
    let churn = tokio::spawn(churn::run(attacked.clone()));

    let window = WINDOW.min(length / LOOKS);
    println!("{}", Look::HEADINGS);
    let alone = attacked.work(window).await;
    let mut occurrences = alone.occurrences;
    println!(
        "{} | without him",
        Look::of(&alone, &attacked, &server).await
    );
    let attack = attacked.attack(&program("hostile").to_string_lossy());
    let (began, mut looks) = (Instant::now(), Vec::new());
    while began.elapsed() < length {
        let phase = attacked.work(window).await;
        occurrences += phase.occurrences;
        let look = Look::of(&phase, &attacked, &server).await;
        println!("{look} | {} s", began.elapsed().as_secs());
        looks.push(look);
        if churn.is_finished() {
            return Err("what goes on beside the nine has ended".to_owned());
        }
    }
    churn.abort();
    drop(attack);
    let missing = attacked.missing(occurrences).await;
    println!("{occurrences} occurrences of the nine, {missing} deliveries missing");
    verdict::judge(&looks, missing)
}

/// Starts the example platform on this database; its other data are in the folder.
fn platform(url: &str, folder: &Path) -> PlatformProcess {
    let mut command = Command::new(program("host"));
    command.args(["--admin-password", PASSWORD, "--data", url, "--state"]);
    PlatformProcess::run(command.arg(folder))
}

/// Returns the path of a program of the package `tests`, built in the same folder as this one.
fn program(name: &str) -> PathBuf {
    let own = std::env::current_exe().unwrap();
    own.parent().unwrap().with_file_name(name)
}

/// Creates a number of deliveries, of the last 30 days, of everybody who has a webhook.
async fn history(url: &str, deliveries: i64) {
    let began = Instant::now();
    let mut bulk = Bulk::at(Kind::Postgres, url).await;
    bulk.copy_hooks(WEBHOOKS).await;
    let until = now() - TimeDelta::hours(1);
    bulk.ended(deliveries, until - TimeDelta::days(30), until)
        .await;
    println!("{deliveries} deliveries written in {:.0?}", began.elapsed());
}
