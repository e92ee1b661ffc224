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

/// All of them.
pub(super) const ALL: [Table; 8] = [
    META,
    AUDIT,
    AUDIT_OF_OWNER,
    AUDIT_OF_TENANT,
    AUDIT_OF_ROW,
    AUDIT_BY_ACTOR,
    AUDIT_BY_TIME,
    AUDIT_COUNT,
];
