//! Sealing of all secrets under the current key, after a rotation or after a time without a key.

use std::sync::LazyLock;

use gatepost_storage::StoreError;
use gatepost_storage::codec::{Record as _, Value};
use gatepost_storage::seal::Resealed;
use tokio_postgres::Row;
use webhook_model::Webhook;

use super::table::{Cell, params, sets};
use crate::error::Result;
use crate::store::PostgresStore;

/// The number of webhooks that are read in one statement.
const BITE: i64 = 500;
/// The statements that read and write the sealed fields of webhooks. A change in between has sealed
/// the webhook already.
static SQL: LazyLock<(String, String)> = LazyLock::new(|| {
    let names: Vec<&str> = Webhook::sealed_fields().map(|field| field.name).collect();
    let (sets, names) = (sets(3, &names), names.join(", "));
    (
        format!(
            "SELECT id, revision, {names} FROM :schema.gatepost_webhook WHERE id > $1 ORDER BY id LIMIT $2"
        ),
        format!("UPDATE :schema.gatepost_webhook SET {sets} WHERE id = $1 AND revision = $2"),
    )
});

impl PostgresStore {
    /// Seals the secrets of all webhooks under the current key that are still sealed under an older
    /// one, or stored in plaintext: by a version that did not seal URLs, or without a key. Others
    /// may read and write while it runs: each webhook is a transaction.
    ///
    /// A webhook that opens under none of the keys is skipped, counted and left as it is:
    /// [`unreadable`](gatepost_storage::webhooks::RecordStore::unreadable) lists it, and it can be
    /// deleted. A warning says how many there are.
    ///
    /// The delivery log is not sealed again, because it may be large and is never changed. Its
    /// requests and responses open as they were stored until retention removes them. Older keys are
    /// needed for as long, and until all processes seal under the current one.
    ///
    /// Former plaintext may remain in pages and in the write-ahead log of the server until they are
    /// used again.
    ///
    /// # Errors
    /// `Unavailable`.
    pub async fn reseal(&self) -> std::result::Result<Resealed, StoreError> {
        let resealed = self.reseal_all().await?;
        if resealed.unreadable > 0 {
            let unreadable = resealed.unreadable;
            tracing::warn!(unreadable, "webhooks cannot be opened and stay as they are");
        }
        Ok(resealed)
    }

    async fn reseal_all(&self) -> Result<Resealed> {
        let (mut after, mut resealed) = (0i64, Resealed::default());
        loop {
            let bite = self.db().query(&SQL.0, &[&after, &BITE]).await?;
            let Some(last) = bite.last() else {
                return Ok(resealed);
            };
            after = last.try_get("id")?;
            for row in &bite {
                match self.again(row) {
                    Ok(None) => {}
                    Ok(Some(new)) => resealed.changed += self.reseal_row(row, new).await?,
                    Err(failure) if failure.is_corrupt() => resealed.unreadable += 1,
                    Err(failure) => return Err(failure),
                }
            }
        }
    }

    /// Returns the values of a row, sealed again; `None` if they are sealed under the current key.
    fn again(&self, row: &Row) -> Result<Option<Vec<Value>>> {
        let values = Webhook::sealed_fields();
        let values = values.map(|field| Ok(row.try_get::<_, Cell>(field.name)?.0));
        let values = values.collect::<Result<Vec<_>>>()?;
        Ok(Webhook::resealed(&values, self.sealing())?)
    }

    async fn reseal_row(&self, row: &Row, new: Vec<Value>) -> Result<u64> {
        let (id, revision): (i64, i64) = (row.try_get("id")?, row.try_get("revision")?);
        let cells: Vec<Cell> = new.into_iter().map(Cell).collect();
        let params = params(&[&id, &revision], &cells);
        self.db().execute(&SQL.1, &params).await
    }
}
