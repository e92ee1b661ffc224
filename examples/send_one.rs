//! Sends one body to one URL, with retries, and prints the outcome.
//!
//! `cargo run --example send_one -- https://hooks.example.com/in '{"text":"hello"}'`
//!
//! Only public targets, unless `--allow-private-targets` is given.
#![allow(clippy::print_stdout, reason = "a program that talks to a person")]

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use delivery::{Request, RetryPolicy, Schedule, Sender, TargetPolicy};
use gatepost_storage::{Clock, SystemClock};

#[tokio::main]
async fn main() -> Result<ExitCode, Box<dyn Error>> {
    let (options, words): (Vec<String>, Vec<String>) = std::env::args()
        .skip(1)
        .partition(|arg| arg.starts_with("--"));
    let [url, body] = words.as_slice() else {
        return Err("usage: send_one [--allow-private-targets] URL BODY".into());
    };
    let mut policy = TargetPolicy::public();
    if options
        .iter()
        .any(|option| option == "--allow-private-targets")
    {
        for net in [
            "127.0.0.0/8",
            "::1/128",
            "10.0.0.0/8",
            "172.16.0.0/12",
            "192.168.0.0/16",
            "fc00::/7",
        ] {
            policy = policy.allow(net.parse()?);
        }
    }
    let sender = Sender::builder(policy).build()?;
    let request = Request::builder(url.parse()?)
        .header("content-type", "application/json")
        .body(body.clone())
        .timeout(Duration::from_secs(5))
        .build()?;
    let retries = RetryPolicy::new(2).with_schedule(Schedule::new([
        Duration::from_secs(1),
        Duration::from_secs(3),
    ])?);

    let delivered = sender
        .deliver(&request, &retries, SystemClock.now(), &mut rand::rng())
        .await;
    println!(
        "{} attempt(s): {}",
        delivered.attempts(),
        delivered.last.status_info()
    );
    Ok(if delivered.is_success() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}
