//! The realm and account status of each owner: suspended, deleted or moving.

mod deleted;
mod remove;
mod restored;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::OwnerStore;
use gatepost_storage::owners::{OwnerFilter, OwnerRow, OwnerUsage, RecordUsage, Removal};
use tokio_postgres::Row;
use uuid::Uuid;

use crate::change::{Alone, KNOW, REVIVE};
use crate::column::{self, without_nul};
use crate::db::Param;
use crate::error::{Answer, Result};
use crate::store::PostgresStore;

const SET: &str = concat!(
    sql!("owners/set"),
    sql!("place/changed"),
    sql!("records/verdict"),
);
const ONE: &str =
    "SELECT owner, place, held FROM :schema.gatepost_owner WHERE known AND NOT gone AND owner = $1";
const USAGE: &str = sql!("owners/usage");
const SUSPENDED: &str = "SELECT owner, place, held FROM :schema.gatepost_owner WHERE known AND NOT gone AND held AND owner >= $1 ORDER BY owner LIMIT $2";
const UNPLACED: &str = sql!("owners/unplaced");

#[async_trait]
impl OwnerStore for PostgresStore {
    async fn owner(&self, owner: OwnerId) -> Answer<Option<OwnerRow>> {
        let row = self.db().query_opt(ONE, &[&Uuid::from(owner)]).await?;
        Ok(row.as_ref().map(owner_row).transpose()?)
    }

    async fn usage(&self, owner: OwnerId) -> Answer<OwnerUsage> {
        let row = self.db().query_opt(USAGE, &[&Uuid::from(owner)]).await?;
        Ok(row.as_ref().map(usage).transpose()?.unwrap_or_default())
    }

    async fn set_owner(
        &self,
        owner: OwnerId,
        realm: Option<Realm>,
        suspended: Option<bool>,
        _now: DateTime<Utc>,
    ) -> Answer<()> {
        let word = realm.map(|place| place.to_string());
        let tenant = realm.and_then(Realm::tenant).map(Uuid::from);
        let owner = Uuid::from(owner);
        let alone = Alone {
            places: word.iter().cloned().collect(),
            owners: vec![owner],
            ..Alone::default()
        };
        let id: [Param<'_>; 1] = [&owner];
        self.db().execute(KNOW, &id).await?;
        let params: [Param<'_>; 4] = [&owner, &word, &tenant, &suspended];
        self.db()
            .change(&alone, Some((REVIVE, &id)), (SET, &params))
            .await?;
        self.db().wait_for_writers().await?;
        if realm.is_some() {
            self.end_moves().await?;
        }
        if suspended == Some(false) {
            self.notifier().anything();
        }
        Ok(())
    }

    async fn list_owners(
        &self,
        which: OwnerFilter,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Answer<Vec<OwnerRow>> {
        let from = match after {
            None => Some(0),
            Some(OwnerId(last)) => last.checked_add(1),
        };
        let Some(from) = from.map(Uuid::from_u128) else {
            return Ok(Vec::new());
        };
        let params: [Param<'_>; 2] = [&from, &i64::from(limit)];
        let rows = match which {
            OwnerFilter::Suspended => self.db().query(SUSPENDED, &params).await?,
            OwnerFilter::Unplaced => self.db().query(UNPLACED, &params).await?,
        };
        Ok(rows.iter().map(owner_row).collect::<Result<_>>()?)
    }

    async fn mark_gone(&self, gone: Removal, _now: DateTime<Utc>) -> Answer<()> {
        Ok(self.mark(gone).await?)
    }

    async fn remove_gone(&self, limit: u32, _now: DateTime<Utc>) -> Answer<u64> {
        Ok(self.remove_what_is_gone(limit).await?)
    }

    async fn restored(&self, now: DateTime<Utc>) -> Answer<()> {
        Ok(self.pass_over(now).await?)
    }

    async fn lease(
        &self,
        name: &str,
        holder: u128,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<bool> {
        let (name, holder) = (without_nul(name), format!("{holder:032x}"));
        let sql = sql!("owners/lease");
        let taken = self
            .db()
            .query(sql, &[&name, &holder, &until, &now])
            .await?;
        Ok(!taken.is_empty())
    }
}

fn owner_row(row: &Row) -> Result<OwnerRow> {
    Ok(OwnerRow {
        owner: column::owner(row, "owner")?,
        realm: column::place(row)?,
        suspended: row.try_get("held")?,
    })
}

fn usage(row: &Row) -> Result<OwnerUsage> {
    let number = |column| column::total(row, column);
    Ok(OwnerUsage {
        keys: number("keys")?,
        records: RecordUsage {
            webhooks: number("webhooks")?,
            tasks: number("tasks")?,
            events: number("events")?,
            bytes: number("bytes")?,
        },
    })
}
