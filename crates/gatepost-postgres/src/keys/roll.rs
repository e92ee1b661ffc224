//! A key takes the place of another.

use apikey_core::{ApiKey, Expiration};
use gatepost_storage::keys::KeyRow;

use super::change::{CHANGED, CHANGES_KEPT, HOLD, check, slice_of};
use super::columns::Columns;
use super::row;
use crate::change::most;
use crate::db::Param;
use crate::error::{Failure, Result};
use crate::node::Moved;
use crate::store::PostgresStore;

const ROLL: &str = include_str!("../sql/keys/roll.sql");

impl PostgresStore {
    /// Stores the new key, ends the old one and moves the generation of its slice, in one round
    /// trip, while nobody else adds a key of that owner.
    pub(super) async fn replace_key(
        &self,
        old: &KeyRow,
        new: &ApiKey,
        at_most: u64,
    ) -> Result<(KeyRow, KeyRow, Moved)> {
        let (columns, at_most) = (Columns::of(new), most(at_most));
        let ends = match old.key.expiration {
            Expiration::At(at) => Some(at),
            Expiration::Never => None,
        };
        let mut params = columns.params();
        let of_old: [Param<'_>; 4] = [&at_most, &old.id.0, &old.revision.0, &ends];
        params.extend(of_old);
        params.push(&new.locked);
        let lookup = self.lookup_of(old.id).await?;
        let slice = slice_of(&lookup)?;
        let number = i16::from(slice.0);
        let owner: [Param<'_>; 1] = [&columns.owner];
        let noted: [Param<'_>; 3] = [&number, &lookup, &CHANGES_KEPT];
        let statements = [(HOLD, &owner[..]), (ROLL, &params), (CHANGED, &noted)];
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
