//! A service with cached keys, and the headers that present them.

use std::future::Future;
use std::hint::black_box;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use apikey_core::{
    Checker, IpPolicy, KeyDraft, OwnerId, Pepper, PepperId, Peppers, Prefix, PresentedKey,
    RateLimit, verify_key,
};
use chrono::{DateTime, Utc};
use gatepost_keys::{AccessLevel, Account, AccountAnswer, Accounts, KeyService};
use gatepost_kv::MemoryStore;
use gatepost_storage::{KeyStore, ManualClock};

#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, _owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::User))))
    }
}

/// Whether requests of the keys are limited.
#[derive(Clone, Copy)]
pub(crate) enum Limited {
    Yes,
    No,
}

pub(crate) struct Stage {
    service: KeyService,
    headers: Vec<String>,
    /// The checker of the first key.
    checker: Checker,
    peppers: Peppers,
    now: DateTime<Utc>,
    clock: Arc<ManualClock>,
}

impl Stage {
    /// Creates a service that has all keys in memory.
    pub(crate) async fn of(keys: usize, limited: Limited) -> Self {
        let (store, peppers) = (Arc::new(MemoryStore::new()), peppers());
        let now = "2026-01-01T00:00:00Z".parse().unwrap();
        let (mut headers, mut checker) = (Vec::with_capacity(keys), None);
        for owner in (0..).take(keys) {
            let (record, reveal) = draft(OwnerId(owner), limited)
                .issue(&Prefix::default(), &peppers, &mut rand::rng(), now)
                .unwrap()
                .into_parts();
            headers.push(format!("Bearer {}", reveal.reveal().as_str()));
            checker = checker.or_else(|| record.checker());
            store.insert_key(&record, u64::MAX).await.unwrap();
        }
        let clock = Arc::new(ManualClock::at(now));
        let service = KeyService::builder(store, Arc::new(Users))
            .clock(clock.clone())
            .peppers(self::peppers())
            .cached_keys(keys * 2 + 1000)
            .build();
        for header in &headers {
            let authenticated = service.authenticate([header.as_bytes()], addr());
            authenticated.await.unwrap();
        }
        Self {
            service,
            headers,
            checker: checker.unwrap(),
            peppers,
            now,
            clock,
        }
    }

    /// Returns a header, by a stride that is no pattern to the processor's caches.
    pub(crate) fn header(&self, n: usize) -> &str {
        &self.headers[n.wrapping_mul(7_919) % self.headers.len()]
    }

    /// Authenticates, from the header to the principal.
    pub(crate) fn authenticate(&self, header: &str) {
        let authenticated = self.service.authenticate([header.as_bytes()], addr());
        black_box(ready(authenticated).unwrap());
    }

    /// Runs only the check of the first key, without a service.
    pub(crate) fn check(&self, header: &str) {
        let token = header.strip_prefix("Bearer ").unwrap();
        let key = PresentedKey::parse(token).unwrap();
        let judged = verify_key(&self.checker, &key, addr(), self.now, &self.peppers);
        let _ = black_box(judged.unwrap());
    }

    /// Lets a minute pass, so that the buckets are full.
    pub(crate) fn fill_buckets(&self) {
        self.clock.advance(Duration::from_secs(60));
    }
}

fn draft(owner: OwnerId, limited: Limited) -> KeyDraft {
    let allow = (0..10).map(|n| format!("10.0.{n}.0/24"));
    let ip = IpPolicy {
        allow: allow.collect::<Vec<_>>().join(",").parse().unwrap(),
        deny: "".parse().unwrap(),
    };
    let mut draft = KeyDraft::new(owner, "k".parse().unwrap());
    draft.ip = ip;
    if matches!(limited, Limited::Yes) {
        draft.limit = Some(RateLimit::per_minute(1_000_000).unwrap());
    }
    draft
}

fn peppers() -> Peppers {
    Peppers::new(Pepper::new(PepperId(1), &[7; 32]).unwrap())
}

fn addr() -> IpAddr {
    IpAddr::from([10, 0, 0, 7])
}

/// Polls a future that must be ready immediately, because its key is in memory.
fn ready<T>(future: impl Future<Output = T>) -> T {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => value,
        Poll::Pending => unreachable!("the key is in memory"),
    }
}
