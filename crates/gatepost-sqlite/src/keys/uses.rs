//! The daily counts of uses of keys.

use apikey_core::KeyId;
use chrono::NaiveDate;
use gatepost_storage::keys::KeyUse;
use rusqlite::{Connection, Row, params};

use crate::column::number;
use crate::error::{Failure, Result};
use crate::named::Named;
use crate::sql::Sql as _;

pub(super) fn add(c: &Connection, uses: &[KeyUse]) -> Result<()> {
    let mut add = c.prepare_cached(sql!("keys/add_use"))?;
    let mut forget = c.prepare_cached(sql!("keys/forget_uses"))?;
    let stored = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    for day in KeyUse::merged(uses) {
        let (used, refused) = (stored(day.used), stored(day.refused));
        add.execute(params![day.key.0, since_1970(day.day), used, refused])?;
        let kept_after = since_1970(KeyUse::kept_after(day.day));
        forget.execute([day.key.0, kept_after])?;
    }
    Ok(())
}

pub(super) fn list(
    c: &Connection,
    key: KeyId,
    (from, before): (NaiveDate, NaiveDate),
    limit: u32,
) -> Result<Vec<KeyUse>> {
    let params = params![key.0, since_1970(from), since_1970(before), limit];
    c.all(sql!("keys/uses"), params, |row| key_use(key, row))
}

fn key_use(key: KeyId, row: &Row<'_>) -> Result<KeyUse> {
    let row = &Named::of(row);
    let day = NaiveDate::from_epoch_days(number(row, "day")?);
    Ok(KeyUse {
        key,
        day: day.ok_or_else(|| Failure::corrupt("day", "not a day"))?,
        used: number(row, "used")?,
        refused: number(row, "refused")?,
    })
}

/// Returns days since 1970, as they are stored.
fn since_1970(day: NaiveDate) -> i64 {
    day.to_epoch_days().into()
}
