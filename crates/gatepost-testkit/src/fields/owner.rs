//! The fields of an owner.

use gatepost_ids::{OwnerId, Realm, TenantId};
use gatepost_storage::owners::OwnerRow;

use super::field::{Field, fields};

/// Returns every field of a row of owners.
#[must_use]
pub fn of_owner(base: &OwnerRow) -> Vec<Field<OwnerRow>> {
    fields! { *base, row =>
        row, OwnerRow {
            owner: Shown [OwnerId(7_001), OwnerId(7_002)],
            realm: Edited [
                Realm::Tenant(TenantId(7)),
                Realm::Tenant(TenantId(8)),
                Realm::Solo(base.owner),
                Realm::System,
            ],
            suspended: Edited [true, false],
        };
    }
}
