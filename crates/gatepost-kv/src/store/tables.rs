//! The tables of the store.

use crate::table::Table;

macro_rules! tables {
    ($($(#[$doc:meta])* $table:ident: $keys:ident($name:literal),)*) => {
        $($(#[$doc])* pub(super) const $table: Table = Table::$keys($name);)*

        /// All of them.
        pub(super) const ALL: &[Table] = &[$($table),*];
    };
}

tables! {
    /// Counters, and the version of the tables.
    META: bytes("meta"),

    AUDIT: numbers("audit"),
    AUDIT_OF_OWNER: bytes("audit_of_owner"),
    AUDIT_OF_TENANT: bytes("audit_of_tenant"),
    AUDIT_OF_ROW: bytes("audit_of_row"),
    AUDIT_BY_ACTOR: bytes("audit_by_actor"),
    AUDIT_BY_TIME: bytes("audit_by_time"),
    /// The number of entries of each owner.
    AUDIT_COUNT: bytes("audit_count"),

    /// Owners that the platform has assigned to a realm or suspended.
    OWNERS: bytes("owner"),
    OWNER_AT: bytes("owner_at"),
    OWNER_HELD: bytes("owner_held"),
    /// Owners who were removed.
    OWNER_GONE: bytes("owner_gone"),
    /// Owners who have moved while something of theirs waited.
    OWNER_MOVING: bytes("owner_moving"),
    /// Owners that have or had records, and that the platform has not assigned to a realm.
    OWNER_UNPLACED: bytes("owner_unplaced"),
    LEASES: bytes("lease"),

    /// Sessions of users who opened the console by a link, by digest.
    SESSIONS: bytes("session"),
    /// The same, the oldest of an owner first.
    SESSION_OF_OWNER: bytes("session_of_owner"),
    SESSION_BY_END: bytes("session_by_end"),

    KEYS: numbers("key"),
    KEY_OF_OWNER: bytes("key_of_owner"),
    KEY_BY_NAME: bytes("key_by_name"),
    KEY_BY_LOOKUP: bytes("key_by_lookup"),
    KEY_BY_EXPIRY: bytes("key_by_expiry"),
    /// The number of keys of each owner.
    KEY_COUNT: bytes("key_count"),
    /// The number of uses of a key on a day.
    KEY_USES: bytes("key_use"),
    /// The key that each generation of a shard changed.
    KEY_CHANGES: bytes("key_change"),
    /// The last generation of a shard whose change is no longer remembered.
    KEY_SLICES: bytes("key_slice"),

    /// The version of each realm.
    PLACES: bytes("place"),
    /// The changes of each version.
    PLACE_CHANGES: bytes("place_change"),
    WEBHOOKS: numbers("webhook"),
    WEBHOOK_HEADS: numbers("webhook_head"),
    WEBHOOK_OF_OWNER: bytes("webhook_of_owner"),
    WEBHOOK_BY_NAME: bytes("webhook_by_name"),
    TASKS: numbers("task"),
    TASK_HEADS: numbers("task_head"),
    TASK_OF_OWNER: bytes("task_of_owner"),
    TASK_OF_WEBHOOK: bytes("task_of_webhook"),
    TASK_OF_CREATOR: bytes("task_of_creator"),
    TASK_BY_NAME: bytes("task_by_name"),
    EVENTS: numbers("event"),
    EVENT_HEADS: numbers("event_head"),
    EVENT_OF_OWNER: bytes("event_of_owner"),
    EVENT_OF_TASK: bytes("event_of_task"),
    /// The numbers and bytes of webhooks, tasks and events of each owner.
    RECORD_USAGE: bytes("record_usage"),

    /// Deliveries without their messages, which are stored separately.
    DELIVERIES: numbers("delivery"),
    BODIES: numbers("delivery_body"),
    ATTEMPTS: bytes("attempt"),
    DELIVERY_OF_OWNER: bytes("delivery_of_owner"),
    DELIVERY_OF_TENANT: bytes("delivery_of_tenant"),
    DELIVERY_OF_WEBHOOK: bytes("delivery_of_webhook"),
    DELIVERY_OF_TASK: bytes("delivery_of_task"),
    /// Deliveries that have not ended, by webhook.
    OPEN: bytes("delivery_open"),
    /// Waiting deliveries, by queue and due time.
    QUEUED: bytes("delivery_queued"),
    /// Waiting deliveries, by due time, each with its queue.
    DUE: bytes("delivery_due"),
    /// Running deliveries, by webhook.
    RUNNING: bytes("delivery_running"),
    /// Running deliveries, by the end of their lease.
    LEASED: bytes("delivery_leased"),
    /// Ended deliveries, by age.
    ENDED: bytes("delivery_ended"),
    /// Deleted webhooks of which some deliveries are left.
    GONE: numbers("webhook_gone"),
    /// Bytes of all messages and attempts, in several parts.
    LOG_BYTES: bytes("log_bytes"),
    /// Occurrences that were stored, each only once, and the time of each.
    SEEN: bytes("occurrence_seen"),
    SEEN_BY_AGE: bytes("occurrence_seen_by_age"),
    /// The usage of each owner.
    USAGE: bytes("usage"),
    HOURS: bytes("count_by_hour"),
    HOURS_BY_AGE: bytes("count_by_hour_by_age"),
    REJECTED: bytes("rejected"),
    REJECTED_BY_AGE: bytes("rejected_by_age"),

    /// Occurrences that wait for their fan-out, and those set aside.
    OUTBOX: numbers("outbox"),
    /// Waiting occurrences, by audience and due time.
    OUTBOX_DUE: bytes("outbox_due"),
    /// Waiting occurrences, by audience and number.
    OUTBOX_OPEN: bytes("outbox_open"),
    /// Each audience that ever had a row.
    TURNS: bytes("turn"),
    /// Audiences whose oldest row has become due, by the time at which they were taken.
    TURNS_DUE: bytes("turn_due"),
    /// The other audiences with rows, by the due time of the oldest.
    TURNS_LATER: bytes("turn_later"),
}
