//! Enqueues.

mod basis;
mod insert;
mod origin;

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use gatepost_ids::Place;
use gatepost_storage::webhooks::{Basis, Enqueue, Enqueued, RoutesVersion};
use rusqlite::Connection;
use webhook_model::TaskId;

use crate::error::Result;
use crate::outbox::push;
use crate::places::{Change, changed, place_of};
use crate::records::task;

pub(super) fn enqueue(c: &Connection, batch: &Enqueue, now: DateTime<Utc>) -> Result<Enqueued> {
    if origin::used(c, &batch.origin)? {
        return Ok(Enqueued::AlreadyKnown);
    }
    let consume: BTreeSet<TaskId> = batch.consume.iter().copied().collect();
    match &batch.basis {
        Basis::Rows(rows) => {
            let changed = basis::changed_rows(c, rows, &consume)?;
            if !changed.is_empty() {
                return Ok(Enqueued::RowsChanged(changed));
            }
        }
        Basis::Nothing | Basis::Places(_) => {
            if !basis::stands(c, &batch.basis)? || !basis::all_there(c, &consume)? {
                return Ok(Enqueued::RoutesChanged);
            }
        }
    }
    origin::take(c, &batch.origin, now)?;
    let deliveries = insert::all(c, &batch.deliveries, now)?;
    for new in &batch.later {
        push(c, new, now)?;
    }
    Ok(Enqueued::Stored {
        deliveries,
        moved: consume_all(c, &consume)?,
    })
}

/// Deletes one-time tasks, and moves the version of each of their places once.
fn consume_all(c: &Connection, tasks: &BTreeSet<TaskId>) -> Result<Vec<(Place, RoutesVersion)>> {
    let mut by_place: Vec<(Place, Vec<Change>)> = Vec::new();
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
