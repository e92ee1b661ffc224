//! Records that cannot be read, listed so that they can be deleted.

use gatepost_ids::OwnerId;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{EventQuery, RecordId, TaskQuery, UnreadableRecord, WebhookQuery};
use gatepost_storage::{ErrorKind, Page, Scope, StoreError};
use rusqlite::{Connection, Row};
use webhook_model::{Event, Task, Webhook};

use super::lists;
use super::table::{self, Stored};
use crate::column;
use crate::error::Result;
use crate::list::List;
use crate::named::Named;

/// The number of rows that are read in one statement.
const ROWS: u32 = 500;

/// An unreadable record, with the time of its creation.
type Found = (Option<i64>, UnreadableRecord);

pub(super) fn find(
    c: &Connection,
    keys: &SealingKeys,
    scope: Scope,
    limit: u32,
) -> Result<Vec<UnreadableRecord>> {
    let limit = limit as usize;
    let (webhooks, tasks, events) = lists_of(scope);
    let mut found = unreadable::<Webhook>(c, keys, &webhooks, limit)?;
    found.extend(unreadable::<Task>(c, keys, &tasks, limit)?);
    found.extend(unreadable::<Event>(c, keys, &events, limit)?);
    found.sort_by_key(|(created, record)| (*created, record.record));
    Ok(found
        .into_iter()
        .map(|(_, record)| record)
        .take(limit)
        .collect())
}

fn lists_of(scope: Scope) -> (List, List, List) {
    let webhooks = WebhookQuery {
        scope,
        name: None,
        page: Page::first(1),
    };
    let tasks = TaskQuery {
        scope,
        creator: None,
        webhook: None,
        name: None,
        page: Page::first(1),
    };
    let events = EventQuery {
        scope,
        task: None,
        event_type: None,
        page: Page::first(1),
    };
    (
        lists::webhooks(&webhooks),
        lists::tasks(&tasks),
        lists::events(&events),
    )
}

fn unreadable<R: Stored<Id: Into<RecordId>>>(
    c: &Connection,
    keys: &SealingKeys,
    list: &List,
    limit: usize,
) -> Result<Vec<Found>> {
    let mut found = Vec::new();
    let mut page = Page::first(ROWS);
    let read = |row: &Row<'_>| {
        let id: i64 = row.get("id")?;
        let read = table::row::<R>(row, keys).map(drop);
        Ok((id, one(row, R::Id::from(id).into(), read)?))
    };
    while found.len() < limit {
        let rows = list.page(c, &R::table().select, &page, |id: i64| id, read)?;
        let Some((last, _)) = rows.last() else { break };
        page = page.beyond(*last);
        found.extend(rows.into_iter().filter_map(|(_, found)| found));
    }
    Ok(found)
}

/// Returns an unreadable row, and nothing for a readable one. An error of the disk is an error of
/// the search.
fn one(row: &Row<'_>, record: RecordId, read: Result<()>) -> Result<Option<Found>> {
    let Err(failure) = read else { return Ok(None) };
    let error = StoreError::from(failure);
    if error.kind() != ErrorKind::Corrupt {
        return Err(error.into());
    }
    // A row without a readable owner is listed nevertheless, and the reason says so.
    let (owner, error) = match column::owner(&Named::of(row), "owner") {
        Ok(owner) => (owner, error),
        Err(failure) => (OwnerId(0), failure.into()),
    };
    let found = UnreadableRecord {
        record,
        owner,
        reason: error.reason(),
    };
    Ok(Some((row.get("created")?, found)))
}
