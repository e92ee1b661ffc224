//! How often keys were used, by the day.

use apikey_core::KeyId;
use chrono::NaiveDate;
use gatepost_storage::keys::KeyUse;
use tokio_postgres::Row;

use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const ADD: &str = include_str!("../sql/keys/add_uses.sql");
const LIST: &str = include_str!("../sql/keys/uses.sql");

impl PostgresStore {
    pub(super) async fn add_uses(&self, uses: &[KeyUse]) -> Result<()> {
        let days = KeyUse::merged(uses);
        let stored = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let keys: Vec<i64> = days.iter().map(|day| day.key.0).collect();
        let dates: Vec<NaiveDate> = days.iter().map(|day| day.day).collect();
        let used: Vec<i64> = days.iter().map(|day| stored(day.used)).collect();
        let refused: Vec<i64> = days.iter().map(|day| stored(day.refused)).collect();
        // In order of key and day: the last of a key is its newest.
        let newest = days.chunk_by(|a, b| a.key == b.key);
        let newest = newest.filter_map(<[KeyUse]>::last);
        let (named, gone): (Vec<i64>, Vec<NaiveDate>) = newest
            .map(|day| (day.key.0, KeyUse::kept_after(day.day)))
            .unzip();
        let params: [Param<'_>; 6] = [&keys, &dates, &used, &refused, &named, &gone];
        self.db().execute(ADD, &params).await?;
        Ok(())
    }

    pub(super) async fn uses(
        &self,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
        limit: u32,
    ) -> Result<Vec<KeyUse>> {
        let limit = i64::from(limit);
        let params: [Param<'_>; 4] = [&key.0, &from, &before, &limit];
        let rows = self.db().query(LIST, &params).await?;
        rows.iter().map(|row| key_use(key, row)).collect()
    }
}

fn key_use(key: KeyId, row: &Row) -> Result<KeyUse> {
    let count = |column| {
        let count: i64 = row.try_get(column)?;
        u64::try_from(count).map_err(|e| Failure::corrupt(column, e))
    };
    Ok(KeyUse {
        key,
        day: row.try_get("day")?,
        used: count("used")?,
        refused: count("refused")?,
    })
}
