//! The realm and account status of each owner: suspended, deleted or moving.

mod deleted;
mod realm;
pub(crate) mod remove;
mod restored;
pub(crate) mod row;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::OwnerStore;
use gatepost_storage::owners::{OwnerFilter, OwnerRow, OwnerUsage, Removal};
use rusqlite::params;

use self::row::{find, owner_row, usage};
use crate::column::micros;
use crate::error::Answer;
use crate::sql::Sql as _;
use crate::store::SqliteStore;

#[async_trait]
impl OwnerStore for SqliteStore {
    async fn owner(&self, owner: OwnerId) -> Answer<Option<OwnerRow>> {
        self.read(move |c| find(c, owner)).await
    }

    async fn usage(&self, owner: OwnerId) -> Answer<OwnerUsage> {
        self.read(move |c| usage(c, owner)).await
    }

    async fn set_owner(
        &self,
        owner: OwnerId,
        realm: Option<Realm>,
        suspended: Option<bool>,
        _now: DateTime<Utc>,
    ) -> Answer<()> {
        self.write(move |c| realm::set(c, owner, realm, suspended))
            .await
    }

    async fn list_owners(
        &self,
        which: OwnerFilter,
        after: Option<OwnerId>,
        limit: u32,
    ) -> Answer<Vec<OwnerRow>> {
        self.read(move |c| {
            let sql = match which {
                OwnerFilter::Suspended => sql!("owners/held"),
                OwnerFilter::Unplaced => sql!("owners/unplaced"),
            };
            // No id has fewer than 16 bytes.
            let beyond = after.map_or_else(Vec::new, |owner| owner.to_bytes().to_vec());
            c.all(sql, params![beyond, limit], owner_row)
        })
        .await
    }

    async fn mark_gone(&self, gone: Removal, _now: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| deleted::mark(c, gone)).await
    }

    async fn remove_gone(&self, limit: u32, _now: DateTime<Utc>) -> Answer<u64> {
        let mut removed = 0;
        // Each batch is a separate command, so that others run between two of them.
        while removed < limit {
            let bite = self
                .write(move |c| remove::bite(c, limit - removed))
                .await?;
            removed += bite.removed;
            if !bite.more {
                break;
            }
        }
        Ok(removed.into())
    }

    async fn restored(&self, now: DateTime<Utc>) -> Answer<()> {
        self.write(move |c| restored::pass_over(c, now)).await
    }

    async fn lease(
        &self,
        name: &str,
        holder: u128,
        until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Answer<bool> {
        let name = name.to_owned();
        self.write(move |c| {
            let params = params![name, holder.to_be_bytes(), micros(until), micros(now)];
            Ok(c.changed(sql!("owners/lease"), params)? > 0)
        })
        .await
    }
}
