//! Last logins: the newest of each key, written every few seconds, never waited for by a request
//! (SPEC 5.1 rule 6).

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use apikey_core::{KeyId, LastLogin};
use gatepost_storage::KeyStore;
use gatepost_storage::keys::Login;

/// Logins that wait outside of the cache; more than that are dropped.
const MAX_WAITING: usize = 100_000;
/// Logins written in one call.
const AT_ONCE: usize = 1_000;

/// Logins of keys that are not in the cache.
#[derive(Debug, Default)]
pub(super) struct Logins(Mutex<HashMap<KeyId, LastLogin>>);

impl Logins {
    pub(super) fn note(&self, key: KeyId, login: LastLogin) {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let full = waiting.len() >= MAX_WAITING;
        match waiting.get_mut(&key) {
            Some(old) if old.at <= login.at => *old = login,
            Some(_) => {}
            None if full => metrics::counter!("gatepost_logins_dropped_total").increment(1),
            None => {
                waiting.insert(key, login);
            }
        }
    }

    /// Writes these and those that wait here. What the store does not take is dropped.
    pub(super) async fn flush(&self, mut logins: Vec<Login>, store: &dyn KeyStore) {
        logins.extend(self.take());
        for some in logins.chunks(AT_ONCE) {
            if let Err(error) = store.record_logins(some).await {
                tracing::warn!(%error, dropped = some.len(), "last logins were not written");
                metrics::counter!("gatepost_logins_dropped_total").increment(some.len() as u64);
            }
        }
    }

    fn take(&self) -> Vec<Login> {
        let mut waiting = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        waiting
            .drain()
            .map(|(key, login)| Login { key, login })
            .collect()
    }
}
