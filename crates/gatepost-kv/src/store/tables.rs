//! The tables of the store.

use crate::table::Table;

/// Counters, and the version of the tables.
pub(super) const META: Table = Table::bytes("meta");

pub(super) const AUDIT: Table = Table::numbers("audit");
pub(super) const AUDIT_OF_OWNER: Table = Table::bytes("audit_of_owner");
pub(super) const AUDIT_OF_TENANT: Table = Table::bytes("audit_of_tenant");
pub(super) const AUDIT_OF_ROW: Table = Table::bytes("audit_of_row");
pub(super) const AUDIT_BY_ACTOR: Table = Table::bytes("audit_by_actor");
pub(super) const AUDIT_BY_TIME: Table = Table::bytes("audit_by_time");
/// The number of entries of each owner.
pub(super) const AUDIT_COUNT: Table = Table::bytes("audit_count");

/// Owners that the platform has assigned to a realm or suspended.
pub(super) const OWNERS: Table = Table::bytes("owner");
pub(super) const OWNER_AT: Table = Table::bytes("owner_at");
pub(super) const OWNER_HELD: Table = Table::bytes("owner_held");
/// Owners who were removed.
pub(super) const OWNER_GONE: Table = Table::bytes("owner_gone");
/// Owners who have moved while something of theirs waited.
pub(super) const OWNER_MOVING: Table = Table::bytes("owner_moving");
/// Owners that have or had records, and that the platform has not assigned to a realm.
pub(super) const OWNER_UNPLACED: Table = Table::bytes("owner_unplaced");
pub(super) const LEASES: Table = Table::bytes("lease");

/// Sessions of users who opened the console by a link, by digest.
pub(super) const SESSIONS: Table = Table::bytes("session");
/// The same, the oldest of an owner first.
pub(super) const SESSION_OF_OWNER: Table = Table::bytes("session_of_owner");
pub(super) const SESSION_BY_END: Table = Table::bytes("session_by_end");

pub(super) const KEYS: Table = Table::numbers("key");
pub(super) const KEY_OF_OWNER: Table = Table::bytes("key_of_owner");
pub(super) const KEY_BY_NAME: Table = Table::bytes("key_by_name");
pub(super) const KEY_BY_LOOKUP: Table = Table::bytes("key_by_lookup");
pub(super) const KEY_BY_EXPIRY: Table = Table::bytes("key_by_expiry");
/// The number of keys of each owner.
pub(super) const KEY_COUNT: Table = Table::bytes("key_count");
/// The number of uses of a key on a day.
pub(super) const KEY_USES: Table = Table::bytes("key_use");
/// The key that each generation of a shard changed.
pub(super) const KEY_CHANGES: Table = Table::bytes("key_change");
/// The last generation of a shard whose change is no longer remembered.
pub(super) const KEY_SLICES: Table = Table::bytes("key_slice");

/// The version of each realm.
pub(super) const PLACES: Table = Table::bytes("place");
/// The changes of each version.
pub(super) const PLACE_CHANGES: Table = Table::bytes("place_change");
pub(super) const WEBHOOKS: Table = Table::numbers("webhook");
pub(super) const WEBHOOK_HEADS: Table = Table::numbers("webhook_head");
pub(super) const WEBHOOK_OF_OWNER: Table = Table::bytes("webhook_of_owner");
pub(super) const WEBHOOK_BY_NAME: Table = Table::bytes("webhook_by_name");
pub(super) const TASKS: Table = Table::numbers("task");
pub(super) const TASK_HEADS: Table = Table::numbers("task_head");
pub(super) const TASK_OF_OWNER: Table = Table::bytes("task_of_owner");
pub(super) const TASK_OF_WEBHOOK: Table = Table::bytes("task_of_webhook");
pub(super) const TASK_OF_CREATOR: Table = Table::bytes("task_of_creator");
pub(super) const TASK_BY_NAME: Table = Table::bytes("task_by_name");
pub(super) const EVENTS: Table = Table::numbers("event");
pub(super) const EVENT_HEADS: Table = Table::numbers("event_head");
pub(super) const EVENT_OF_OWNER: Table = Table::bytes("event_of_owner");
pub(super) const EVENT_OF_TASK: Table = Table::bytes("event_of_task");
/// The numbers and bytes of webhooks, tasks and events of each owner.
pub(super) const RECORD_USAGE: Table = Table::bytes("record_usage");

