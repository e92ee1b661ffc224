//! The access that the caller's key must have.

use apikey_core::Access;
use gatepost_manage::Actor;
use http::Method;

/// Returns whether a response may contain data about rows of this table that belong to the
/// requested rows: in joins, counts and refusals.
pub(crate) fn may_read(caller: &Actor, table: &str) -> bool {
    let grant = &caller.principal().grant;
    grant.allows_table(table, Access::Read).is_ok()
}

/// Returns the access that a request needs.
pub(crate) fn needed_by(method: &Method) -> Access {
    if method.is_safe() {
        Access::Read
    } else {
        Access::Write
    }
}
