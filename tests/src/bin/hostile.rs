//! One hostile user beside nine: see `tests::hostile`. The argument is the length of each of the
//! two phases in seconds; `host` must have been built beside this program.

#![allow(clippy::print_stdout, reason = "a program that says what it measured")]

use std::process::ExitCode;
use std::time::Duration;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let seconds = std::env::args().nth(1).and_then(|s| s.parse().ok());
    let own = std::env::current_exe().unwrap_or_default();
    let host = own.with_file_name("host");
    let each = Duration::from_secs(seconds.unwrap_or(60));
    let figures = tests::hostile::run(&host.to_string_lossy(), each).await;
    println!("{figures}");
    if figures.is_well() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