/// Deliveries without their messages, which are stored separately.
pub(super) const DELIVERIES: Table = Table::numbers("delivery");
pub(super) const BODIES: Table = Table::numbers("delivery_body");
pub(super) const ATTEMPTS: Table = Table::bytes("attempt");
pub(super) const DELIVERY_OF_OWNER: Table = Table::bytes("delivery_of_owner");
pub(super) const DELIVERY_OF_TENANT: Table = Table::bytes("delivery_of_tenant");
pub(super) const DELIVERY_OF_WEBHOOK: Table = Table::bytes("delivery_of_webhook");
pub(super) const DELIVERY_OF_TASK: Table = Table::bytes("delivery_of_task");
/// Deliveries that have not ended, by webhook.
pub(super) const OPEN: Table = Table::bytes("delivery_open");
/// Waiting deliveries, by queue and due time.
pub(super) const QUEUED: Table = Table::bytes("delivery_queued");
/// Waiting deliveries, by due time, each with its queue.
pub(super) const DUE: Table = Table::bytes("delivery_due");
/// Running deliveries, by webhook.
pub(super) const RUNNING: Table = Table::bytes("delivery_running");
/// Running deliveries, by the end of their lease.
pub(super) const LEASED: Table = Table::bytes("delivery_leased");
/// Ended deliveries, by age.
pub(super) const ENDED: Table = Table::bytes("delivery_ended");
/// Deleted webhooks of which some deliveries are left.
pub(super) const GONE: Table = Table::numbers("webhook_gone");
/// Bytes of all messages and attempts, in several parts.
pub(super) const LOG_BYTES: Table = Table::bytes("log_bytes");
/// Occurrences that were stored, each only once, and the time of each.
pub(super) const SEEN: Table = Table::bytes("occurrence_seen");
pub(super) const SEEN_BY_AGE: Table = Table::bytes("occurrence_seen_by_age");
/// The usage of each owner.
pub(super) const USAGE: Table = Table::bytes("usage");
pub(super) const HOURS: Table = Table::bytes("count_by_hour");
pub(super) const HOURS_BY_AGE: Table = Table::bytes("count_by_hour_by_age");
pub(super) const REJECTED: Table = Table::bytes("rejected");
pub(super) const REJECTED_BY_AGE: Table = Table::bytes("rejected_by_age");

/// Occurrences that wait for their fan-out, and those set aside.
pub(super) const OUTBOX: Table = Table::numbers("outbox");
/// Waiting occurrences, by audience and due time.
pub(super) const OUTBOX_DUE: Table = Table::bytes("outbox_due");
/// Waiting occurrences, by audience and number.
pub(super) const OUTBOX_OPEN: Table = Table::bytes("outbox_open");
/// Each audience that ever had a row.
pub(super) const TURNS: Table = Table::bytes("turn");
/// Audiences whose oldest row has become due, by the time at which they were taken.
pub(super) const TURNS_DUE: Table = Table::bytes("turn_due");
/// The other audiences with rows, by the due time of the oldest.
pub(super) const TURNS_LATER: Table = Table::bytes("turn_later");

/// All of them.
pub(super) const ALL: [Table; 72] = [
    META,
    AUDIT,
    AUDIT_OF_OWNER,
    AUDIT_OF_TENANT,
    AUDIT_OF_ROW,
    AUDIT_BY_ACTOR,
    AUDIT_BY_TIME,
    AUDIT_COUNT,
    OWNERS,
    OWNER_AT,
    OWNER_GONE,
    OWNER_HELD,
    OWNER_MOVING,
    OWNER_UNPLACED,
    LEASES,
    SESSIONS,
    SESSION_OF_OWNER,
    SESSION_BY_END,
    KEYS,
    KEY_OF_OWNER,
    KEY_BY_NAME,
    KEY_BY_LOOKUP,
    KEY_BY_EXPIRY,
    KEY_COUNT,
    KEY_USES,
    KEY_CHANGES,
    KEY_SLICES,
    PLACES,
    PLACE_CHANGES,
    WEBHOOKS,
    WEBHOOK_HEADS,
    WEBHOOK_OF_OWNER,
    WEBHOOK_BY_NAME,
    TASKS,
    TASK_HEADS,
    TASK_OF_OWNER,
    TASK_OF_WEBHOOK,
    TASK_OF_CREATOR,
    TASK_BY_NAME,
    EVENTS,
    EVENT_HEADS,
    EVENT_OF_OWNER,
    EVENT_OF_TASK,
    RECORD_USAGE,
    DELIVERIES,
    BODIES,
    ATTEMPTS,
    DELIVERY_OF_OWNER,
    DELIVERY_OF_TENANT,
    DELIVERY_OF_WEBHOOK,
    DELIVERY_OF_TASK,
    OPEN,
    QUEUED,
    DUE,
    RUNNING,
    LEASED,
    ENDED,
    GONE,
    LOG_BYTES,
    SEEN,
    SEEN_BY_AGE,
    USAGE,
    HOURS,
    HOURS_BY_AGE,
    REJECTED,
    REJECTED_BY_AGE,
    OUTBOX,
    OUTBOX_DUE,
    OUTBOX_OPEN,
    TURNS,
    TURNS_DUE,
    TURNS_LATER,
];
