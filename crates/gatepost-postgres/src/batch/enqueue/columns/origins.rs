//! What makes each enqueue happen only once.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::Origin;
use tokio_postgres::types::ToSql;

/// An occurrence's place and id.
#[derive(Default)]
struct Known<'a> {
    place: Vec<Option<String>>,
    occurrence: Vec<Option<&'a str>>,
}

/// A row of the outbox, and what is left of it.
#[derive(Default)]
struct Rows {
    outbox: Vec<Option<i64>>,
    turn: Vec<Option<i64>>,
    moves: Vec<bool>,
    after_task: Vec<Option<i64>>,
    tasks: Vec<Option<String>>,
    due: Vec<Option<DateTime<Utc>>>,
}

#[derive(Default)]
pub(super) struct OriginColumns<'a> {
    known: Known<'a>,
    rows: Rows,
    now: Vec<DateTime<Utc>>,
}

impl<'a> OriginColumns<'a> {
    pub(super) fn push(&mut self, origin: &'a Origin, now: DateTime<Utc>) {
        let (known, outbox) = parts(origin);
        let (place, occurrence) = known.unzip();
        let (turn, left) = match origin {
            Origin::Outbox { turn, left, .. } => (Some(i64::from(*turn)), left.as_ref()),
            Origin::Direct | Origin::Occurrence { .. } => (None, None),
        };
        let (columns, due) = left.map(|(left, due)| (left.columns(), *due)).unzip();
        let (after_task, tasks) = columns.unzip();
        self.known.place.push(place);
        self.known.occurrence.push(occurrence);
        self.rows.outbox.push(outbox);
        self.rows.turn.push(turn);
        self.rows.moves.push(left.is_some());
        self.rows.after_task.push(after_task);
        self.rows.tasks.push(tasks.flatten());
        self.rows.due.push(due);
        self.now.push(now);
    }

    pub(super) fn are_direct(&self) -> bool {
        self.known.occurrence.iter().all(Option::is_none)
            && self.rows.outbox.iter().all(Option::is_none)
    }

    pub(super) fn now(&self) -> &(dyn ToSql + Sync) {
        &self.now
    }

    pub(super) fn params(&self) -> [&(dyn ToSql + Sync); 9] {
        [
            &self.known.place,
            &self.known.occurrence,
            &self.rows.outbox,
            &self.rows.turn,
            &self.rows.moves,
            &self.rows.after_task,
            &self.rows.tasks,
            &self.rows.due,
            &self.now,
        ]
    }
}

/// The key under which an occurrence is known, and the row of the outbox.
pub(in crate::batch::enqueue) fn parts(origin: &Origin) -> (Option<(String, &str)>, Option<i64>) {
    match origin {
        Origin::Direct => (None, None),
        Origin::Occurrence { place, id } => (Some((place.to_string(), id.as_str())), None),
        Origin::Outbox {
            row, occurrence, ..
        } => {
            let known = occurrence.as_ref();
            let known = known.map(|(place, id)| (place.to_string(), id.as_str()));
            (known, Some(row.0))
        }
    }
}
