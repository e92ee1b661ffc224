//! The end of a rotation of the sealing key.

use std::sync::Arc;

use gatepost_storage::columns::SealedSecrets;
use gatepost_storage::seal::SealingKeys;
use rusqlite::{Connection, params};

use crate::error::{Answer, Result};
use crate::store::SqliteStore;

impl SqliteStore {
    /// Seals everything under the current key that is still sealed under an older one, or stored in
    /// plaintext. Returns how many webhooks it changed. Afterwards the older keys are no longer
    /// needed.
    ///
    /// # Errors
    /// `Corrupt` when a value cannot be opened with any of the keys: nothing was changed then.
    /// `Unavailable`.
    pub async fn reseal(&self) -> Answer<u64> {
        let keys = Arc::clone(self.sealing());
        self.write(move |c| reseal(c, &keys)).await
    }
}

fn reseal(c: &Connection, keys: &SealingKeys) -> Result<u64> {
    let all: Vec<(i64, SealedSecrets)> = c
        .prepare_cached("SELECT id, authorization_data, headers, signing FROM gatepost_webhook")?
        .query_map([], |row| {
            let sealed = SealedSecrets {
                authorization: row.get(1)?,
                headers: row.get(2)?,
                signing: row.get(3)?,
            };
            Ok((row.get(0)?, sealed))
        })?
        .collect::<std::result::Result<_, _>>()?;
    let mut count = 0;
    for (id, sealed) in all {
        let Some(new) = sealed.reseal(keys)? else {
            continue;
        };
        c.prepare_cached(
            "UPDATE gatepost_webhook SET authorization_data = ?2, headers = ?3, signing = ?4 WHERE id = ?1",
        )?
        .execute(params![id, new.authorization, new.headers, new.signing])?;
        count += 1;
    }
    Ok(count)
}
