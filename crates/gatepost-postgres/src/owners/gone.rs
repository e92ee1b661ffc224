//! What the platform removed: marked in one commit, with the caches of its keys.

use gatepost_ids::Place;
use gatepost_storage::owners::Gone;

use super::PostgresStore;
use crate::change::{Alone, Shared, lock_params};
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::keys::keys_removed;
use crate::node::Moved;

const WAIT: &str = include_str!("../sql/place/wait.sql");
const MARK: &str = concat!(
    include_str!("../sql/owners/mark_gone.sql"),
    include_str!("../sql/place/changed.sql"),
    include_str!("../sql/owners/marked.sql"),
);
const TRIES: u32 = 8;

impl PostgresStore {
    /// Returns once no process acts on a key of theirs.
    pub(super) async fn mark(&self, gone: Gone) -> Result<()> {
        for _ in 0..TRIES {
            match self.try_to_mark(gone).await {
                Err(failure) if failure.was_victim => {}
                Ok(None) => {}
                Ok(Some(moved)) => {
                    self.node().wait_for_all(self.db(), &moved).await;
                    return Ok(());
                }
                Err(failure) => return Err(failure),
            }
        }
        Err(Failure::unavailable("the owner is being moved"))
    }

    /// `None` when an owner went to another place just then.
    async fn try_to_mark(&self, gone: Gone) -> Result<Option<Vec<Moved>>> {
        let (owner, place) = match gone {
            Gone::Owner(owner) => (Some(owner.0), None),
            Gone::Tenant(tenant) => (None, Some(Place::Tenant(tenant).to_string())),
        };
        let alone = Alone {
            places: place.iter().cloned().collect(),
            owners: owner.into_iter().collect(),
            ..Alone::default()
        };
        let (number, shared) = (self.db().places(), Shared::default());
        let tx = self.db().begin("BEGIN").await?;
        let locks = lock_params(&number, &shared, &alone);
        tx.query(WAIT, &locks[..]).await?;
        let params: [Param<'_>; 2] = [&owner, &place];
        let row = tx.query_one(MARK, &params).await?;
        if row.try_get::<_, &str>("verdict")? == "again" {
            return Ok(None);
        }
        let owners: Vec<i64> = row.try_get("owners")?;
        let moved = keys_removed(&tx, &owners).await?;
        tx.commit().await?;
        Ok(Some(moved))
    }
}
