//! The long run: see `tests::soak`. The argument is its length in seconds.

use std::process::ExitCode;
use std::time::Duration;

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> ExitCode {
    let seconds = std::env::args().nth(1).and_then(|s| s.parse().ok());
    match tests::soak::run(Duration::from_secs(seconds.unwrap_or(3600))).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(what) => {
            eprintln!("{what}");
            ExitCode::FAILURE
        }
    }
}
