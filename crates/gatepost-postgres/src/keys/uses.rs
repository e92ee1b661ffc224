//! Last logins, and daily counts of uses.

use apikey_core::KeyId;
use chrono::NaiveDate;
use gatepost_storage::keys::{KeyUse, Login};
use tokio_postgres::Row;

use crate::change::most;
use crate::column::{column, params, total};
use crate::db::Param;
use crate::error::Result;
use crate::store::PostgresStore;

const LOGINS: &str = sql!("keys/record_logins");
const ADD: &str = sql!("keys/add_uses");
const LIST: &str = sql!("keys/uses");

impl PostgresStore {
    pub(super) async fn add_activity(&self, logins: &[Login], uses: &[KeyUse]) -> Result<()> {
        let latest = [
            column(logins, |l| l.key.0),
            column(logins, |l| l.login.at),
            column(logins, |l| l.login.from.to_string()),
        ];
        let days = KeyUse::merged(uses);
        // In order of key and day: the last entry of a key is its newest.
        let newest = days.chunk_by(|a, b| a.key == b.key);
        let newest: Vec<&KeyUse> = newest.filter_map(<[KeyUse]>::last).collect();
        let added = [
            column(&days, |day| day.key.0),
            column(&days, |day| day.day),
            column(&days, |day| most(day.used)),
            column(&days, |day| most(day.refused)),
            column(&newest, |day| day.key.0),
            column(&newest, |day| KeyUse::kept_after(day.day)),
        ];
        let (latest, added) = (params(&latest), params(&added));
        let mut statements: Vec<(&str, &[Param<'_>])> = Vec::new();
        if !logins.is_empty() {
            statements.push((LOGINS, &latest));
        }
        if !uses.is_empty() {
            statements.push((ADD, &added));
        }
        if !statements.is_empty() {
            self.db().pipeline("BEGIN", &statements).await?;
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
    Ok(KeyUse {
        key,
        day: row.try_get("day")?,
        used: total(row, "used")?,
        refused: total(row, "refused")?,
    })
}
