//! A message of 500 bytes that is sent until it is accepted, to a receiver that refuses one request
//! in five: the same number of attempts by each, the same millisecond between two of them, each
//! response read to its end.

use std::time::{Duration, Instant};

use delivery::{RetryPolicy, Schedule, Sender, SigningKeys, TargetPolicy};
use rand::SeedableRng as _;
use rand::rngs::StdRng;
use reqwest_middleware::{ClientBuilder, ClientWithMiddleware};
use reqwest_retry::policies::ExponentialBackoff;
use reqwest_retry::{Jitter, RetryTransientMiddleware};
use tokio::runtime::Builder;

use crate::receiver::{REFUSED_OF, Receiver};
use crate::table::{spread, version};

const ROUNDS: usize = 7;
const MESSAGES: usize = 25_600;
const AT_ONCE: usize = 64;
const WAIT: Duration = Duration::from_millis(1);
const RETRIES: u32 = 20;
const TIMEOUT: Duration = Duration::from_secs(10);
const TYPE: (&str, &str) = ("content-type", "application/json");
const ID: &str = "webhook-id";

/// The measurements of a round.
struct Round {
    micros: f64,
    rate: f64,
    attempts: f64,
}

pub(crate) fn print() {
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let receiver = Receiver::start();
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        ours.push(runtime.block_on(with_delivery(&receiver)));
        theirs.push(runtime.block_on(with_middleware(&receiver)));
    }
    println!(
        "| sends a message of 500 bytes until it is taken | µs of CPU, median (span) | over ours (span) | messages a second | attempts | its work |\n|---|---|---|---|---|---|"
    );
    let delivery = format!("delivery {}", version("delivery"));
    line(
        &delivery,
        &ours,
        &ours,
        "judges the address, signs, keeps a record of each attempt",
    );
    let [middleware, retry] = ["reqwest-middleware", "reqwest-retry"].map(version);
    let peer = format!("reqwest-middleware {middleware} with reqwest-retry {retry}");
    line(&peer, &theirs, &ours, "");
    println!();
}

fn line(who: &str, own: &[Round], ours: &[Round], does: &str) {
    let of = |part: fn(&Round) -> f64| own.iter().map(part).collect::<Vec<_>>();
    let ratios = own.iter().zip(ours).map(|(a, b)| a.micros / b.micros);
    println!(
        "| {who} | {} | {} | {} | {} | {does} |",
        spread(of(|round| round.micros), 1),
        spread(ratios.collect(), 2),
        spread(of(|round| round.rate), 0),
        spread(of(|round| round.attempts), 3),
    );
}

async fn with_delivery(receiver: &Receiver) -> Round {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let sender = Sender::builder(policy).max_idle(AT_ONCE, AT_ONCE);
    let sender = sender.build().unwrap();
    let keys = SigningKeys::parse(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]).unwrap();
    let fixed = delivery::Request::builder(receiver.url().parse().unwrap())
        .header(TYPE.0, TYPE.1)
        .timeout(TIMEOUT)
        .delivery_id("none-yet")
        .signing(keys)
        .build()
        .unwrap();
    let schedule = Schedule::new([WAIT]).unwrap().with_jitter(0).unwrap();
    let retries = RetryPolicy::new(RETRIES).with_schedule(schedule);
    round(receiver, move |n| {
        let (sender, fixed, retries) = (sender.clone(), fixed.clone(), retries.clone());
        async move {
            let request = fixed.for_delivery(&id(n), body(n)).unwrap();
            let (now, mut random) = (chrono::Utc::now(), StdRng::seed_from_u64(n as u64));
            let delivered = sender.deliver(&request, &retries, now, &mut random);
            assert!(delivered.await.is_success());
        }
    })
    .await
}

async fn with_middleware(receiver: &Receiver) -> Round {
    let backoff = ExponentialBackoff::builder()
        .retry_bounds(WAIT, WAIT)
        .jitter(Jitter::None)
        .build_with_max_retries(RETRIES);
    let client = reqwest::Client::builder()
        .pool_max_idle_per_host(AT_ONCE)
        .timeout(TIMEOUT)
        .build()
        .unwrap();
    let client: ClientWithMiddleware = ClientBuilder::new(client)
        .with(RetryTransientMiddleware::new_with_policy(backoff))
        .build();
    let url: reqwest::Url = receiver.url().parse().unwrap();
    round(receiver, move |n| {
        let (client, url) = (client.clone(), url.clone());
        async move {
            let request = client.post(url).header(TYPE.0, TYPE.1).header(ID, id(n));
            let response = request.body(body(n)).send().await.unwrap();
            assert!(response.status().is_success());
            response.bytes().await.unwrap();
        }
    })
    .await
}

async fn round<F>(receiver: &Receiver, send: impl Fn(usize) -> F + Clone + Send + 'static) -> Round
where
    F: Future<Output = ()> + Send + 'static,
{
    let asked = receiver.requests().await;
    let (cpu, begun) = (thread_cpu(), Instant::now());
    let senders: Vec<_> = (0..AT_ONCE)
        .map(|first| {
            let send = send.clone();
            tokio::spawn(async move {
                for n in (first..MESSAGES).step_by(AT_ONCE) {
                    send(n).await;
                }
            })
        })
        .collect();
    for sender in senders {
        sender.await.unwrap();
    }
    let (cpu, passed) = (thread_cpu() - cpu, begun.elapsed());
    let attempts = receiver.requests().await - asked;
    let needed = MESSAGES * REFUSED_OF / (REFUSED_OF - 1);
    assert!(attempts.abs_diff(needed) <= 1, "{attempts} attempts");
    let messages = MESSAGES as f64;
    Round {
        micros: cpu.as_secs_f64() * 1e6 / messages,
        rate: messages / passed.as_secs_f64(),
        attempts: attempts as f64 / messages,
    }
}

fn id(n: usize) -> String {
    format!("msg_{n:027}")
}

fn body(n: usize) -> String {
    format!(r#"{{"n":"{n:06}","filler":"{}"}}"#, "x".repeat(500 - 26))
}

/// Returns the CPU time of this thread so far, as the kernel counts it.
fn thread_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    Duration::from_nanos(text.split(' ').next().unwrap().parse().unwrap())
}
