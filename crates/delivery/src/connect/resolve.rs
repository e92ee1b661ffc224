//! Host names to addresses.

use std::fmt;
use std::future::Future;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::pin::Pin;
use std::sync::Arc;

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
#[derive(Debug, Clone)]
pub struct SystemResolver {
    slots: Arc<Semaphore>,
}

impl SystemResolver {
    /// A resolver with at most `parallel` lookups at once (at least one).
    #[must_use]
    pub fn new(parallel: usize) -> Self {
        Self {
            slots: Arc::new(Semaphore::new(parallel.max(1))),
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
            let host = host.to_owned();
            let lookup = tokio::task::spawn_blocking(move || {
                let found = (host.as_str(), 0).to_socket_addrs();
                // Held by the lookup and not by the waiting attempt, which may be gone by now.
                drop(slot);
                found
            });
            match lookup.await {
                Ok(Ok(found)) => Ok(found.map(|addr| addr.ip()).collect()),
                Ok(Err(error)) => Err(fault(&error)),
                Err(_) => Err(DnsFault::Failed),
            }
        })
    }
}

/// `getaddrinfo` reports its own codes as text only; a name that does not exist says so.
fn fault(error: &std::io::Error) -> DnsFault {
    let text = error.to_string();
    if text.contains("not known") || text.contains("No address") || text.contains("No such host") {
        DnsFault::NoAddress
    } else {
        DnsFault::Failed
    }
}
