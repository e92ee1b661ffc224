//! The removal of deliveries beyond an owner's share.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::Purged;
use rusqlite::{Connection, params};

use super::super::list::source::of_owner;
use super::super::list::stream::Merge;
use super::super::snapshot::Look;
use super::oldest::{BITE, has_ended};
use crate::column;
use crate::deliveries::{remove as remove_one, shrunk};
use crate::error::{Answer, Result};
use crate::named::Named;
use crate::sql::Sql as _;
use crate::store::SqliteStore;

const NEXT: &str = "SELECT owner, hidden_to FROM gatepost_owner INDEXED BY gatepost_owner_hidden WHERE hidden_to > 0 LIMIT 1";
const DONE: &str = "UPDATE gatepost_owner SET hidden_to = 0 WHERE owner = ?1 AND hidden_to = ?2";

/// Hidden deliveries of an owner, from the oldest on.
struct Hidden {
    owner: OwnerId,
    last: i64,
    ids: Vec<i64>,
}

pub(super) async fn remove(store: &SqliteStore, limit: u32) -> Answer<Purged> {
    let mut rows = 0;
    while rows < u64::from(limit) {
        let Some(hidden) = store.read(move |c| find(c, limit)).await? else {
            return Ok(Purged { rows, more: false });
        };
        let Hidden { owner, last, ids } = hidden;
        if ids.is_empty() {
            let done = move |c: &Connection| c.run(DONE, params![owner.to_bytes(), last]);
            store.write(done).await?;
        }
        rows += ids.len() as u64;
        for bite in ids.chunks(BITE as usize) {
            let bite = bite.to_vec();
            store.write(move |c| remove_some(c, &bite)).await?;
        }
    }
    Ok(Purged { rows, more: true })
}

fn find(c: &Connection, limit: u32) -> Result<Option<Hidden>> {
    let next = c.first(NEXT, [], |row| {
        Ok((column::owner(&Named::of(row), "owner")?, row.get(1)?))
    })?;
    let Some((owner, last)) = next else {
        return Ok(None);
    };
    let mut ids = Vec::new();
    let mut rows = Merge::oldest(of_owner(&Look::new(c)?, owner)?, last);
    while ids.len() < limit as usize
        && let Some(id) = rows.next(c)?
    {
        if has_ended(c, id)? {
            ids.push(id);
        }
    }
    Ok(Some(Hidden { owner, last, ids }))
}

fn remove_some(c: &Connection, ids: &[i64]) -> Result<()> {
    let mut free = 0;
    for id in ids {
        if has_ended(c, *id)? {
            free += remove_one(c, *id)?;
        }
    }
    shrunk(c, free)
}
