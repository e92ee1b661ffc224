//! How much one owner may have and do.

use std::fmt;

use crate::platform_ids::OwnerId;

const MIB: u64 = 1024 * 1024;

/// How much one owner may have and do. Counts of records hold exactly; what waits and what the log
/// keeps are estimates that are overshot by what a second adds.
///
/// ```
/// use gatepost_ids::Quota;
/// let quota = Quota::default().with_webhooks(20);
/// assert_eq!((quota.webhooks, quota.tasks), (20, 2_000));
/// ```
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Quota {
    /// Keys. Default 1,000.
    pub keys: u64,
    /// Webhooks. Default 500.
    pub webhooks: u64,
    /// Tasks. Default 2,000.
    pub tasks: u64,
    /// Events. Default 5,000.
    pub events: u64,
    /// Bytes of webhooks, tasks and events together; those of an event's filter count 32 times.
    /// Default 64 MiB.
    pub record_bytes: u64,
    /// Deliveries that have not ended. Default 100,000.
    pub waiting: u64,
    /// Bytes of their messages. Default 256 MiB.
    pub waiting_bytes: u64,
    /// Bytes of the delivery log. Above it the owner's oldest ended deliveries leave, an eighth of
    /// it at a time; until they have, outcomes are kept without the response and deliveries that
    /// end without the message. Default 1 GiB.
    pub log_bytes: u64,
    /// Messages sent by hand, tasks run by hand, events triggered, deliveries queued again, and
    /// tasks that run by what their owner causes, all together, in a minute. Default 60.
    pub runs_per_minute: u32,
    /// Changes of keys in a minute. Default 30.
    pub key_changes_per_minute: u32,
}

impl Quota {
    /// No limit.
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
/// Asked whenever a quota is about to be used, so an answer that changes takes effect at once; it
/// must not block. One that panics costs the call that asked, which is refused as unavailable;
/// where nobody is there to be refused, the defaults hold.
pub trait Quotas: fmt::Debug + Send + Sync + 'static {
    /// How much this owner may have and do.
    fn quota(&self, owner: OwnerId) -> Quota;
}

/// The same for everybody: how a platform without plans of its own answers.
impl Quotas for Quota {
    fn quota(&self, _owner: OwnerId) -> Quota {
        *self
    }
}
