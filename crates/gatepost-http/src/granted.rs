//! The tables that the caller's key may read in joins.

use apikey_core::Access;
use gatepost_manage::Actor;

/// Returns whether a response may contain data about rows of this table that belong to the
/// requested rows: in joins, counts and refusals.
pub(crate) fn may_read(caller: &Actor, table: &str) -> bool {
    let grant = &caller.principal().grant;
    grant.allows_table(table, Access::Read).is_ok()
}
