//! How much an owner may have and do, and how much of it is used.

use gatepost_keys::OwnerId;

use crate::actor::Actor;
use crate::error::ManageError;
use crate::finish::contain;

/// How much of one thing an owner may have or do, and has or did.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Limit {
    /// What is limited: `keys`, `webhooks`, `tasks`, `events`, `record_bytes`, `waiting`,
    /// `waiting_bytes`, `log_bytes`, `runs_per_minute`, `key_changes_per_minute`.
    pub name: &'static str,
    /// How much there is: exactly of keys and records, an estimate of what waits and of what the
    /// log keeps; what is counted by the minute is that of this process.
    pub used: u64,
    /// How much is allowed; the largest number where there is no limit.
    pub most: u64,
    /// Deliveries that were not stored in the last 24 hours because this limit was reached.
    pub rejected: u64,
}

impl Actor {
    /// How much a user may have and do, and how much of it is used.
    ///
    /// # Errors
    /// [`ManageError::NotFound`] when the user is not the caller's to manage, failures of store and
    /// accounts, [`ManageError::Platform`].
    pub async fn limits(&self, owner: OwnerId) -> Result<Vec<Limit>, ManageError> {
        contain(async {
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
                    // Of their bytes, too.
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
        .await
    }
}

/// No limit is the largest number, of whatever kind.
fn rate(most: u32) -> u64 {
    if most == u32::MAX {
        u64::MAX
    } else {
        most.into()
    }
}
