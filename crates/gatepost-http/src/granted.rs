//! What the caller's key may touch on the way to something else.

use apikey_core::Touch;
use gatepost_manage::Actor;

/// Whether a response may tell of rows of this table that belong to what was asked for: in joins,
/// counts and refusals.
pub(crate) fn may_read(caller: &Actor, table: &str) -> bool {
    let grant = &caller.principal().grant;
    grant.allows_table(table, Touch::Read).is_ok()
}
