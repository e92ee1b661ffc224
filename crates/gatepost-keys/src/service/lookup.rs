//! The step from a presented key to its record, and the decision based on the record.

use std::net::IpAddr;
use std::sync::Arc;

use apikey_core::{
    Accepted, KeyId, KeyRefusal, OwnerId, Peppers, PresentedKey, reject_unknown, verify_key,
};
use arc_swap::Guard;
use chrono::{DateTime, Utc};
use gatepost_ids::Account;
use gatepost_storage::{Clock, KeyStore, StoreError};

use super::realm_assignment::place;
use super::refused_request::Refused;
use crate::cache::{Cache, Held};
use crate::cached_key::Entry;
use crate::denial::Denied;
use crate::key_decision::{Judged, is_wrong_secret};
use crate::request_context::Circumstances;
use crate::throttle::Throttle;

/// The records of keys, in the cache and in the store.
pub(super) struct Lookup {
    pub(super) store: Arc<dyn KeyStore>,
    pub(super) cache: Cache,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) peppers: Peppers,
    pub(super) throttle: Throttle,
}

impl Lookup {
    /// Returns the circumstances of a key that is presented from this address now.
    #[inline]
    pub(super) fn at(&self, addr: IpAddr) -> Circumstances<'_> {
        Circumstances {
            addr,
            now: self.clock.now(),
            peppers: &self.peppers,
        }
    }

    /// Returns the entry of a key if the cache may be used, without waiting.
    #[inline]
    pub(super) fn held(&self, key: &PresentedKey<'_>) -> Option<Held> {
        let is_current = self.cache.is_current(key.lookup(), self.store.as_ref());
        is_current.then(|| self.cache.get(key.lookup()))
    }

    /// Finds the record of a key, in the cache or in the store, and checks the key against it.
    ///
    /// A wrong secret costs the same whether its record is in the cache, in the store, or does not
    /// exist: two comparisons and one read of the store. It does not add a record to the cache. A
    /// disabled key costs the same as a deleted one, whatever its secret is.
    pub(super) async fn lookup(
        &self,
        key: &PresentedKey<'_>,
        at: &Circumstances<'_>,
    ) -> Result<Found, Refused> {
        let synced = self.cache.sync(key.lookup(), self.store.as_ref()).await;
        let synced = synced.map_err(|error| unavailable(&error))?;
        let held = synced.then(|| Guard::into_inner(self.cache.get(key.lookup())));
        if let Some(entry) = held.flatten() {
            let found = Found::in_memory(entry, key, at);
            if !found.judged().is_wrong_secret() {
                return Ok(found);
            }
        } else {
            let _ = reject_unknown(key, &self.peppers);
        }
        let epoch = self.cache.epoch(key.lookup());
        let row = self.store.key_by_lookup(key.lookup()).await;
        let Some(row) = row.map_err(|error| unavailable(&error))? else {
            return Err(reject_unknown(key, &self.peppers).into());
        };
        let Some(checker) = row.key.checker() else {
            let _ = reject_unknown(key, &self.peppers);
            return Err(KeyRefusal::Disabled.into());
        };
        let outcome = verify_key(&checker, key, at.addr, at.now, at.peppers);
        let is_wrong = is_wrong_secret(outcome);
        let meter = (!is_wrong).then(|| self.throttle.meter(&row)).flatten();
        let entry = Arc::new(Entry::new(&row, checker, meter));
        if is_wrong || !synced {
            return Ok(Found::read(entry, outcome));
        }
        let entry = self.cache.insert(entry, epoch);
        let outcome = entry.judge(key, at);
        Ok(Found::read(entry, outcome))
    }

    /// Stores the realm of an owner. If it fails, the next lookup that reads the store tries again.
    pub(super) async fn place(&self, owner: OwnerId, account: &Account, now: DateTime<Utc>) {
        if let Err(error) = place(self.store.as_ref(), owner, account, now).await {
            tracing::warn!(%error, %owner, "an owner was not placed");
        }
    }

    /// Replaces a digest of an older pepper while the key is available. If it fails, the key's next
    /// use tries again.
    pub(super) async fn rehash(&self, key: &PresentedKey<'_>, id: KeyId) {
        let digest = self.peppers.digest(key);
        let result = async {
            if let Some(mut row) = self.store.key(id).await? {
                row.key.digest = digest;
                self.store.update_key(&row, self.clock.now()).await?;
            }
            Ok::<_, StoreError>(())
        };
        if let Err(error) = result.await {
            tracing::debug!(%error, "a digest was not renewed");
        }
    }
}

/// A key whose record was found.
pub(super) struct Found {
    entry: Arc<Entry>,
    outcome: Result<Accepted, KeyRefusal>,
    is_cold: bool,
}

impl Found {
    fn in_memory(entry: Arc<Entry>, key: &PresentedKey<'_>, at: &Circumstances<'_>) -> Self {
        let outcome = entry.judge(key, at);
        Self {
            entry,
            outcome,
            is_cold: false,
        }
    }

    /// Creates the result for a record that was read from the store for this request.
    fn read(entry: Arc<Entry>, outcome: Result<Accepted, KeyRefusal>) -> Self {
        Self {
            entry,
            outcome,
            is_cold: true,
        }
    }

    pub(super) fn judged(&self) -> Judged<'_> {
        Judged {
            entry: &self.entry,
            outcome: self.outcome,
            is_cold: self.is_cold,
        }
    }
}

fn unavailable(error: &StoreError) -> Refused {
    tracing::error!(%error, "keys cannot be read");
    Refused {
        denied: Denied::Unavailable,
        reason: "store_unavailable",
    }
}
