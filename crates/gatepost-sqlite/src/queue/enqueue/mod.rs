//! Enqueues.

mod insert;
mod origin;
mod preconditions;

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{Enqueue, Enqueued, Origin, Precondition, RoutesVersion};
use rusqlite::Connection;
use webhook_model::TaskId;

use crate::batch::Batch;
use crate::error::{Answer, Failure, Result};
use crate::outbox::push;
use crate::realms::{Change, changed, place_of};
use crate::records::task;
use crate::sql::Sql as _;

/// Decides each item separately; one that fails does not affect the others.
pub(super) fn all(
    c: &Connection,
    batch: &mut Batch,
    all: &[Enqueue],
    now: DateTime<Utc>,
) -> Result<Vec<Answer<Enqueued>>> {
    let mut answers = Vec::with_capacity(all.len());
    for one in all {
        let enqueued = if is_plain(one) {
            enqueue(c, batch, one, now)
        } else {
            guarded(c, batch, one, now)
        };
        answers.push(match enqueued {
            Ok(enqueued) => Ok(enqueued),
            Err(Failure::Store(error)) => Err(error),
            Err(failure) => return Err(failure),
        });
    }
    Ok(answers)
}

/// Returns whether only SQLite itself can fail after the first row is written.
fn is_plain(enqueue: &Enqueue) -> bool {
    let once = !matches!(enqueue.origin, Origin::Outbox { .. });
    once && enqueue.consume.is_empty()
}

/// Runs the enqueue in a savepoint.
fn guarded(
    c: &Connection,
    batch: &mut Batch,
    one: &Enqueue,
    now: DateTime<Utc>,
) -> Result<Enqueued> {
    let run = |sql| -> Result<()> { c.run(sql, []) };
    let mark = batch.mark();
    run("SAVEPOINT one")?;
    let enqueued = enqueue(c, batch, one, now);
    if matches!(enqueued, Err(Failure::Store(_))) {
        run("ROLLBACK TO one")?;
        batch.back_to(mark);
    }
    run("RELEASE one")?;
    enqueued
}

fn enqueue(
    c: &Connection,
    batch: &mut Batch,
    enqueue: &Enqueue,
    now: DateTime<Utc>,
) -> Result<Enqueued> {
    if origin::used(c, &enqueue.origin)? {
        return Ok(Enqueued::AlreadyKnown);
    }
    let consume: BTreeSet<TaskId> = enqueue.consume.iter().copied().collect();
    match &enqueue.precondition {
        Precondition::Rows(rows) => {
            let changed = preconditions::changed_rows(c, rows, &consume)?;
            if !changed.is_empty() {
                return Ok(Enqueued::RowsChanged(changed));
            }
        }
        Precondition::Nothing | Precondition::Realms(_) => {
            if !preconditions::stands(c, batch, &enqueue.precondition)?
                || !preconditions::all_there(c, &consume)?
            {
                return Ok(Enqueued::RoutesChanged);
            }
        }
    }
    let receivers = insert::receivers(c, batch, &enqueue.deliveries)?;
    origin::take(c, &enqueue.origin, now)?;
    let deliveries = insert::all(c, batch, &enqueue.deliveries, &receivers, now)?;
    let later = enqueue.later.iter().map(|new| push(c, new, now));
    let later = later.collect::<Result<_>>()?;
    let moved = consume_all(c, &consume)?;
    if !moved.is_empty() {
        batch.places_moved();
    }
    Ok(Enqueued::Stored {
        deliveries,
        later,
        moved,
    })
}

/// Deletes one-time tasks, and moves the version of each of their realms once.
fn consume_all(c: &Connection, tasks: &BTreeSet<TaskId>) -> Result<Vec<(Realm, RoutesVersion)>> {
    let mut by_place: Vec<(Realm, Vec<Change>)> = Vec::new();
    for id in tasks {
        let Some(owner) = task::remove(c, *id)? else {
            continue;
        };
        let place = place_of(c, owner)?;
        match by_place.iter_mut().find(|(known, _)| *known == place) {
            Some((_, changes)) => changes.push(Change::Task(*id)),
            None => by_place.push((place, vec![Change::Task(*id)])),
        }
    }
    by_place
        .into_iter()
        .map(|(place, changes)| Ok((place, changed(c, place, &changes)?)))
        .collect()
}
