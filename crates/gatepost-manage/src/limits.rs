//! The limits of an owner, and their usage.

use gatepost_keys::OwnerId;

use crate::actor::Actor;
use crate::completion::{Answer, contain};
use crate::error::ManageError;

/// A limit of an owner, with its usage.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Limit {
    /// The limited resource: `keys`, `webhooks`, `tasks`, `events`, `record_bytes`, `waiting`,
    /// `waiting_bytes`, `log_bytes`, `runs_per_minute`, `key_changes_per_minute`.
    pub name: &'static str,
    /// The usage: exact for keys and records, an estimate for waiting deliveries and the log;
    /// counts per minute are those of this process.
    pub used: u64,
    /// The limit; the largest number if there is none.
    pub most: u64,
    /// The number of deliveries that this limit rejected in the last 24 hours.
    pub rejected: u64,
}

impl Actor {
    /// Returns the limits of a user, with their usage.
    ///
    /// # Errors
    /// [`ManageError::NotFound`] if the caller may not manage the user, failures of store and
    /// accounts, [`ManageError::Platform`].
    pub fn limits(&self, owner: OwnerId) -> Answer<'_, Vec<Limit>> {
        contain(async move {
            if !self.manages(owner).await? {
                return Err(ManageError::NotFound);
            }
            let (keys, usage) = (&self.door.keys, self.engine().usage(owner).await?);
            let of_keys = keys.quota(owner)?;
            let (quota, records, log) = (usage.quota, usage.records, usage.log);
            let changes = keys.changes_in_minute(owner);
            let rejected = usage.rejected;
            let limit = |(name, used, most)| Limit {
                name,
                used,
                most,
                rejected: match name {
                    // This includes rejections because of their bytes.
                    "waiting" => rejected.waiting,
                    "runs_per_minute" => rejected.rate,
                    _ => 0,
                },
            };
            let limits = [
                ("keys", keys.count(owner).await?, of_keys.keys),
                ("webhooks", records.webhooks, quota.webhooks),
                ("tasks", records.tasks, quota.tasks),
                ("events", records.events, quota.events),
                ("record_bytes", records.bytes, quota.record_bytes),
                ("waiting", log.waiting, quota.waiting),
                ("waiting_bytes", log.waiting_bytes, quota.waiting_bytes),
                ("log_bytes", log.log_bytes, quota.log_bytes),
                (
                    "runs_per_minute",
                    usage.runs_in_minute.into(),
                    rate(quota.runs_per_minute),
                ),
                (
                    "key_changes_per_minute",
                    changes.into(),
                    rate(of_keys.key_changes_per_minute),
                ),
            ];
            Ok(limits.map(limit).into())
        })
    }
}

/// Returns the largest number for "no limit".
fn rate(most: u32) -> u64 {
    if most == u32::MAX {
        u64::MAX
    } else {
        most.into()
    }
}
