//! Enqueues as the columns of `queue/enqueue.sql`.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::OutboxColumns;
use gatepost_storage::webhooks::{Enqueue, NewDelivery, NewOutbox, Origin, Precondition, RecordId};

use crate::column::{Column, column, without_nul};

/// The approximate maximum of deliveries in a batch; the body of one may have a mebibyte.
pub(super) const MOST: usize = 1024;

/// An enqueue and its `now`.
pub(super) type Item = (Enqueue, DateTime<Utc>);

/// Returns the weight of an enqueue in its batch.
pub(super) fn weight((batch, _): &Item) -> usize {
    let bytes: usize = batch.deliveries.iter().map(|d| d.body.len()).sum();
    1 + batch.deliveries.len() + batch.later.len() + bytes / 16_384
}

/// Returns the webhooks of these enqueues, each once.
pub(super) fn webhooks(items: &[&Item]) -> Vec<i64> {
    let deliveries = items.iter().flat_map(|(batch, _)| &batch.deliveries);
    let mut webhooks: Vec<i64> = deliveries.map(|new| new.webhook.0).collect();
    webhooks.sort_unstable();
    webhooks.dedup();
    webhooks
}

/// Returns the parameters of enqueues of every kind.
pub(super) fn any<'a>(items: &[&'a Item]) -> Vec<Column<'a>> {
    let mut columns = Vec::from(origins(items));
    columns.extend(bases(items));
    columns.extend(deliveries(items));
    columns.extend(later(items));
    columns
}

/// Returns the columns that make each enqueue happen only once: the realm and id of its occurrence,
/// its outbox row, and the remaining tasks of that row.
fn origins<'a>(items: &[&'a Item]) -> [Column<'a>; 9] {
    let rows = || items.iter().copied();
    [
        column(rows(), |(batch, _)| Some(parts(&batch.origin).0?.0)),
        column(rows(), |(batch, _)| Some(parts(&batch.origin).0?.1)),
        column(rows(), |(batch, _)| parts(&batch.origin).1),
        column(rows(), |(batch, _)| match &batch.origin {
            Origin::Outbox { turn, .. } => Some(i64::from(*turn)),
            Origin::Direct | Origin::Occurrence { .. } => None,
        }),
        column(rows(), |(batch, _)| left(&batch.origin).is_some()),
        column(rows(), |(batch, _)| Some(left(&batch.origin)?.0)),
        column(rows(), |(batch, _)| left(&batch.origin)?.1),
        column(rows(), |(batch, _)| Some(left(&batch.origin)?.2)),
        column(rows(), |(_, now)| *now),
    ]
}

/// Returns the key that identifies an occurrence, and the outbox row.
pub(super) fn parts(origin: &Origin) -> (Option<(String, &str)>, Option<i64>) {
    let known = |place: &gatepost_ids::Realm| place.to_string();
    match origin {
        Origin::Direct => (None, None),
        Origin::Occurrence { place, id } => (Some((known(place), id.as_str())), None),
        Origin::Outbox {
            row, occurrence, ..
        } => {
            let occurrence = occurrence.as_ref();
            let occurrence = occurrence.map(|(place, id)| (known(place), id.as_str()));
            (occurrence, Some(row.0))
        }
    }
}

/// Returns the remaining tasks of an outbox row: the last task done or the list of tasks, and when
/// they are due.
fn left(origin: &Origin) -> Option<(i64, Option<String>, DateTime<Utc>)> {
    let Origin::Outbox { left, .. } = origin else {
        return None;
    };
    let (left, due) = left.as_ref()?;
    let (after, tasks) = left.columns();
    Some((after, tasks, *due))
}

