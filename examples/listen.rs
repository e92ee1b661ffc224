//! Forwards the messages of a fetched webhook to a program on this machine, while you develop it.
//!
//! `GATEPOST_KEY=… cargo run --example listen -- API WEBHOOK TARGET`, such as
//! `listen -- https://platform.example/api/v4 2 http://127.0.0.1:3000/hook`. The webhook has the
//! `delivery_mode` `fetch`; the key may write the table `webhooks`.
//!
//! A message is acknowledged once TARGET responded with 2xx. Otherwise it stays first in line and
//! is forwarded again after two seconds, under the same `webhook-id`; cancel it in the console to
//! skip it. Ctrl-C ends the program: a message that is not acknowledged yet is forwarded again at
//! the next start. It also ends if the API refuses the key, the webhook or the query.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that talks to a person"
)]

use std::error::Error;
use std::net::IpAddr;
use std::process::ExitCode;
use std::time::Duration;

use delivery::{Attempt, Method, Request, Sender, TargetPolicy};
use gatepost_storage::{Clock, SystemClock};
use serde_json::Value;
use url::{Host, Url};

type Failure = Box<dyn Error + Send + Sync>;

const USAGE: &str = "usage: GATEPOST_KEY=… listen API WEBHOOK http://127.0.0.1:PORT/PATH";
/// A page with one message of the largest size, escaped, and its headers.
const PAGE_BYTES: usize = 32 * 1024 * 1024;
const TIMEOUT: Duration = Duration::from_secs(30);
const IDLE: Duration = Duration::from_secs(1);
const AFTER_FAILURE: Duration = Duration::from_secs(2);

#[derive(Debug)]
struct Listener {
    sender: Sender,
    messages: Url,
    key: String,
    target: Url,
}

impl Listener {
    fn from_args() -> Result<Self, Failure> {
        let args: Vec<String> = std::env::args().skip(1).collect();
        let [api, webhook, target] = &args[..] else {
            return Err(USAGE.into());
        };
        let key = std::env::var("GATEPOST_KEY").map_err(|_| "GATEPOST_KEY has no key")?;
        let webhook: i64 = webhook.parse().map_err(|_| "WEBHOOK must be a number")?;
        let path = format!(
            "{}/webhook_urls/{webhook}/messages",
            api.trim_end_matches('/')
        );
        let messages = path.parse().map_err(|_| "API must be a URL")?;
        let target: Url = target.parse().map_err(|_| "TARGET must be a URL")?;
        let is_here = match target.host() {
            Some(Host::Ipv4(address)) => IpAddr::V4(address).is_loopback(),
            Some(Host::Ipv6(address)) => IpAddr::V6(address).is_loopback(),
            Some(Host::Domain(name)) => name == "localhost",
            None => false,
        };
        if !is_here {
            return Err("TARGET must be on this machine: http://127.0.0.1:PORT/PATH".into());
        }
        // Both addresses are the caller's own choice.
        let anywhere = TargetPolicy::public()
            .allow("0.0.0.0/0".parse()?)
            .allow("::/0".parse()?);
        let sender = Sender::builder(anywhere).build()?;
        Ok(Self {
            sender,
            messages,
            key,
            target,
        })
    }

    /// Acknowledges the page of the cursor `after` and returns the oldest message.
    async fn fetch(&self, after: &str) -> Result<Attempt, Failure> {
        let mut url = self.messages.clone();
        url.query_pairs_mut()
            .append_pair("limit", "1")
            .append_pair("after", after);
        let request = Request::builder(url)
            .method(Method::GET)
            .sensitive_header("Authorization", format!("Bearer {}", self.key))
            .capture_limit(PAGE_BYTES)
            .timeout(TIMEOUT)
            .build()?;
        Ok(self.sender.send(&request, SystemClock.now()).await)
    }

    /// Sends a message to the target and prints the line about it. Returns whether the target
    /// accepted it.
    async fn forward(&self, message: &Value) -> Result<bool, Failure> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let mut request = Request::builder(self.target.clone()).timeout(TIMEOUT);
        for header in message["headers"].as_array().into_iter().flatten() {
            request = request.header(&text(&header["name"]), text(&header["value"]));
        }
        let request = request.body(text(&message["body"])).build()?;
        let attempt = self.sender.send(&request, SystemClock.now()).await;
        let (id, about) = (text(&message["id"]), &message["event"]);
        let event = about.as_str().unwrap_or("-");
        println!("{id} {event}: {}", attempt.status_info());
        Ok(attempt.outcome.is_ok())
    }

    /// Forwards messages until the API refuses the caller.
    async fn run(&self) -> Result<(), Failure> {
        let mut after = String::new();
        loop {
            let answer = self.fetch(&after).await?;
            let refused = answer.status.filter(|status| matches!(status, 400..429));
            if refused.is_some() {
                return Err(format!("{}: {}", answer.status_info(), answer.body.text()).into());
            }
            if answer.outcome.is_err() {
                eprintln!("the API: {}", answer.status_info());
                tokio::time::sleep(AFTER_FAILURE).await;
                continue;
            }
            let page: Value = serde_json::from_slice(&answer.body.bytes)?;
            let cursor = page["cursor"].as_str().ok_or("not a page of messages")?;
            match &page["messages"][0] {
                Value::Null => tokio::time::sleep(IDLE).await,
                message if self.forward(message).await? => after = cursor.to_owned(),
                _ => tokio::time::sleep(AFTER_FAILURE).await,
            }
        }
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    let ended = match Listener::from_args() {
        Ok(listener) => tokio::select! {
            ended = listener.run() => ended,
            stopped = tokio::signal::ctrl_c() => stopped.map_err(Failure::from),
        },
        Err(error) => Err(error),
    };
    let Err(error) = ended else {
        return ExitCode::SUCCESS;
    };
    eprintln!("{error}");
    ExitCode::FAILURE
}
