//! Everything under the current sealing key: the end of a rotation, or of a time without a key.

use std::sync::Arc;

use gatepost_storage::columns::SealedSecrets;
use gatepost_storage::seal::SealingKeys;
use rusqlite::{Connection, params};

use crate::error::{Answer, Result};
use crate::store::SqliteStore;

/// Webhooks that are read in one transaction.
const BITE: i64 = 500;
const READ: &str =
    "SELECT id, authorization_data, headers, signing, url, client_identity FROM gatepost_webhook
     WHERE id > ?1 ORDER BY id LIMIT ?2";
const WRITE: &str =
    "UPDATE gatepost_webhook SET authorization_data = ?2, headers = ?3, signing = ?4, url = ?5,
     client_identity = ?6 WHERE id = ?1";

impl SqliteStore {
    /// Seals everything under the current key that is still sealed under an older one, or stored in
    /// plaintext: by a version that did not seal URLs, or without a key. Returns how many webhooks
    /// it changed. Afterwards the older keys are no longer needed. Others read and write while it
    /// runs: it takes 500 webhooks at a time.
    ///
    /// What was replaced may remain in parts of the file that are no longer used, until `VACUUM`,
    /// and in the log, until all have closed it.
    ///
    /// # Errors
    /// `Corrupt` when a value cannot be opened with any of the keys: the webhooks before it are
    /// done. `Unavailable`.
    pub async fn reseal(&self) -> Answer<u64> {
        let (mut after, mut count) = (0, 0);
        loop {
            let keys = Arc::clone(self.sealing());
            let (changed, last) = self.write(move |c| reseal(c, &keys, after)).await?;
            count += changed;
            match last {
                Some(last) => after = last,
                None => return Ok(count),
            }
        }
    }
}

/// A bite after this webhook: how many were changed, and the last; `None` at the end.
fn reseal(c: &Connection, keys: &SealingKeys, after: i64) -> Result<(u64, Option<i64>)> {
    let bite: Vec<(i64, SealedSecrets)> = c
        .prepare_cached(READ)?
        .query_map([after, BITE], |row| {
            let sealed = SealedSecrets {
                authorization: row.get(1)?,
                headers: row.get(2)?,
                signing: row.get(3)?,
                url: row.get(4)?,
                client_identity: row.get(5)?,
            };
            Ok((row.get(0)?, sealed))
        })?
        .collect::<std::result::Result<_, _>>()?;
    let mut count = 0;
    for (id, sealed) in &bite {
        let Some(new) = sealed.reseal(keys)? else {
            continue;
        };
        c.prepare_cached(WRITE)?.execute(params![
            id,
            new.authorization,
            new.headers,
            new.signing,
            new.url,
            new.client_identity
        ])?;
        count += 1;
    }
    Ok((count, bite.last().map(|(id, _)| *id)))
}