/// Returns the preconditions of each enqueue, and the tasks that it uses up.
fn bases<'a>(items: &[&Item]) -> [Column<'a>; 9] {
    let (mut places, mut rows, mut consumed) = (Vec::new(), Vec::new(), Vec::new());
    for (number, (batch, _)) in (1_i32..).zip(items.iter().copied()) {
        match &batch.precondition {
            Precondition::Nothing => {}
            Precondition::Realms(of) => places.extend(of.iter().map(|of| (number, of))),
            Precondition::Rows(of) => {
                rows.extend(of.iter().map(|(record, of)| (number, kind(*record), of.0)));
            }
        }
        consumed.extend(batch.consume.iter().map(|task| (number, task.0)));
    }
    [
        column(&places, |(number, _)| *number),
        column(&places, |(_, (place, _))| place.to_string()),
        column(&places, |(_, (_, version))| version.0),
        column(&rows, |(number, ..)| *number),
        column(&rows, |(_, (kind, _), _)| *kind),
        column(&rows, |(_, (_, id), _)| *id),
        column(&rows, |(.., revision)| *revision),
        column(&consumed, |(number, _)| *number),
        column(&consumed, |(_, task)| *task),
    ]
}

fn kind(record: RecordId) -> (i16, i64) {
    match record {
        RecordId::Webhook(id) => (0, id.0),
        RecordId::Task(id) => (1, id.0),
        RecordId::Event(id) => (2, id.0),
    }
}

/// Returns the deliveries, each with the number of its enqueue.
fn deliveries<'a>(items: &[&'a Item]) -> [Column<'a>; 9] {
    let mut all: Vec<(i32, &'a NewDelivery, DateTime<Utc>)> = Vec::new();
    for (number, (batch, now)) in (1..).zip(items.iter().copied()) {
        all.extend(batch.deliveries.iter().map(|new| (number, new, *now)));
    }
    [
        column(&all, |(number, ..)| *number),
        column(&all, |(_, new, _)| new.message_id.as_str()),
        column(&all, |(_, new, _)| new.webhook.0),
        column(&all, |(_, new, _)| new.task.map(|task| task.0)),
        column(&all, |(_, new, _)| new.body.as_bytes()),
        column(&all, |(_, new, _)| new.due),
        column(&all, |(_, new, _)| new.lease_until),
        column(&all, |(.., now)| *now),
        column(&all, |(_, new, _)| cause(new)),
    ]
}

pub(super) fn cause(new: &NewDelivery) -> Option<String> {
    new.cause.as_ref().map(ToString::to_string)
}

/// Returns the outbox rows: the parts of enqueues that are decided later.
fn later<'a>(items: &[&'a Item]) -> [Column<'a>; 19] {
    let mut all: Vec<(i32, &'a NewOutbox, OutboxColumns<'a>)> = Vec::new();
    for (number, (batch, _)) in (1..).zip(items.iter().copied()) {
        let rows = batch.later.iter();
        all.extend(rows.map(|row| (number, row, OutboxColumns::of(&row.occurrence))));
    }
    [
        column(&all, |(number, ..)| *number),
        column(&all, |(.., row)| row.event_type),
        column(&all, |(.., row)| row.event),
        column(&all, |(.., row)| row.object_id.clone()),
        column(&all, |(.., row)| row.object_name.map(without_nul)),
        column(&all, |(.., row)| row.tags.clone()),
        column(&all, |(.., row)| row.variables.clone()),
        column(&all, |(.., row)| row.occurrence_id),
        column(&all, |(.., row)| row.tenant.clone()),
        column(&all, |(.., row)| row.owner.clone()),
        column(&all, |(.., row)| row.operators),
        column(&all, |(_, new, _)| new.left.columns().0),
        column(&all, |(_, new, _)| new.left.columns().1),
        column(&all, |(_, new, _)| new.due),
        column(&all, |(.., row)| row.data),
        column(&all, |(.., row)| row.webhooks.clone()),
        column(&all, |(.., row)| row.channel),
        column(&all, |(.., row)| row.trace.clone()),
        column(&all, |(_, new, _)| new.by.map(|by| by.to_string())),
    ]
}
