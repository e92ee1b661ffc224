//! A database that was put back goes on beyond the numbers that were given since.

use chrono::{DateTime, Utc};
use gatepost_storage::keys::KeySlice;
use gatepost_storage::owners::PassedOver;
use redb::ReadableTable as _;

use super::error::{Answer, failed};
use super::places;
use super::redb_store::slice_name;
use super::tables::{CHANGES, COUNTERS, EVENTS, KEY_CHANGES, KEYS, TASKS, Tx, WEBHOOKS};

const RECORDS: [&str; 5] = ["key", "webhook", "task", "event", "routes"];
const LOG: [&str; 4] = ["delivery", "token", "outbox", "audit"];

pub(super) fn pass_over(tx: &Tx, now: DateTime<Utc>) -> Answer<()> {
    let (records, log) = (PassedOver::of_records(now), PassedOver::of_log(now));
    let records_named = RECORDS.map(|name| (name, records));
    let log_named = LOG.map(|name| (name, log));
    for (name, numbers) in records_named.into_iter().chain(log_named) {
        tx.set_counter(name, numbers.beyond(tx.counter(name)?))?;
    }
    for table in [KEYS, WEBHOOKS, TASKS, EVENTS] {
        for (id, mut row) in tx.rows(table)? {
            // A row that cannot be read stays as it is.
            if let Some(revision) = row["revision"].as_i64() {
                row["revision"] = records.beyond(revision).into();
                tx.put(table, id, &row)?;
            }
        }
    }
    move_slices(tx, records)?;
    move_places(tx)
}

fn move_slices(tx: &Tx, numbers: PassedOver) -> Answer<()> {
    let generation = numbers.beyond(tx.counter("key_generation")?) + 1;
    tx.set_counter("key_generation", generation)?;
    tx.open(KEY_CHANGES)?.retain(|_, _| false).map_err(failed)?;
    for slice in (0..=u8::MAX).map(KeySlice) {
        tx.set_counter(&slice_name(slice), generation)?;
        tx.moved.borrow_mut().push((slice, generation));
    }
    Ok(())
}

fn move_places(tx: &Tx) -> Answer<()> {
    let words: Vec<String> = {
        let counters = tx.open(COUNTERS)?;
        let names = counters.iter().map_err(failed)?;
        let names = names.map(|entry| Ok(entry.map_err(failed)?.0.value().to_owned()));
        let names: Vec<String> = names.collect::<Answer<_>>()?;
        let words = names.iter().filter_map(|name| places::word_of(name));
        words.map(str::to_owned).collect()
    };
    tx.open(CHANGES)?.retain(|_, _| false).map_err(failed)?;
    for word in words {
        places::restart(tx, &word)?;
    }
    Ok(())
}
