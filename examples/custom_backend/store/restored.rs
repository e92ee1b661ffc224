//! A database that was put back goes on beyond the numbers that were given since.

use gatepost_storage::keys::KeySlice;
use gatepost_storage::owners::{LOG_PASSED_OVER, RECORDS_PASSED_OVER};
use redb::ReadableTable as _;

use super::error::{Answer, failed};
use super::places;
use super::redb_store::slice_name;
use super::tables::{CHANGES, COUNTERS, EVENTS, KEY_CHANGES, KEYS, TASKS, Tx, WEBHOOKS};

const NUMBERS: [(&str, i64); 9] = [
    ("key", RECORDS_PASSED_OVER),
    ("webhook", RECORDS_PASSED_OVER),
    ("task", RECORDS_PASSED_OVER),
    ("event", RECORDS_PASSED_OVER),
    ("routes", RECORDS_PASSED_OVER),
    ("delivery", LOG_PASSED_OVER),
    ("token", LOG_PASSED_OVER),
    ("outbox", LOG_PASSED_OVER),
    ("audit", LOG_PASSED_OVER),
];

pub(super) fn pass_over(tx: &Tx) -> Answer<()> {
    for (name, numbers) in NUMBERS {
        tx.set_counter(name, tx.counter(name)? + numbers)?;
    }
    for table in [KEYS, WEBHOOKS, TASKS, EVENTS] {
        for (id, mut row) in tx.rows(table)? {
            // A row that cannot be read stays as it is.
            if let Some(revision) = row["revision"].as_i64() {
                row["revision"] = (revision + RECORDS_PASSED_OVER).into();
                tx.put(table, id, &row)?;
            }
        }
    }
    move_slices(tx)?;
    move_places(tx)
}

fn move_slices(tx: &Tx) -> Answer<()> {
    let generation = tx.counter("key_generation")? + RECORDS_PASSED_OVER + 1;
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
