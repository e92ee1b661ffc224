//! The replacement of a key by another.

use apikey_core::{ApiKey, Expiration, KeyId};
use gatepost_storage::keys::{KeyRow, Rolled};
use uuid::Uuid;

use super::change::{CHANGED, HOLD, Keys, WORDS, moved};
use super::row::{self, SQL};
use crate::change::most;
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::node::Moved;
use crate::records::table::params;
use crate::store::PostgresStore;

impl PostgresStore {
    /// Stores the new key, ends the old one and moves the generation of its shard, in one round
    /// trip, while nobody else adds a key of that owner.
    pub(super) async fn replace_key(
        &self,
        old: &KeyRow,
        new: &ApiKey,
        at_most: u64,
    ) -> Result<(KeyRow, KeyRow, Moved)> {
        let (id, at_most) = (Uuid::from(new.owner), most(at_most));
        let ends = match old.key.expiration {
            Expiration::At(at) => Some(at),
            Expiration::Never => None,
        };
        let from = Rolled {
            from: Some(old.id),
            to: None,
        };
        let fields = row::written(&KeyRow::inserted(KeyId(0), new, from))?;
        let own: [Param<'_>; 5] = [&id, &at_most, &old.id.0, &old.revision.0, &ends];
        let params = params(&own, &fields);
        let keys = Keys::of(vec![self.lookup_of(old.id).await?])?;
        let (owner, noted): ([Param<'_>; 1], _) = ([&id], keys.params());
        let statements = [(HOLD, &owner[..]), (&SQL.roll, &params), (CHANGED, &noted)];
        let answers = self.db().pipeline("BEGIN", &statements).await?;
        let [_, rows, shard] = answers.as_slice() else {
            return Err(Failure::nothing());
        };
        WORDS.check(
            rows.first()
                .ok_or_else(Failure::nothing)?
                .try_get("verdict")?,
        )?;
        let [new, ended] = rows.as_slice() else {
            return Err(Failure::nothing());
        };
        let moved = moved(shard.first().ok_or_else(Failure::nothing)?)?;
        Ok((row::key(new)?, row::key(ended)?, moved))
    }
}
