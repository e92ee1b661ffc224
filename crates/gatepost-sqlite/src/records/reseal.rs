//! The end of a rotation of the sealing key.

use std::sync::Arc;

use gatepost_storage::seal::SealingKeys;
use rusqlite::{Connection, params};

use super::webhook::{AUTHORIZATION, HEADERS, SIGNING};
use crate::SqliteStore;
use crate::error::{Answer, Failure, Result};

impl SqliteStore {
    /// Seals everything under the current key that is still sealed under an older one, or stored in
    /// clear. Answers how many webhooks it changed. Afterwards the older keys are not needed
    /// any more.
    ///
    /// # Errors
    /// `Corrupt` when a value cannot be opened with any of the keys: nothing was changed then.
    /// `Unavailable`.
    pub async fn reseal(&self) -> Answer<u64> {
        let keys = Arc::clone(&self.inner.sealing);
        self.write(move |c| reseal(c, &keys)).await
    }
}

type Sealed = (i64, Option<Vec<u8>>, Vec<u8>, Vec<u8>);

fn reseal(c: &Connection, keys: &SealingKeys) -> Result<u64> {
    let all: Vec<Sealed> = c
        .prepare_cached("SELECT id, authorization_data, headers, signing FROM gatepost_webhook")?
        .query_map([], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?)))?
        .collect::<std::result::Result<_, _>>()?;
    let again = |sealed: &[u8], context: &'static str| -> Result<Vec<u8>> {
        let clear = keys
            .open(sealed, context)
            .map_err(|e| Failure::corrupt(context, e))?;
        keys.seal(&clear, context)
            .map_err(|e| Failure::corrupt(context, e))
    };
    let mut count = 0;
    for (id, authorization, headers, signing) in all {
        let values = [authorization.as_ref(), Some(&headers), Some(&signing)];
        if values.into_iter().flatten().all(|v| keys.is_current(v)) {
            continue;
        }
        let authorization = authorization
            .map(|a| again(&a, AUTHORIZATION))
            .transpose()?;
        c.prepare_cached(
            "UPDATE gatepost_webhook SET authorization_data = ?2, headers = ?3, signing = ?4 WHERE id = ?1",
        )?
        .execute(params![id, authorization, again(&headers, HEADERS)?, again(&signing, SIGNING)?])?;
        count += 1;
    }
    Ok(count)
}
