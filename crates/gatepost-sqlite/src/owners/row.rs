//! An owner's row.

use gatepost_ids::OwnerId;
use gatepost_storage::owners::{OwnerRow, OwnerUsage, RecordUsage};
use rusqlite::{Connection, OptionalExtension as _, Row};

use crate::column::{number, owner};
use crate::error::Result;
use crate::named::Named;
use crate::realms::place_from;

/// Records that an owner has a key or webhook, for each that is stored: the platform must assign
/// such an owner to a realm.
pub(crate) fn has_something(c: &Connection, owner: OwnerId) -> Result<()> {
    c.prepare_cached(include_str!("../sql/owners/has_something.sql"))?
        .execute([owner.to_bytes()])?;
    Ok(())
}

pub(super) fn find(c: &Connection, owner: OwnerId) -> Result<Option<OwnerRow>> {
    let sql = "SELECT owner, place, held FROM gatepost_owner WHERE owner = ?1 AND placed = 1";
    c.prepare_cached(sql)?
        .query_row([owner.to_bytes()], |row| Ok(owner_row(row)))
        .optional()?
        .transpose()
}

/// Returns the usage of an owner, in one statement.
pub(crate) fn usage(c: &Connection, owner: OwnerId) -> Result<OwnerUsage> {
    let mut statement = c.prepare_cached(include_str!("../sql/owners/usage.sql"))?;
    let mut rows = statement.query([owner.to_bytes()])?;
    let Some(row) = rows.next()? else {
        return Ok(OwnerUsage::default());
    };
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
