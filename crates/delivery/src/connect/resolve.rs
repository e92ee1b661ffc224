//! Resolving host names.

use std::future::Future;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;
use std::{fmt, io};

use tokio::sync::{Semaphore, oneshot};

use crate::outcome::DnsFault;

/// The stack of a lookup's thread, in bytes.
const STACK: usize = 512 * 1024;

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

/// The operating system's resolver (`getaddrinfo`), on separate threads.
///
/// A lookup cannot be interrupted: one that hangs keeps its thread after the attempt has timed out.
/// Therefore the number of concurrent lookups is limited. A platform whose users can make many
/// names hang should shorten the timeouts in `resolv.conf`, or give the sender a [`Resolve`] that
/// can be interrupted.
#[derive(Clone, Debug)]
pub struct SystemResolver {
    slots: Arc<Semaphore>,
    lookup: fn(&str) -> io::Result<Vec<IpAddr>>,
}

impl SystemResolver {
    /// Creates a resolver with at most `parallel` concurrent lookups (at least one), each on a
    /// thread.
    #[must_use]
    pub fn new(parallel: usize) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(parallel.max(1))),
            lookup: getaddrinfo,
        }
    }
}

impl Default for SystemResolver {
    /// Creates a resolver with 512 concurrent lookups: as many as an engine with its default limits
    /// sends requests to slow targets.
    fn default() -> Self {
        Self::new(512)
    }
}

impl Resolve for SystemResolver {
    fn resolve<'a>(&'a self, host: &'a str) -> ResolveFuture<'a> {
        Box::pin(async move {
            let slot = Arc::clone(&self.slots).acquire_owned().await;
            let slot = slot.map_err(|_| DnsFault::Failed)?;
            let (host, lookup) = (host.to_owned(), self.lookup);
            let (reply, answer) = oneshot::channel();
            // Not tokio's blocking threads: hung lookups would take them from all other work.
            let thread = std::thread::Builder::new().name("resolver".into());
            let begun = thread.stack_size(STACK).spawn(move || {
                let found = lookup(&host);
                // Held by the lookup and not by the waiting attempt, which may have been dropped.
                drop(slot);
                drop(reply.send(found));
            });
            begun.map_err(|_| DnsFault::Failed)?;
            match answer.await {
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
    async fn hung_lookups_never_exceed_their_thread_slots() {
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
        assert_eq!(started, 4);
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
    async fn unanswered_lookups_of_500_names_delay_no_other() {
        let resolver = SystemResolver {
            lookup: answers_for_some,
            ..SystemResolver::default()
        };
        let silent: Vec<_> = (0..500).map(|n| format!("{n}.silent.example")).collect();
        let mut waiting: Vec<_> = silent.iter().map(|name| resolver.resolve(name)).collect();
        for lookup in &mut waiting {
            let waited = tokio::time::timeout(Duration::from_millis(1), lookup);
            assert!(waited.await.is_err());
        }
        let again = resolver.resolve("good.example");
        let again = tokio::time::timeout(Duration::from_secs(60), again).await;
        *SILENT.0.lock().unwrap() = false;
        SILENT.1.notify_all();
        assert!(matches!(again, Ok(Ok(_))), "{again:?}");
    }
}
