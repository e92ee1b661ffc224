//! Quotas: limits for the records and actions of one owner.

use std::fmt;

use crate::platform_ids::OwnerId;

const MIB: u64 = 1024 * 1024;

/// The limits for the records and actions of one owner. Record counts are exact. The limits for
/// waiting deliveries and for the log are estimates: an owner can exceed them by the additions of
/// one second.
///
/// ```
/// use gatepost_ids::Quota;
/// let quota = Quota::default().with_webhooks(20);
/// assert_eq!((quota.webhooks, quota.tasks), (20, 2_000));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Quota {
    /// Maximum number of keys. Default 1,000.
    pub keys: u64,
    /// Maximum number of webhooks. Default 500.
    pub webhooks: u64,
    /// Maximum number of tasks. Default 2,000.
    pub tasks: u64,
    /// Maximum number of events. Default 5,000.
    pub events: u64,
    /// Maximum size in bytes of webhooks, tasks and events together; an event's filter counts 32
    /// times. Default 64 MiB.
    pub record_bytes: u64,
    /// Maximum number of deliveries that have not ended. Default 100,000.
    pub waiting: u64,
    /// Maximum size in bytes of the messages of these deliveries. Default 256 MiB.
    pub waiting_bytes: u64,
    /// Maximum size in bytes of the delivery log. Above it the oldest ended deliveries of the owner
    /// are deleted, an eighth of the log at a time. Until then, outcomes are stored without the
    /// response, and ended deliveries without the message. Default 1 GiB.
    pub log_bytes: u64,
    /// Maximum number per minute of manually sent messages, manual task runs, manual event
    /// triggers, requeued deliveries and task runs caused by the owner's actions, all together.
    /// Default 60.
    pub runs_per_minute: u32,
    /// Maximum number of key changes per minute. Default 30.
    pub key_changes_per_minute: u32,
}

impl Quota {
    /// No limits.
    pub const UNLIMITED: Self = Self {
        keys: u64::MAX,
        webhooks: u64::MAX,
        tasks: u64::MAX,
        events: u64::MAX,
        record_bytes: u64::MAX,
        waiting: u64::MAX,
        waiting_bytes: u64::MAX,
        log_bytes: u64::MAX,
        runs_per_minute: u32::MAX,
        key_changes_per_minute: u32::MAX,
    };
}

crate::setters!(Quota {
    /// Sets [`keys`](Self::keys).
    with_keys(keys: u64) => keys,
    /// Sets [`webhooks`](Self::webhooks).
    with_webhooks(webhooks: u64) => webhooks,
    /// Sets [`tasks`](Self::tasks).
    with_tasks(tasks: u64) => tasks,
    /// Sets [`events`](Self::events).
    with_events(events: u64) => events,
    /// Sets [`record_bytes`](Self::record_bytes).
    with_record_bytes(record_bytes: u64) => record_bytes,
    /// Sets [`waiting`](Self::waiting).
    with_waiting(waiting: u64) => waiting,
    /// Sets [`waiting_bytes`](Self::waiting_bytes).
    with_waiting_bytes(waiting_bytes: u64) => waiting_bytes,
    /// Sets [`log_bytes`](Self::log_bytes).
    with_log_bytes(log_bytes: u64) => log_bytes,
    /// Sets [`runs_per_minute`](Self::runs_per_minute).
    with_runs_per_minute(runs_per_minute: u32) => runs_per_minute,
    /// Sets [`key_changes_per_minute`](Self::key_changes_per_minute).
    with_key_changes_per_minute(key_changes_per_minute: u32) => key_changes_per_minute,
});

impl Default for Quota {
    fn default() -> Self {
        Self {
            keys: 1_000,
            webhooks: 500,
            tasks: 2_000,
            events: 5_000,
            record_bytes: 64 * MIB,
            waiting: 100_000,
            waiting_bytes: 256 * MIB,
            log_bytes: 1024 * MIB,
            runs_per_minute: 60,
            key_changes_per_minute: 30,
        }
    }
}

/// The platform's quotas.
///
/// Gatepost asks before each use of a quota, so a changed answer takes effect immediately. An
/// implementation must not block. If it panics, the call that asked is refused as unavailable; a
/// call without anybody to refuse uses the defaults.
pub trait Quotas: fmt::Debug + Send + Sync + 'static {
    /// Returns the quota of this owner.
    fn quota(&self, owner: OwnerId) -> Quota;
}

/// The same quota for every owner, for a platform without different plans.
impl Quotas for Quota {
    fn quota(&self, _owner: OwnerId) -> Quota {
        *self
    }
}
