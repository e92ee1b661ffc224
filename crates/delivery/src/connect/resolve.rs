//! Host names to addresses.

use std::future::Future;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;
use std::{fmt, io};

use tokio::sync::Semaphore;

use crate::outcome::DnsFault;

/// What [`Resolve::resolve`] returns.
pub type ResolveFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<IpAddr>, DnsFault>> + Send + 'a>>;

/// Turns a host name into addresses. Called once an attempt, never for literal addresses.
///
/// What it returns is judged by the target policy afterwards, so a resolver cannot widen it.
pub trait Resolve: fmt::Debug + Send + Sync {
    /// All addresses of a host name, in order of preference.
    ///
    /// # Errors
    ///
    /// [`DnsFault::NoAddress`] when the name does not exist or has no address,
    /// [`DnsFault::Failed`] when that could not be found out.
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a>;
}

/// The operating system's resolver (`getaddrinfo`), on tokio's blocking threads.
///
/// A lookup cannot be interrupted: one that hangs holds its thread after the attempt has timed
/// out. So at most a fixed number run at once, and the blocking pool is never used up.
#[derive(Clone, Debug)]
pub struct SystemResolver {
    slots: Arc<Semaphore>,
    lookup: fn(&str) -> io::Result<Vec<IpAddr>>,
}

impl SystemResolver {
    /// A resolver with at most `parallel` lookups at once (at least one).
    #[must_use]
    pub fn new(parallel: usize) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(parallel.max(1))),
            lookup: getaddrinfo,
        }
    }
}

impl Default for SystemResolver {
    /// 32 lookups at once.
    fn default() -> Self {
        Self::new(32)
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a> {
        Box::pin(async move {
            let slot = Arc::clone(&self.slots)
                .acquire_owned()
                .await
                .map_err(|_| DnsFault::Failed)?;
            let (host, lookup) = (host.to_owned(), self.lookup);
            let lookup = tokio::task::spawn_blocking(move || {
                let found = lookup(&host);
                // Held by the lookup and not by the waiting attempt, which may be gone by now.
                drop(slot);
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

/// `getaddrinfo` reports its own codes as text only; a name that does not exist says so.
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
    use std::time::Duration;

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
            ..SystemResolver::new(2)
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
}
