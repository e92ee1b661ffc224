//! Owners and tenants that the platform removed: marked in one commit, together with the caches of
//! their keys.

use gatepost_ids::Realm;
use gatepost_storage::owners::Removal;
use uuid::Uuid;

use super::PostgresStore;
use crate::change::{Alone, lock_params};
use crate::db::{Param, Tried, Turn, missing};
use crate::error::Result;
use crate::keys::keys_removed;
use crate::node::Moved;

const MARK: &str = concat!(
    sql!("owners/mark_gone"),
    sql!("place/changed"),
    sql!("owners/marked"),
);

impl PostgresStore {
    /// Marks them as removed. Returns when no process acts on one of their keys.
    pub(super) async fn mark(&self, gone: Removal) -> Result<()> {
        let mut turn = self.db().waits().turn();
        let moved = loop {
            let tried = self.try_to_mark(gone, &turn).await;
            if let Some(moved) = turn.after(tried).await? {
                break moved;
            }
        };
        drop(turn);
        self.db().wait_for_writers().await?;
        self.node().wait_for_all(self.db(), &moved).await;
        Ok(())
    }

    /// Returns the moved shards of the keys.
    async fn try_to_mark(&self, gone: Removal, turn: &Turn<'_>) -> Tried<Vec<Moved>> {
        let (owner, place) = match gone {
            Removal::Owner(owner) => (Some(Uuid::from(owner)), None),
            Removal::Tenant(tenant) => (None, Some(Realm::Tenant(tenant).to_string())),
        };
        let alone = Alone {
            places: place.iter().cloned().collect(),
            owners: owner.into_iter().collect(),
            ..Alone::default()
        };
        let (number, in_order) = (self.db().places(), Vec::new());
        let tx = self.db().begin(turn.begin()).await?;
        let locks = lock_params(&number, &in_order, &alone);
        let had = tx.query(turn.sql(), &locks[..]).await?;
        let params: [Param<'_>; 2] = [&owner, &place];
        let row = tx.query_one(MARK, &params).await?;
        if row.try_get::<_, &str>("verdict")? == "again" {
            return Ok(Err(missing(&had)?));
        }
        let owners: Vec<Uuid> = row.try_get("owners")?;
        let moved = keys_removed(&tx, &owners).await?;
        tx.commit().await?;
        Ok(Ok(moved))
    }
}
