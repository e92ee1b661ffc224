//! Quotas for the number of an owner's keys and of changes. Every process reads the store after an
//! edit, so edits are limited.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use apikey_core::OwnerId;
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::{Quota, Quotas};
use gatepost_storage::{ErrorKind, StoreError};

use crate::error::KeyError;

/// The period in which changes are counted.
const MINUTE: TimeDelta = TimeDelta::minutes(1);
/// With this many owners, past minutes are removed.
const MANY: usize = 1_000;

#[derive(Debug)]
pub(super) struct Changes {
    quotas: Arc<dyn Quotas>,
    minutes: Mutex<Minutes>,
}

/// The changes of owners in their current minutes.
#[derive(Debug)]
struct Minutes {
    owners: HashMap<OwnerId, Minute>,
    /// The number of owners at which past minutes are removed.
    forget_at: usize,
}

/// A minute, which began with a change.
#[derive(Clone, Copy, Debug)]
struct Minute {
    began: DateTime<Utc>,
    changes: u32,
}

impl Changes {
    pub(super) fn new(quotas: Arc<dyn Quotas>) -> Self {
        Self {
            quotas,
            minutes: Mutex::new(Minutes {
                owners: HashMap::new(),
                forget_at: MANY,
            }),
        }
    }

    /// Returns the quota of this owner.
    pub(super) fn quota(&self, owner: OwnerId) -> Result<Quota, KeyError> {
        catch_unwind(AssertUnwindSafe(|| self.quotas.quota(owner))).map_err(|_| {
            let panicked = "the platform's quotas panicked";
            StoreError::new(ErrorKind::Unavailable, panicked).into()
        })
    }

    /// Counts a change of a key of this owner, if it does not exceed the quota.
    pub(super) fn admit(&self, owner: OwnerId, now: DateTime<Utc>) -> Result<(), KeyError> {
        let most = self.quota(owner)?.key_changes_per_minute;
        let mut minutes = self.minutes.lock().unwrap_or_else(PoisonError::into_inner);
        let minute = minutes.of(owner, now);
        if minute.changes >= most {
            let retry_after = (minute.began + MINUTE - now).to_std();
            return Err(KeyError::TooFast {
                retry_after: retry_after.unwrap_or(Duration::ZERO),
            });
        }
        minute.changes += 1;
        Ok(())
    }

    /// Counts a change that is never refused.
    pub(super) fn count(&self, owner: OwnerId, now: DateTime<Utc>) {
        let mut minutes = self.minutes.lock().unwrap_or_else(PoisonError::into_inner);
        let minute = minutes.of(owner, now);
        minute.changes = minute.changes.saturating_add(1);
    }

    /// Returns the number of changes in the current minute.
    pub(super) fn in_minute(&self, owner: OwnerId, now: DateTime<Utc>) -> u32 {
        let minutes = self.minutes.lock().unwrap_or_else(PoisonError::into_inner);
        let minute = minutes
            .owners
            .get(&owner)
            .filter(|minute| minute.is_on(now));
        minute.map_or(0, |minute| minute.changes)
    }
}

impl Minutes {
    /// Returns the minute of this owner, a new one if the last is over.
    fn of(&mut self, owner: OwnerId, now: DateTime<Utc>) -> &mut Minute {
        if self.owners.len() >= self.forget_at {
            self.owners.retain(|_, minute| minute.is_on(now));
            self.forget_at = MANY.max(self.owners.len().saturating_mul(2));
        }
        let new = Minute {
            began: now,
            changes: 0,
        };
        let minute = self.owners.entry(owner).or_insert(new);
        if !minute.is_on(now) {
            *minute = new;
        }
        minute
    }
}

impl Minute {
    /// Returns whether the minute is current. It is not if the clock was set back before its
    /// beginning: nobody waits longer than a minute.
    fn is_on(&self, now: DateTime<Utc>) -> bool {
        self.began <= now && now < self.began + MINUTE
    }
}
