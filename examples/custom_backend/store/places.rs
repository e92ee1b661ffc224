//! The versions of places, and what was changed in each of them.

use gatepost_ids::Place;
use gatepost_storage::webhooks::{RecordId, RoutesVersion};
use redb::{ReadTransaction, ReadableTable as _};
use webhook_model::{EventId, TaskId, WebhookId};

use super::codec::corrupt;
use super::error::{Answer, failed};
use super::tables::{CHANGES, COUNTERS, Tx, counter};

/// How many changes of a place are remembered.
const REMEMBERED: i64 = 1_024;

impl Tx {
    pub(super) fn version(&self, place: Place) -> Answer<RoutesVersion> {
        Ok(RoutesVersion(self.counter(&version_name(place))?))
    }

    /// Moves the version of a place and notes what was changed.
    pub(super) fn changed(&self, place: Place, records: &[RecordId]) -> Answer<RoutesVersion> {
        let version = self.count("routes")?;
        self.set_counter(&version_name(place), version)?;
        let word = place.to_string();
        let names: Vec<String> = records.iter().map(|record| name(*record)).collect();
        let mut changes = self.open(CHANGES)?;
        changes
            .insert((word.as_str(), version), names.join(" ").as_str())
            .map_err(failed)?;
        if self.count(&format!("changes/{word}"))? > REMEMBERED {
            let own = (word.as_str(), i64::MIN)..=(word.as_str(), i64::MAX);
            let oldest = changes.range(own).map_err(failed)?.next();
            let oldest = oldest.transpose().map_err(failed)?;
            let oldest = oldest.map(|(key, _)| key.value().1);
            if let Some(oldest) = oldest {
                changes.remove((word.as_str(), oldest)).map_err(failed)?;
                self.set_counter(&forgotten_name(place), oldest)?;
            }
        }
        Ok(RoutesVersion(version))
    }
}

pub(super) fn version(tx: &ReadTransaction, place: Place) -> Answer<RoutesVersion> {
    let counters = tx.open_table(COUNTERS).map_err(failed)?;
    Ok(RoutesVersion(counter(&counters, &version_name(place))?))
}

/// What was changed after `since`; `None` when that is not remembered, or is in the future.
pub(super) fn changes(
    tx: &ReadTransaction,
    place: Place,
    since: RoutesVersion,
) -> Answer<Option<Vec<RecordId>>> {
    let counters = tx.open_table(COUNTERS).map_err(failed)?;
    let forgotten = counter(&counters, &forgotten_name(place))?;
    let version = counter(&counters, &version_name(place))?;
    if !(forgotten..=version).contains(&since.0) {
        return Ok(None);
    }
    let word = place.to_string();
    let after = (word.as_str(), since.0.saturating_add(1))..=(word.as_str(), i64::MAX);
    let changes = tx.open_table(CHANGES).map_err(failed)?;
    let mut records = Vec::new();
    for change in changes.range(after).map_err(failed)? {
        let (_, names) = change.map_err(failed)?;
        for name in names.value().split_whitespace() {
            records.push(record(name).ok_or_else(|| corrupt("change"))?);
        }
    }
    Ok(Some(records))
}

/// The place, as a word, of which a counter of this name is the version.
pub(super) fn word_of(counter: &str) -> Option<&str> {
    counter.strip_prefix("version/")
}

/// Moves the version of a place of which no change is remembered.
pub(super) fn restart(tx: &Tx, word: &str) -> Answer<()> {
    let version = tx.count("routes")?;
    tx.set_counter(&format!("version/{word}"), version)?;
    tx.set_counter(&format!("forgotten/{word}"), version)?;
    tx.set_counter(&format!("changes/{word}"), 0)
}

fn version_name(place: Place) -> String {
    format!("version/{place}")
}

fn forgotten_name(place: Place) -> String {
    format!("forgotten/{place}")
}

fn name(record: RecordId) -> String {
    match record {
        RecordId::Webhook(id) => format!("w{}", id.0),
        RecordId::Task(id) => format!("t{}", id.0),
        RecordId::Event(id) => format!("e{}", id.0),
    }
}

fn record(name: &str) -> Option<RecordId> {
    let number = |text: &str| text.parse().ok();
    match name.split_at_checked(1)? {
        ("w", id) => number(id).map(|id| RecordId::Webhook(WebhookId(id))),
        ("t", id) => number(id).map(|id| RecordId::Task(TaskId(id))),
        ("e", id) => number(id).map(|id| RecordId::Event(EventId(id))),
        _ => None,
    }
}
