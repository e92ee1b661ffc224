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
/// How many entries each owner has.
pub(super) const AUDIT_COUNT: Table = Table::bytes("audit_count");

/// Owners whom the platform has placed or suspended.
pub(super) const OWNERS: Table = Table::bytes("owner");
pub(super) const OWNER_AT: Table = Table::bytes("owner_at");
pub(super) const OWNER_HELD: Table = Table::bytes("owner_held");
/// Owners who have or had something, and whom the platform has not placed.
pub(super) const OWNER_UNPLACED: Table = Table::bytes("owner_unplaced");
pub(super) const LEASES: Table = Table::bytes("lease");

pub(super) const KEYS: Table = Table::numbers("key");
pub(super) const KEY_OF_OWNER: Table = Table::bytes("key_of_owner");
pub(super) const KEY_BY_NAME: Table = Table::bytes("key_by_name");
pub(super) const KEY_BY_LOOKUP: Table = Table::bytes("key_by_lookup");
pub(super) const KEY_BY_EXPIRY: Table = Table::bytes("key_by_expiry");
/// How many keys each owner has.
pub(super) const KEY_COUNT: Table = Table::bytes("key_count");
/// How often a key was used on a day.
pub(super) const KEY_USES: Table = Table::bytes("key_use");
/// The key that each generation of a slice changed.
pub(super) const KEY_CHANGES: Table = Table::bytes("key_change");
/// The last generation of a slice whose change is forgotten.
pub(super) const KEY_SLICES: Table = Table::bytes("key_slice");

/// The version of each place.
pub(super) const PLACES: Table = Table::bytes("place");
/// What each version changed.
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
pub(super) const EVENT_BY_TYPE: Table = Table::bytes("event_by_type");
/// How much of webhooks, tasks and events each owner has.
pub(super) const RECORD_USAGE: Table = Table::bytes("record_usage");

/// All of them.
pub(super) const ALL: [Table; 40] = [
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
    OWNER_HELD,
    OWNER_UNPLACED,
    LEASES,
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
    EVENT_BY_TYPE,
    RECORD_USAGE,
];
