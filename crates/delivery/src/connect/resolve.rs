//! Resolving host names.

use std::future::Future;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use std::{fmt, io};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

use super::quick_names::QuickNames;
use crate::outcome::DnsFault;

/// The maximum duration of a quick lookup.
const QUICK: Duration = Duration::from_secs(1);

/// The return type of [`Resolve::resolve`].
pub type ResolveFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, DnsFault>> + Send + 'a>>;

/// Resolves a host name. It is called once for each attempt, never for literal addresses.
///
/// The target policy checks the result, so a resolver cannot bypass it.
pub trait Resolve: fmt::Debug + Send + Sync {
    /// Returns all addresses of a host name, in order of preference.
    ///
    /// # Errors
    ///
    /// [`DnsFault::NoAddress`] if the name does not exist or has no address, [`DnsFault::Failed`]
    /// if the lookup failed.
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a>;
}

/// The operating system's resolver (`getaddrinfo`), on tokio's blocking threads.
///
/// A lookup cannot be interrupted: one that hangs keeps its thread after the attempt has timed out.
/// Therefore the number of concurrent lookups is limited, and the blocking pool is never exhausted.
/// Half of them are reserved for names whose last lookup was quick and successful: names that never
/// answer delay only names that were not resolved before.
#[derive(Clone, Debug)]
pub struct SystemResolver {
    slots: Arc<Semaphore>,
    /// The permits for names whose last lookup was not quick and successful.
    unproven: Arc<Semaphore>,
    quick: Arc<QuickNames>,
    lookup: fn(&str) -> io::Result<Vec<IpAddr>>,
}

impl SystemResolver {
    /// Creates a resolver with at most `parallel` concurrent lookups (at least one).
    #[must_use]
    pub fn new(parallel: usize) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(parallel.max(1))),
            unproven: Arc::new(Semaphore::new((parallel / 2).max(1))),
            quick: Arc::default(),
            lookup: getaddrinfo,
        }
    }

    /// Returns a permit for a lookup; `None` if there will be none.
    async fn place(
        &self,
        host: &str,
    ) -> Option<(OwnedSemaphorePermit, Option<OwnedSemaphorePermit>)> {
        let take = |slots: &Arc<Semaphore>| Arc::clone(slots).acquire_owned();
        // First the permits of which there are fewer: nobody waits for these while holding one of
        // the others.
        let unproven = match self.quick.has(host) {
            true => None,
            false => Some(take(&self.unproven).await.ok()?),
        };
        Some((take(&self.slots).await.ok()?, unproven))
    }
}

impl Default for SystemResolver {
    /// Creates a resolver with 32 concurrent lookups.
    fn default() -> Self {
        Self::new(32)
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a> {
        Box::pin(async move {
            let place = self.place(host).await.ok_or(DnsFault::Failed)?;
            let (host, lookup) = (host.to_owned(), self.lookup);
            let quick = Arc::clone(&self.quick);
            let lookup = tokio::task::spawn_blocking(move || {
                let began = Instant::now();
                let found = lookup(&host);
                quick.note(&host, found.is_ok() && began.elapsed() <= QUICK);
                // Held by the lookup and not by the waiting attempt, which may have been dropped.
                drop(place);
                found
            });
            match lookup.await {
                Ok(found) => found.map_err(|error| fault(&error)),
                Err(_) => Err(DnsFault::Failed),
            }
        })
    }
}

fn getaddrinfo(host: &str) -> io::Result<Vec<IpAddr>> {
    Ok((host, 0).to_socket_addrs()?.map(|addr| addr.ip()).collect())
}

/// `getaddrinfo` reports its own codes as text only; the text shows if a name does not exist.
fn fault(error: &io::Error) -> DnsFault {
    let text = error.to_string();
    if text.contains("not known") || text.contains("No address") || text.contains("No such host") {
        DnsFault::NoAddress
    } else {
        DnsFault::Failed
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::atomic::Ordering::SeqCst;
    use std::sync::{Condvar, Mutex};

    use super::*;

    static STARTED: AtomicUsize = AtomicUsize::new(0);
    static HUNG: (Mutex<bool>, Condvar) = (Mutex::new(true), Condvar::new());

    fn hangs(_: &str) -> io::Result<Vec<IpAddr>> {
        STARTED.fetch_add(1, SeqCst);
        let mut hung = HUNG.0.lock().unwrap();
        while *hung {
            hung = HUNG.1.wait(hung).unwrap();
        }
        Ok(vec![IpAddr::from([8, 8, 8, 8])])
    }

    #[tokio::test]
    async fn hung_lookups_hold_their_slots_and_no_more_threads_than_that() {
        let resolver = SystemResolver {
            lookup: hangs,
            ..SystemResolver::new(4)
        };
        for _ in 0..10 {
            let waited =
                tokio::time::timeout(Duration::from_millis(20), resolver.resolve("a.example"));
            assert!(
                waited.await.is_err(),
                "the attempt is over, the lookup is not"
            );
        }
        let started = STARTED.load(SeqCst);
        *HUNG.0.lock().unwrap() = false;
        HUNG.1.notify_all();
        assert_eq!(started, 2);
        assert!(
            resolver.resolve("a.example").await.is_ok(),
            "slots come back with their lookups"
        );
    }

    static SILENT: (Mutex<bool>, Condvar) = (Mutex::new(true), Condvar::new());

    fn answers_for_some(host: &str) -> io::Result<Vec<IpAddr>> {
        if !host.starts_with("good") {
            let mut silent = SILENT.0.lock().unwrap();
            while *silent {
                silent = SILENT.1.wait(silent).unwrap();
            }
        }
        Ok(vec![IpAddr::from([8, 8, 8, 8])])
    }

    #[tokio::test]
    async fn names_that_never_answer_hold_up_none_that_did() {
        let resolver = SystemResolver {
            lookup: answers_for_some,
            ..SystemResolver::new(4)
        };
        assert!(resolver.resolve("good.example").await.is_ok());
        for n in 0..10 {
            let silent = format!("{n}.silent.example");
            let waited = tokio::time::timeout(Duration::from_millis(20), resolver.resolve(&silent));
            assert!(waited.await.is_err());
        }
        let again = resolver.resolve("good.example");
        let again = tokio::time::timeout(Duration::from_secs(60), again).await;
        *SILENT.0.lock().unwrap() = false;
        SILENT.1.notify_all();
        assert!(matches!(again, Ok(Ok(_))), "{again:?}");
    }
}
