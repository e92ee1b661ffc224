//! Names: checked as a whole, for each attempt again, and never shown to the user as addresses.

use std::net::IpAddr;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::SeqCst;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::{
    DnsFault, ErrorClass, Phase, Resolve, ResolveFuture, Sender, SystemResolver, TargetPolicy,
};

use crate::support::receiver::Receiver;
use crate::support::request::{local_policy, now, post};

/// Answers each question with the next script line, the last for ever.
#[derive(Debug)]
struct Scripted {
    script: Vec<Result<Vec<IpAddr>, DnsFault>>,
    asked: AtomicUsize,
    names: Mutex<Vec<String>>,
}

impl Scripted {
    fn new(script: &[&[&str]]) -> Arc<Self> {
        let script = script
            .iter()
            .map(|addrs| Ok(addrs.iter().map(|a| a.parse().unwrap()).collect()))
            .collect();
        Arc::new(Self {
            script,
            asked: AtomicUsize::new(0),
            names: Mutex::default(),
        })
    }
}

impl Resolve for Scripted {
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a> {
        let n = self.asked.fetch_add(1, SeqCst);
        self.names.lock().unwrap().push(host.to_owned());
        let answer = self
            .script
            .get(n)
            .unwrap_or_else(|| self.script.last().unwrap())
            .clone();
        Box::pin(async move { answer })
    }
}

#[derive(Debug)]
struct Hangs;

impl Resolve for Hangs {
    fn resolve<'a>(&'a self, _: &'a str) -> ResolveFuture<'a> {
        Box::pin(std::future::pending())
    }
}

async fn outcome(resolver: Arc<dyn Resolve>, policy: TargetPolicy, port: u16) -> delivery::Attempt {
    let sender = Sender::builder(policy).resolver(resolver).build().unwrap();
    let request = post(&format!("http://hooks.example:{port}/"))
        .timeout(Duration::from_millis(500))
        .build()
        .unwrap();
    sender.send(&request, now()).await
}

#[tokio::test]
async fn one_bad_address_refuses_the_whole_name() {
    for addrs in [
        &["8.8.8.8", "10.0.0.1"][..],
        &["127.0.0.1"],
        &["8.8.8.8", "::ffff:169.254.169.254"],
        &["2606:4700::1111", "64:ff9b::7f00:1"],
        &["fe80::1"],
        &["8.8.8.8", "1.1.1.1", "0.0.0.0"],
    ] {
        let attempt = outcome(Scripted::new(&[addrs]), TargetPolicy::public(), 80).await;
        let Err(ErrorClass::Refused(_)) = attempt.outcome else {
            panic!("{addrs:?}: {:?}", attempt.outcome)
        };
        for addr in addrs {
            assert!(
                !attempt.status_info().contains(addr),
                "{}",
                attempt.status_info()
            );
        }
        assert_eq!(attempt.address, None, "nothing was dialled");
    }
}

#[tokio::test]
async fn changed_dns_answer_is_checked_on_every_attempt() {
    let receiver =
        Receiver::fixed("HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n").await;
    let resolver = Scripted::new(&[&["127.0.0.1"], &["10.0.0.1"], &["127.0.0.1"]]);
    let sender = Sender::builder(local_policy())
        .resolver(resolver.clone())
        .build()
        .unwrap();
    let request = post(&format!("http://hooks.example:{}/", receiver.addr.port()))
        .build()
        .unwrap();
    assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
    assert!(matches!(
        sender.send(&request, now()).await.outcome,
        Err(ErrorClass::Refused(_))
    ));
    assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
    assert_eq!(resolver.asked.load(SeqCst), 3, "once an attempt");
    assert_eq!(receiver.requests(), 2);
}

#[tokio::test]
async fn literal_addresses_are_never_looked_up() {
    let receiver = Receiver::fixed("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let resolver = Scripted::new(&[&["10.0.0.1"]]);
    let sender = Sender::builder(local_policy())
        .resolver(resolver.clone())
        .build()
        .unwrap();
    for host in ["127.0.0.1", "2130706433", "0x7f.1"] {
        let request = post(&format!("http://{host}:{}/", receiver.addr.port()))
            .build()
            .unwrap();
        assert_eq!(sender.send(&request, now()).await.outcome, Ok(200));
    }
    assert_eq!(resolver.asked.load(SeqCst), 0);
}

#[tokio::test]
async fn unreachable_address_falls_back_to_next_one() {
    let receiver = Receiver::fixed("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    // Nobody listens on the port at 127.0.0.2: the connection is refused immediately, the next
    // address is tried.
    let attempt = outcome(
        Scripted::new(&[&["127.0.0.2", "127.0.0.1"]]),
        local_policy(),
        receiver.addr.port(),
    )
    .await;
    assert_eq!(attempt.outcome, Ok(200));
    assert_eq!(attempt.address, Some(receiver.addr));
}

#[tokio::test]
async fn dns_failures_are_distinguished_and_retried() {
    let failed = Arc::new(Scripted {
        script: vec![Err(DnsFault::Failed)],
        asked: AtomicUsize::new(0),
        names: Mutex::default(),
    });
    let none = Scripted::new(&[&[]]);
    let cases: [(Arc<dyn Resolve>, ErrorClass); 3] = [
        (failed, ErrorClass::Dns(DnsFault::Failed)),
        (none, ErrorClass::Dns(DnsFault::NoAddress)),
        (Arc::new(Hangs), ErrorClass::Timeout(Phase::Dns)),
    ];
    for (resolver, class) in cases {
        let attempt = outcome(resolver, TargetPolicy::public(), 80).await;
        assert_eq!(attempt.outcome, Err(class));
        assert_eq!(attempt.retryable(), delivery::Retryable::Yes);
    }
}

#[tokio::test]
async fn system_resolver_finds_localhost_and_rejects_invalid_domain() {
    let resolver = SystemResolver::new(2);
    let found = resolver.resolve("localhost").await.unwrap();
    assert!(
        !found.is_empty() && found.iter().all(IpAddr::is_loopback),
        "{found:?}"
    );
    assert!(resolver.resolve("no-such-name.invalid").await.is_err());
}

/// The same holds for a name, and with an idle connection that a wider policy opened.
#[tokio::test]
async fn policy_allow_at_opens_only_that_port() {
    const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";
    let (open, other) = (Receiver::fixed(OK).await, Receiver::fixed(OK).await);
    let policy = TargetPolicy::public().allow_at(open.addr);
    let names = Scripted::new(&[&["127.0.0.1"]]);
    let attempt = outcome(names.clone(), policy.clone(), open.addr.port()).await;
    assert!(attempt.is_success(), "{attempt:?}");
    let attempt = outcome(names.clone(), policy.clone(), other.addr.port()).await;
    assert!(matches!(attempt.error(), Some(ErrorClass::Refused(_))));

    let wide = Sender::builder(local_policy())
        .resolver(names)
        .build()
        .unwrap();
    let request = |port| {
        post(&format!("http://hooks.example:{port}/"))
            .build()
            .unwrap()
    };
    for port in [open.addr.port(), other.addr.port()] {
        assert!(wide.send(&request(port), now()).await.is_success());
    }
    let narrow = wide.with_policy(policy);
    let reused = narrow.send(&request(open.addr.port()), now()).await;
    assert!(reused.is_success() && reused.reused, "{reused:?}");
    let refused = narrow.send(&request(other.addr.port()), now()).await;
    assert!(matches!(refused.error(), Some(ErrorClass::Refused(_))));
}
