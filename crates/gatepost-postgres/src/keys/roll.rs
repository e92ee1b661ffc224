//! A key takes the place of another.

use apikey_core::{ApiKey, Expiration, KeyId};
use gatepost_storage::keys::{KeyRow, Rolled};
use uuid::Uuid;

use super::change::{CHANGED, CHANGES_KEPT, HOLD, check, slice_of};
use super::row::{self, SQL};
use crate::change::most;
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::node::Moved;
use crate::records::table::params;
use crate::store::PostgresStore;

impl PostgresStore {
    /// Stores the new key, ends the old one and moves the generation of its slice, in one round
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
        let lookup = self.lookup_of(old.id).await?;
        let slice = slice_of(&lookup)?;
        let number = i16::from(slice.0);
        let owner: [Param<'_>; 1] = [&id];
        let noted: [Param<'_>; 3] = [&number, &lookup, &CHANGES_KEPT];
        let statements = [(HOLD, &owner[..]), (&SQL.roll, &params), (CHANGED, &noted)];
        let answers = self.together(&statements).await?;
        let nothing = || Failure::unavailable("no row came back");
        let [_, rows, moved] = answers.as_slice() else {
            return Err(nothing());
        };
        check(rows.first().ok_or_else(nothing)?.try_get("verdict")?)?;
        let [new, ended] = rows.as_slice() else {
            return Err(nothing());
        };
        let generation = moved.first().ok_or_else(nothing)?.try_get(0)?;
        let moved = Moved { slice, generation };
        Ok((row::key(new)?, row::key(ended)?, moved))
    }
}
