//! Whose records to list.

use gatepost_storage::Scope;

use crate::list::List;

/// The list of a scope; `o` is the row of the owner.
pub(crate) fn scoped(select: &str, scope: Scope) -> List {
    let (owner, tenant) = match scope {
        Scope::All => (None, None),
        Scope::Owner(owner) => (Some(owner.0), None),
        Scope::Tenant(tenant) => (None, Some(tenant.0)),
    };
    List::of(select)
        .filter("r.owner =", owner)
        .filter("o.tenant =", tenant)
}
