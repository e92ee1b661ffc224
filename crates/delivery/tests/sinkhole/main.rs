//! A separate program, because it needs its own network namespace: a network in which every address
//! on earth is this machine, so that every connection is seen.
//!
//! `./test` starts it by `sinkhole/run.sh` if a namespace can be made:
//! `unshare -n sh crates/delivery/tests/sinkhole/run.sh`

#![allow(clippy::unwrap_used)] // a helper that fails is a test that fails

mod dns;
mod servers;
#[path = "../support/spellings.rs"]
mod spellings;
#[path = "../support/wire.rs"]
mod wire;

use std::time::Duration;

use chrono::{DateTime, Utc};
use delivery::{DnsFault, ErrorClass, Proxy, Request, Sender, SenderBuilder, TargetPolicy, Trust};
use servers::{HTTP_PROXY, Hits, SOCKS_PROXY, world};
use spellings::{FORBIDDEN, PUBLIC, spellings};

/// Names with AAAA only, with both families, aliases of inner names, and the names that the machine
/// knows itself.
const NAMES_OF_REFUSED: [&str; 8] = [
    "six.test",
    "six-local.test",
    "six-mapped.test",
    "six-nat.test",
    "both.test",
    "alias.test",
    "alias-chain.test",
    "localhost",
];

/// The address at which redirects begin.
const START: &str = "9.9.9.9";

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_800_000_000, 0).unwrap()
}

fn sender() -> SenderBuilder {
    Sender::builder(TargetPolicy::public()).follow_redirects(5)
}

/// Returns `None` if the text is no URL, or no request can be made of it.
async fn send(sender: &Sender, url: &str) -> Option<delivery::Attempt> {
    let url = url::Url::parse(url).ok()?;
    let request = Request::builder(url)
        .trust(Trust::AllowInsecure)
        .timeout(Duration::from_secs(3))
        .build()
        .ok()?;
    Some(sender.send(&request, now()).await)
}

/// Every forbidden address in every notation, and behind names: by itself, and next to a public
/// one.
fn hostile() -> Vec<String> {
    let mut urls = Vec::new();
    for text in FORBIDDEN {
        let named = text.replace('.', "-");
        let names = [
            format!("{named}.in.test"),
            format!("8-8-8-8--{named}.in.test"),
            format!("{named}--8-8-8-8.in.test"),
            format!("8.8.8.8@{text}"),
            format!("{text}:80"),
            format!("{text}\\@8.8.8.8"),
            format!("{text}#@8.8.8.8"),
            format!("{text}?@8.8.8.8"),
        ];
        for host in spellings(text.parse().unwrap()).into_iter().chain(names) {
            urls.push(format!("http://{host}/x"));
            urls.push(format!("https://{host}/x"));
        }
    }
    for name in NAMES_OF_REFUSED {
        urls.push(format!("http://{name}/x"));
        urls.push(format!("https://{name}./x"));
    }
    urls
}

/// Tries all of them; returns the number that made a request.
async fn expect_none_reached(sender: &Sender, hits: &Hits, urls: &[String], what: &str) -> usize {
    let mut tried = 0;
    for url in urls {
        let Some(attempt) = send(sender, url).await else {
            continue;
        };
        tried += 1;
        assert!(
            matches!(attempt.outcome, Err(ErrorClass::Refused(_))),
            "{what}: {url}: {:?}",
            attempt.outcome
        );
    }
    assert_eq!(hits.take(), Default::default(), "{what}");
    tried
}

/// Checks that public targets are reached, once each.
async fn expect_all_reached(sender: &Sender, hits: &Hits, what: &str) {
    let names = ["public.test", "six-public.test", "alias-public.test"];
    for host in PUBLIC.into_iter().chain(names) {
        let host = match host.contains(':') {
            true => format!("[{host}]"),
            false => host.to_owned(),
        };
        let attempt = send(sender, &format!("http://{host}/")).await.unwrap();
        assert_eq!(attempt.outcome, Ok(204), "{what}: {host}");
        assert_eq!(hits.take().values().sum::<usize>(), 1, "{what}: {host}");
    }
}

#[tokio::test]
#[ignore = "needs a network namespace: unshare -n sh crates/delivery/tests/sinkhole/run.sh"]
async fn policy_refused_targets_are_never_connected_to() {
    let hits = world().await;
    dns::serve().await;
    let urls = hostile();

    let plain = sender().build().unwrap();
    let direct = expect_none_reached(&plain, &hits, &urls, "direct").await;
    expect_all_reached(&plain, &hits, "direct").await;

    let mut proxied = 0;
    for proxy in [
        format!("http://{HTTP_PROXY}"),
        format!("socks5://{SOCKS_PROXY}"),
    ] {
        let through = sender()
            .proxy(Proxy::parse(&proxy).unwrap())
            .build()
            .unwrap();
        proxied += expect_none_reached(&through, &hits, &urls, &proxy).await;
        expect_all_reached(&through, &hits, &proxy).await;
    }

    let redirected = redirects_lead_to_none(&plain, &hits, &urls).await;
    answers_that_change(&plain, &hits).await;
    assert!(
        direct >= 2000 && redirected >= 1000,
        "{direct} {redirected}"
    );
    println!("{direct} targets, {proxied} through proxies, {redirected} redirects: none reached");
}

/// A public server that sends the sender on to each of them.
async fn redirects_lead_to_none(sender: &Sender, hits: &Hits, urls: &[String]) -> usize {
    let mut refused = 0;
    for url in urls {
        let start = format!("http://{START}/to/{url}");
        let outcome = send(sender, &start).await.unwrap().outcome;
        match outcome {
            Err(ErrorClass::Refused(_)) => refused += 1,
            // No URL, or one with credentials: the redirect itself is the answer.
            Err(ErrorClass::Status(307)) => {}
            // A path that begins with `#` or `?` never reached the redirecting server.
            Ok(204) => panic!("{url}: somebody was reached"),
            other => panic!("{url}: {other:?}"),
        }
        let mut reached = hits.take();
        reached.remove(&START.parse().unwrap());
        assert!(reached.is_empty(), "redirected to {url}: {reached:?}");
    }
    // The control: a redirect to where one may go is followed.
    let onward = format!("http://{START}/to/http://public.test/");
    assert_eq!(send(sender, &onward).await.unwrap().outcome, Ok(204));
    assert_eq!(hits.take().len(), 2);
    refused
}

/// Checks a name with a public address first and a private one after: each attempt resolves again,
/// and uses the latest answer.
async fn answers_that_change(sender: &Sender, hits: &Hits) {
    let first = send(sender, "http://rebind.test/").await.unwrap();
    assert_eq!(first.outcome, Ok(204));
    assert_eq!(hits.take().len(), 1);
    for _ in 0..3 {
        let later = send(sender, "http://rebind.test/").await.unwrap();
        assert!(matches!(later.outcome, Err(ErrorClass::Refused(_))));
    }
    let unknown = send(sender, "http://nobody.test/").await.unwrap();
    assert_eq!(unknown.outcome, Err(ErrorClass::Dns(DnsFault::NoAddress)));
    assert!(hits.take().is_empty());
}
