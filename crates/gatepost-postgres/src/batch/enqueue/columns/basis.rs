//! What each enqueue was decided by, and which tasks it uses up.

use gatepost_storage::webhooks::{Basis, Enqueue, RecordId};
use tokio_postgres::types::ToSql;

/// Places and their versions.
#[derive(Default)]
struct Places {
    item: Vec<i32>,
    place: Vec<String>,
    version: Vec<i64>,
}

/// Rows and their revisions.
#[derive(Default)]
struct Rows {
    item: Vec<i32>,
    kind: Vec<i16>,
    id: Vec<i64>,
    revision: Vec<i64>,
}

#[derive(Default)]
pub(super) struct BasisColumns {
    places: Places,
    rows: Rows,
    consumer: Vec<i32>,
    pub(super) consume: Vec<i64>,
}

impl BasisColumns {
    pub(super) fn push(&mut self, number: i32, batch: &Enqueue) {
        match &batch.basis {
            Basis::Nothing => {}
            Basis::Places(places) => {
                for (place, version) in places {
                    self.places.item.push(number);
                    self.places.place.push(place.to_string());
                    self.places.version.push(version.0);
                }
            }
            Basis::Rows(rows) => {
                for (record, revision) in rows {
                    let (kind, id) = number_of(*record);
                    self.rows.item.push(number);
                    self.rows.kind.push(kind);
                    self.rows.id.push(id);
                    self.rows.revision.push(revision.0);
                }
            }
        }
        for task in &batch.consume {
            self.consumer.push(number);
            self.consume.push(task.0);
        }
    }

    /// The places and their versions, each once; `None` where two saw a place at two versions, of
    /// which one is out of date.
    pub(super) fn places_once(&self) -> Option<(Vec<&str>, Vec<i64>)> {
        let places = self.places.place.iter().map(String::as_str);
        let mut once: Vec<_> = places.zip(self.places.version.iter().copied()).collect();
        once.sort_unstable();
        once.dedup();
        let mut pairs = once.iter().zip(once.iter().skip(1));
        let is_one = pairs.all(|((one, _), (next, _))| one != next);
        is_one.then(|| once.into_iter().unzip())
    }

    /// Whether no row was read and none is used up.
    pub(super) fn is_plain(&self) -> bool {
        self.rows.item.is_empty() && self.consume.is_empty()
    }

    pub(super) fn of_places(&self) -> [&(dyn ToSql + Sync); 3] {
        [&self.places.item, &self.places.place, &self.places.version]
    }

    pub(super) fn of_rows(&self) -> [&(dyn ToSql + Sync); 6] {
        [
            &self.rows.item,
            &self.rows.kind,
            &self.rows.id,
            &self.rows.revision,
            &self.consumer,
            &self.consume,
        ]
    }
}

fn number_of(record: RecordId) -> (i16, i64) {
    match record {
        RecordId::Webhook(id) => (0, id.0),
        RecordId::Task(id) => (1, id.0),
        RecordId::Event(id) => (2, id.0),
    }
}
