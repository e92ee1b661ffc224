//! The fields of an owner.

use gatepost_ids::{OwnerId, Place, TenantId};
use gatepost_storage::owners::OwnerRow;

use super::field::{Field, fields};

/// Every field of a row of owners.
#[must_use]
pub fn of_owner(base: &OwnerRow) -> Vec<Field<OwnerRow>> {
    fields! { *base, row =>
        row, OwnerRow {
            owner: Shown [OwnerId(7_001), OwnerId(7_002)],
            place: Edited [
                Place::Tenant(TenantId(7)),
                Place::Tenant(TenantId(8)),
                Place::Alone(base.owner),
                Place::Operators,
            ],
            held: Edited [true, false],
        };
    }
}
