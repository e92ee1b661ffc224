//! Last logins, and how often keys were used, by the day.

use apikey_core::KeyId;
use chrono::{DateTime, NaiveDate, Utc};
use gatepost_storage::keys::{KeyUse, Login};
use tokio_postgres::Row;

use crate::db::Param;
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

const LOGINS: &str = include_str!("../sql/keys/record_logins.sql");
const ADD: &str = include_str!("../sql/keys/add_uses.sql");
const LIST: &str = include_str!("../sql/keys/uses.sql");

impl PostgresStore {
    pub(super) async fn add_activity(&self, logins: &[Login], uses: &[KeyUse]) -> Result<()> {
        let users: Vec<i64> = logins.iter().map(|l| l.key.0).collect();
        let at: Vec<DateTime<Utc>> = logins.iter().map(|l| l.login.at).collect();
        let from: Vec<String> = logins.iter().map(|l| l.login.from.to_string()).collect();
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
        let latest: [Param<'_>; 3] = [&users, &at, &from];
        let added: [Param<'_>; 6] = [&keys, &dates, &used, &refused, &named, &gone];
        let mut statements: Vec<(&str, &[Param<'_>])> = Vec::new();
        if !logins.is_empty() {
            statements.push((LOGINS, &latest));
        }
        if !uses.is_empty() {
            statements.push((ADD, &added));
        }
        if !statements.is_empty() {
            self.together(&statements).await?;
        }
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
