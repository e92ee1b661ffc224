//! How many ended deliveries of each webhook are shown.

use std::collections::HashSet;

use gatepost_storage::webhooks::Purged;
use rusqlite::{Connection, params};

use super::super::list::source::{of_webhook, waiting_of};
use super::super::list::stream::Merge;
use super::super::look::Look;
use super::bite::{BITE, count};
use crate::error::{Answer, Result};
use crate::store::SqliteStore;

/// What is to be stored of a webhook: nothing, if it has no more than is shown.
type Floor = (i64, Option<i64>);

/// Looks at no more than `limit` webhooks.
pub(super) async fn set(store: &SqliteStore, keep: u32, pass: i64, limit: u32) -> Answer<Purged> {
    let mut purged = Purged::default();
    let mut room = limit;
    loop {
        let some = room.min(count(BITE));
        let floors = store.read(move |c| find(c, keep, pass, some)).await?;
        let found = count(floors.len());
        if found == 0 {
            return Ok(purged);
        }
        purged.rows += floors.iter().filter(|(_, floor)| floor.is_some()).count() as u64;
        store.write(move |c| write(c, &floors, pass)).await?;
        room -= found;
        if room == 0 {
            purged.more = true;
            return Ok(purged);
        }
    }
}

fn find(c: &Connection, keep: u32, pass: i64, limit: u32) -> Result<Vec<Floor>> {
    let webhooks: Vec<i64> = c
        .prepare_cached(include_str!("../../sql/log/webhooks_ended.sql"))?
        .query_map(params![pass, limit], |row| row.get(0))?
        .collect::<rusqlite::Result<_>>()?;
    let look = Look::new(c)?;
    let floor = |webhook: i64| Ok((webhook, floor(&look, webhook, keep)?));
    webhooks.into_iter().map(floor).collect()
}

/// The newest ended delivery that is too much. Walks over what is shown, and over what waits.
fn floor(look: &Look<'_>, webhook: i64, keep: u32) -> Result<Option<i64>> {
    if keep == u32::MAX {
        return Ok(None);
    }
    let claimed: HashSet<i64> = look.claimed()?.into_iter().collect();
    let mut shown = Merge::newest(of_webhook(look, webhook)?);
    let mut waiting = Merge::newest(waiting_of(webhook));
    let (mut waits, mut ended) = (waiting.next(look.c)?, 0);
    while let Some(id) = shown.next(look.c)? {
        while waits.is_some_and(|waits| waits > id) {
            waits = waiting.next(look.c)?;
        }
        let open = waits == Some(id) || (claimed.contains(&id) && is_open(look, id)?);
        ended += u64::from(!open);
        if ended > u64::from(keep) {
            return Ok(Some(id));
        }
    }
    Ok(None)
}

fn is_open(look: &Look<'_>, id: i64) -> Result<bool> {
    Ok(look
        .find(id)?
        .is_some_and(|found| !found.state().is_final()))
}

/// A webhook of which something has ended since the round began is looked at again in the next.
fn write(c: &Connection, floors: &[Floor], pass: i64) -> Result<()> {
    let mut raise =
        c.prepare_cached("UPDATE gatepost_webhook SET floor = max(floor, ?2) WHERE id = ?1")?;
    let mut done =
        c.prepare_cached("DELETE FROM gatepost_ended WHERE webhook = ?1 AND pass < ?2")?;
    for (webhook, floor) in floors {
        if let Some(floor) = floor {
            raise.execute(params![webhook, floor])?;
        }
        done.execute(params![webhook, pass])?;
    }
    Ok(())
}
