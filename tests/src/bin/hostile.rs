//! One hostile user and nine others: see `tests::hostile`. The first argument is the length of each
//! of the two phases in seconds, `shared` as the second gives the nine the hostile user's address;
//! `host` must have been built in the same folder as this program, which is also the attack's.

#![allow(clippy::print_stdout, reason = "a program that says what it measured")]

use std::process::ExitCode;
use std::time::Duration;

use tests::hostile::{Addresses, Him, attack, run};

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    if let Some(him) = Him::from_environment() {
        attack(him).await;
        return ExitCode::FAILURE;
    }
    let (seconds, shared) = (std::env::args().nth(1), std::env::args().nth(2));
    let seconds = seconds.and_then(|s| s.parse().ok());
    let addresses = match shared.as_deref() {
        Some("shared") => Addresses::His,
        _ => Addresses::Own,
    };
    let own = std::env::current_exe().unwrap_or_default();
    let host = own.with_file_name("host");
    let each = Duration::from_secs(seconds.unwrap_or(60));
    let figures = run(
        &host.to_string_lossy(),
        &own.to_string_lossy(),
        each,
        addresses,
    )
    .await;
    println!("{figures}");
    if figures.is_well() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
