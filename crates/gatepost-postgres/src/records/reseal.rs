//! Everything under the current sealing key: the end of a rotation, or of a time without a key.

use gatepost_storage::StoreError;
use gatepost_storage::columns::SealedSecrets;

use crate::error::Result;
use crate::store::PostgresStore;

/// Webhooks that are read at once.
const BITE: i64 = 500;
const READ: &str =
    "SELECT id, revision, authorization_data, headers, signing, url, client_identity FROM :schema.gatepost_webhook
     WHERE id > $1 ORDER BY id LIMIT $2";
/// Whoever changed it in between has sealed it.
const WRITE: &str = "UPDATE :schema.gatepost_webhook SET authorization_data = $3, headers = $4, signing = $5, url = $6,
     client_identity = $7 WHERE id = $1 AND revision = $2";

impl PostgresStore {
    /// Seals everything under the current key that is still sealed under an older one, or stored in
    /// plaintext: by a version that did not seal URLs, or without a key. Returns how many webhooks
    /// it changed. Afterwards the older keys are no longer needed, once all processes seal under
    /// the current one. Others read and write while it runs: each webhook is a transaction.
    ///
    /// What was in plaintext may remain in pages and in the write-ahead log of the server until
    /// they are used again.
    ///
    /// # Errors
    /// `Corrupt` when a value cannot be opened with any of the keys: the webhooks before it are
    /// done. `Unavailable`.
    pub async fn reseal(&self) -> std::result::Result<u64, StoreError> {
        Ok(self.reseal_all().await?)
    }

    async fn reseal_all(&self) -> Result<u64> {
        let (mut after, mut count) = (0i64, 0);
        loop {
            let bite = self.db().query(READ, &[&after, &BITE]).await?;
            let Some(last) = bite.last() else {
                return Ok(count);
            };
            after = last.try_get("id")?;
            for row in &bite {
                count += self.reseal_row(row).await?;
            }
        }
    }

    async fn reseal_row(&self, row: &tokio_postgres::Row) -> Result<u64> {
        let sealed = SealedSecrets {
            authorization: row.try_get("authorization_data")?,
            client_identity: row.try_get("client_identity")?,
            headers: row.try_get("headers")?,
            signing: row.try_get("signing")?,
            url: row.try_get("url")?,
        };
        let Some(new) = sealed.reseal(self.sealing())? else {
            return Ok(0);
        };
        let (id, revision): (i64, i64) = (row.try_get("id")?, row.try_get("revision")?);
        let SealedSecrets {
            authorization,
            client_identity,
            headers,
            signing,
            url,
        } = new;
        self.db()
            .execute(
                WRITE,
                &[
                    &id,
                    &revision,
                    &authorization,
                    &headers,
                    &signing,
                    &url,
                    &client_identity,
                ],
            )
            .await
    }
}
