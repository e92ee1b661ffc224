//! An owner's row.

use gatepost_ids::OwnerId;
use gatepost_storage::owners::{OwnerRow, OwnerUsage, RecordUsage};
use rusqlite::{Connection, Row};

use crate::column::{number, owner};
use crate::error::Result;
use crate::named::Named;
use crate::realms::place_from;
use crate::sql::Sql as _;

/// Records that an owner has a key or webhook, for each that is stored: the platform must assign
/// such an owner to a realm.
pub(crate) fn has_something(c: &Connection, owner: OwnerId) -> Result<()> {
    c.run(sql!("owners/has_something"), [owner.to_bytes()])
}

pub(super) fn find(c: &Connection, owner: OwnerId) -> Result<Option<OwnerRow>> {
    let sql = "SELECT owner, place, held FROM gatepost_owner WHERE owner = ?1 AND placed = 1";
    c.first(sql, [owner.to_bytes()], owner_row)
}

/// Returns the usage of an owner, in one statement.
pub(crate) fn usage(c: &Connection, owner: OwnerId) -> Result<OwnerUsage> {
    let found = c.first(sql!("owners/usage"), [owner.to_bytes()], |row| {
        let row = &Named::of(row);
        Ok(OwnerUsage {
            records: RecordUsage {
                webhooks: number(row, "webhooks")?,
                tasks: number(row, "tasks")?,
                events: number(row, "events")?,
                bytes: number(row, "bytes")?,
            },
            keys: number(row, "keys")?,
        })
    })?;
    Ok(found.unwrap_or_default())
}

pub(super) fn owner_row(row: &Row<'_>) -> Result<OwnerRow> {
    let row = &Named::of(row);
    let place: String = row.get("place")?;
    Ok(OwnerRow {
        owner: owner(row, "owner")?,
        realm: place_from(&place)?,
        suspended: row.get("held")?,
    })
}
