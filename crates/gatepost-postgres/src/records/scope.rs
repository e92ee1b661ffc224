//! Whose records to list.

use gatepost_storage::Scope;

use crate::column::scope_ids;
use crate::list::List;

/// The list of a scope; `o` is the row of the owner.
pub(crate) fn scoped(select: &str, scope: Scope) -> List {
    let (owner, tenant) = scope_ids(scope);
    List::of(select)
        .filter("r.owner =", owner)
        .filter("o.tenant =", tenant)
}
