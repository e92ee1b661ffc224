//! How many keys an owner may have, and how often they may be changed. An edit costs every process
//! a question to the store, so nobody makes them without end.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use apikey_core::OwnerId;
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::{Quota, Quotas};
use gatepost_storage::{ErrorKind, StoreError};

use crate::error::KeyError;

/// The span in which changes are counted.
const MINUTE: TimeDelta = TimeDelta::minutes(1);
/// With this many owners, minutes that are over are forgotten.
const MANY: usize = 1_000;

#[derive(Debug)]
pub(super) struct Changes {
    quotas: Arc<dyn Quotas>,
    minutes: Mutex<Minutes>,
}

/// What owners changed since they began.
#[derive(Debug)]
struct Minutes {
    owners: HashMap<OwnerId, Minute>,
    /// With this many of them it is time to forget.
    forget_at: usize,
}

/// A minute that began with a change.
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

    /// The quota of this owner.
    pub(super) fn quota(&self, owner: OwnerId) -> Result<Quota, KeyError> {
        catch_unwind(AssertUnwindSafe(|| self.quotas.quota(owner))).map_err(|_| {
            let panicked = "the platform's quotas panicked";
            StoreError::new(ErrorKind::Unavailable, panicked).into()
        })
    }

    /// Counts a change of a key of this owner, if it is not one too many.
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

    /// Counts a change that is not refused.
    pub(super) fn count(&self, owner: OwnerId, now: DateTime<Utc>) {
        let mut minutes = self.minutes.lock().unwrap_or_else(PoisonError::into_inner);
        let minute = minutes.of(owner, now);
        minute.changes = minute.changes.saturating_add(1);
    }

    /// How many were counted in the minute that is on.
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
    /// The minute of this owner, a new one if the last is over.
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
    /// Not where the clock was set back before its beginning: nobody waits longer than a minute.
    fn is_on(&self, now: DateTime<Utc>) -> bool {
        self.began <= now && now < self.began + MINUTE
    }
}
