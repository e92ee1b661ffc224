//! Sealing of all secrets under the current key, after a rotation or after a time without a key.

use std::iter;
use std::sync::{Arc, LazyLock};

use gatepost_storage::ErrorKind;
use gatepost_storage::codec::{Record as _, Value};
use gatepost_storage::seal::{Resealed, SealingKeys};
use rusqlite::types::Value as SqlValue;
use rusqlite::{Connection, Row, params_from_iter};
use webhook_model::Webhook;

use crate::column::{sets, sql_value, value_of};
use crate::error::{Answer, Result};
use crate::sql::Sql as _;
use crate::store::SqliteStore;

/// The number of webhooks that are read in one transaction.
const BITE: i64 = 500;
/// The statements that read and write the sealed fields of webhooks.
static SQL: LazyLock<(String, String)> = LazyLock::new(|| {
    let names: Vec<&str> = Webhook::sealed_fields().map(|field| field.name).collect();
    let (sets, names) = (sets(2, &names), names.join(", "));
    (
        format!("SELECT id, {names} FROM gatepost_webhook WHERE id > ?1 ORDER BY id LIMIT ?2"),
        format!("UPDATE gatepost_webhook SET {sets} WHERE id = ?1"),
    )
});

impl SqliteStore {
    /// Seals the secrets of all webhooks under the current key that are still sealed under an older
    /// one, or stored in plaintext because there was no key. Others may read and write while it
    /// runs: each transaction seals 500 webhooks.
    ///
    /// A webhook that opens under none of the keys is skipped, counted and left as it is:
    /// [`unreadable`](gatepost_storage::webhooks::RecordStore::unreadable) lists it, and it can be
    /// deleted. A warning says how many there are.
    ///
    /// The delivery log is not sealed again, because it may be large and is never changed. Its
    /// requests and responses open as they were stored until retention removes them. Older keys are
    /// needed for as long; without them requests and responses read as not kept.
    ///
    /// Replaced values may remain in parts of the file that are no longer used, until `VACUUM`, and
    /// in the log, until all processes have closed it.
    ///
    /// # Errors
    /// `Unavailable`.
    pub async fn reseal(&self) -> Answer<Resealed> {
        let (mut after, mut resealed) = (0, Resealed::default());
        loop {
            let keys = Arc::clone(self.sealing());
            let (bite, last) = self.write(move |c| reseal(c, &keys, after)).await?;
            resealed.changed += bite.changed;
            resealed.unreadable += bite.unreadable;
            match last {
                Some(last) => after = last,
                None => break,
            }
        }
        if resealed.unreadable > 0 {
            let unreadable = resealed.unreadable;
            tracing::warn!(unreadable, "webhooks cannot be opened and stay as they are");
        }
        Ok(resealed)
    }
}

/// Seals a batch of webhooks after this one; returns the result, and the last webhook, or `None` at
/// the end.
fn reseal(c: &Connection, keys: &SealingKeys, after: i64) -> Result<(Resealed, Option<i64>)> {
    let bite: Vec<(i64, Result<Option<Vec<Value>>>)> = c.all(&SQL.0, [after, BITE], |row| {
        Ok((row.get(0)?, again(row, keys)))
    })?;
    let last = bite.last().map(|(id, _)| *id);
    let mut resealed = Resealed::default();
    for (id, again) in bite {
        match again {
            Ok(None) => {}
            Ok(Some(new)) => {
                write(c, id, new)?;
                resealed.changed += 1;
            }
            Err(failure) if failure.kind() == ErrorKind::Corrupt => resealed.unreadable += 1,
            Err(failure) => return Err(failure),
        }
    }
    Ok((resealed, last))
}

/// Returns the values of a row, sealed again; `None` if they are sealed under the current key.
fn again(row: &Row<'_>, keys: &SealingKeys) -> Result<Option<Vec<Value>>> {
    // The row number is before them.
    let columns = 1..row.as_ref().column_count();
    let columns = columns.map(|at| value_of(row.get_ref(at)?));
    let columns = columns.collect::<Result<Vec<_>>>()?;
    Ok(Webhook::resealed(&columns, keys)?)
}

fn write(c: &Connection, id: i64, new: Vec<Value>) -> Result<()> {
    let params = iter::once(SqlValue::Integer(id)).chain(new.into_iter().map(sql_value));
    c.run(&SQL.1, params_from_iter(params))
}
