//! The tables, and what a transaction does with them.

use std::cell::RefCell;
use std::sync::Arc;

use gatepost_storage::keys::KeySlice;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::Bodied;
use gatepost_storage::{ErrorKind, Order, Page, StoreError};
use redb::{Database, Key, ReadableTable, Table, TableDefinition, WriteTransaction};
use serde_json::Value;

use super::error::{Answer, failed};

type Counts = (u64, u64, u64, u64, u64);
/// Rows as JSON, by row number.
pub(super) type Rows<Id = i64> = TableDefinition<'static, Id, &'static str>;

/// Who changed what.
pub(super) const AUDIT: Rows = TableDefinition::new("audit");
/// The same by owner and row number.
pub(super) const AUDIT_OF_OWNER: TableDefinition<'static, (u128, i64), ()> =
    TableDefinition::new("audit_of_owner");
/// The same by time and row number.
pub(super) const AUDIT_AT: TableDefinition<'static, (i64, i64), ()> =
    TableDefinition::new("audit_at");
pub(super) const KEYS: Rows = TableDefinition::new("key");
pub(super) const WEBHOOKS: Rows = TableDefinition::new("webhook");
pub(super) const TASKS: Rows = TableDefinition::new("task");
pub(super) const EVENTS: Rows = TableDefinition::new("event");
pub(super) const DELIVERIES: Rows = TableDefinition::new("delivery");
pub(super) const OUTBOX: Rows = TableDefinition::new("outbox");
/// Where owners are, by their number.
pub(super) const OWNERS: Rows<u128> = TableDefinition::new("owner");
/// What owners use, by their number.
pub(super) const USAGE: Rows<u128> = TableDefinition::new("usage");
/// Webhooks that are gone, but not all of their deliveries.
pub(super) const GONE: Rows = TableDefinition::new("gone");
/// Lookup ids of keys that were changed, by generation.
pub(super) const KEY_CHANGES: Rows = TableDefinition::new("key_change");
/// How often keys were used, by key and day since 1970: used, refused.
pub(super) const KEY_USES: TableDefinition<'static, (i64, i32), (u64, u64)> =
    TableDefinition::new("key_use");
/// What must be unique: `kind/value` and the row that has it.
pub(super) const NAMES: TableDefinition<'static, &'static str, i64> = TableDefinition::new("name");
/// Leases by name.
pub(super) const LEASES: TableDefinition<'static, &'static str, &'static str> =
    TableDefinition::new("lease");
/// What was changed in a place, by place and version: names of records.
pub(super) const CHANGES: TableDefinition<'static, (&'static str, i64), &'static str> =
    TableDefinition::new("change");
/// Deliveries that were counted instead of stored: webhook, minute, reason.
pub(super) const DROPPED: TableDefinition<'static, (i64, i64, &'static str), u64> =
    TableDefinition::new("dropped");
/// What became of deliveries, by hour and webhook, the newest hour first: sent, failed, retried,
/// milliseconds, bytes.
pub(super) const COUNTS: TableDefinition<'static, (i64, i64), Counts> =
    TableDefinition::new("count");
/// The queue in figures, in the one row 0.
pub(super) const FIGURES: Rows = TableDefinition::new("figures");
/// Rows of the outbox that wait: tenant and owner of their audience, due, row number.
pub(super) const OUTBOX_DUE: TableDefinition<'static, (u128, u128, i64, i64), ()> =
    TableDefinition::new("outbox_due");
/// When each audience was taken, and who holds it now, by tenant and owner of the audience.
pub(super) const TURNS: TableDefinition<'static, (u128, u128), &'static str> =
    TableDefinition::new("turn");
/// Audiences whose oldest row was due when that was last looked at, by when they were taken.
pub(super) const TURNS_DUE: TableDefinition<'static, (i64, u128, u128), ()> =
    TableDefinition::new("turn_due");
/// The other audiences that have rows, by when the oldest is due.
pub(super) const TURNS_LATER: TableDefinition<'static, (i64, u128, u128), ()> =
    TableDefinition::new("turn_later");
/// Places and ids of occurrences, with a blank between, and when they were stored.
pub(super) const SEEN: TableDefinition<'static, &'static str, i64> = TableDefinition::new("seen");
/// Last row numbers, versions, generations.
pub(super) const COUNTERS: TableDefinition<'static, &'static str, i64> =
    TableDefinition::new("counter");
/// Attempts, by delivery and number.
pub(super) const ATTEMPTS: TableDefinition<'static, (i64, i64), &'static str> =
    TableDefinition::new("attempt");
/// Queued deliveries: webhook, class, due, row number.
pub(super) const QUEUED: TableDefinition<'static, (i64, u8, i64, i64), ()> =
    TableDefinition::new("queued");
/// The same by due time and row number, with webhook and class.
pub(super) const DUE: TableDefinition<'static, (i64, i64), (i64, u8)> = TableDefinition::new("due");
/// Running deliveries: webhook, row number.
pub(super) const SENDING: TableDefinition<'static, (i64, i64), ()> =
    TableDefinition::new("sending");
/// The same: end of the lease, row number.
pub(super) const RUNNING: TableDefinition<'static, (i64, i64), ()> =
    TableDefinition::new("running");
/// Deliveries that have not ended: webhook, row number.
pub(super) const OPEN: TableDefinition<'static, (i64, i64), ()> = TableDefinition::new("open");

/// What rows are numbered by: row numbers, and owners.
pub(super) trait Number: for<'a> Key<SelfType<'a> = Self> + 'static {}

impl Number for i64 {}

impl Number for u128 {}

/// A transaction that writes.
pub(super) struct Tx {
    tx: WriteTransaction,
    pub(super) sealing: Arc<SealingKeys>,
    /// Slices of keys that were moved, and to where.
    pub(super) moved: RefCell<Vec<(KeySlice, i64)>>,
}

impl Tx {
    pub(super) fn begin(db: &Database, sealing: Arc<SealingKeys>) -> Answer<Self> {
        let tx = db.begin_write().map_err(failed)?;
        let moved = RefCell::default();
        Ok(Self { tx, sealing, moved })
    }

    pub(super) fn commit(self) -> Answer<()> {
        self.tx.commit().map_err(failed)
    }

    pub(super) fn open<K: Key + 'static, V: redb::Value + 'static>(
        &self,
        table: TableDefinition<'static, K, V>,
    ) -> Answer<Table<'_, K, V>> {
        self.tx.open_table(table).map_err(failed)
    }

    /// Reads need every table to be there.
    pub(super) fn make_tables(&self) -> Answer<()> {
        for rows in [
            AUDIT,
            KEYS,
            WEBHOOKS,
            TASKS,
            EVENTS,
            DELIVERIES,
            OUTBOX,
            GONE,
            KEY_CHANGES,
            FIGURES,
        ] {
            self.open(rows)?;
        }
        for owners in [OWNERS, USAGE] {
            self.open(owners)?;
        }
        for index in [NAMES, SEEN, COUNTERS] {
            self.open(index)?;
        }
        self.open(KEY_USES)?;
        self.open(LEASES)?;
        self.open(CHANGES)?;
        self.open(DROPPED)?;
        self.open(ATTEMPTS)?;
        self.open(QUEUED)?;
        self.open(DUE)?;
        self.open(COUNTS)?;
        self.open(OUTBOX_DUE)?;
        self.open(TURNS)?;
        for turns in [TURNS_DUE, TURNS_LATER] {
            self.open(turns)?;
        }
        self.open(AUDIT_OF_OWNER)?;
        for index in [RUNNING, SENDING, OPEN, AUDIT_AT] {
            self.open(index)?;
        }
        Ok(())
    }

    pub(super) fn counter(&self, name: &str) -> Answer<i64> {
        counter(&self.open(COUNTERS)?, name)
    }

    pub(super) fn set_counter(&self, name: &str, value: i64) -> Answer<()> {
        self.open(COUNTERS)?.insert(name, value).map_err(failed)?;
        Ok(())
    }

    /// Increments and returns the new value: a row number that was never given out, a version.
    pub(super) fn count(&self, name: &str) -> Answer<i64> {
        let next = self.counter(name)? + 1;
        self.set_counter(name, next)?;
        Ok(next)
    }

    pub(super) fn row<Id: Number>(&self, table: Rows<Id>, id: Id) -> Answer<Option<Value>> {
        row(&self.open(table)?, id)
    }

    pub(super) fn put<Id: Number>(&self, table: Rows<Id>, id: Id, row: &Value) -> Answer<()> {
        self.open(table)?
            .insert(id, row.to_string().as_str())
            .map_err(failed)?;
        Ok(())
    }

    pub(super) fn remove<Id: Number>(&self, table: Rows<Id>, id: Id) -> Answer<()> {
        self.open(table)?.remove(id).map_err(failed)?;
        Ok(())
    }

    pub(super) fn rows(&self, table: Rows) -> Answer<Vec<(i64, Value)>> {
        page(
            &self.open(table)?,
            &Page::first(u32::MAX),
            |_| Ok(true),
            |id, row| Ok(Some((id, row))),
        )
    }

    /// Takes a name for a row, unless another row has it.
    pub(super) fn take_name(&self, name: &str, id: i64, rule: &'static str) -> Answer<()> {
        let mut names = self.open(NAMES)?;
        let owner = names.get(name).map_err(failed)?.map(|owner| owner.value());
        if owner.is_some_and(|owner| owner != id) {
            return Err(StoreError::new(ErrorKind::Conflict, rule));
        }
        names.insert(name, id).map_err(failed)?;
        Ok(())
    }

    pub(super) fn free_name(&self, name: &str) -> Answer<()> {
        self.open(NAMES)?.remove(name).map_err(failed)?;
        Ok(())
    }
}

pub(super) fn counter(counters: &impl ReadableTable<&'static str, i64>, name: &str) -> Answer<i64> {
    let value = counters.get(name).map_err(failed)?;
    Ok(value.map_or(0, |value| value.value()))
}

pub(super) fn row<Id: Number>(
    rows: &impl ReadableTable<Id, &'static str>,
    id: Id,
) -> Answer<Option<Value>> {
    rows.get(id)
        .map_err(failed)?
        .map(|text| json(text.value()))
        .transpose()
}

/// The rows of a page that are wanted, decoded; it goes on past those of which nothing comes.
pub(super) fn page<T>(
    rows: &impl ReadableTable<i64, &'static str>,
    page: &Page<i64>,
    wanted: impl Fn(&Value) -> Answer<bool>,
    decode: impl Fn(i64, Value) -> Answer<Option<T>>,
) -> Answer<Vec<T>> {
    filled(rows, page, wanted, decode, |_| true)
}

/// A page of rows that may be large: it ends with the row that fills it.
pub(super) fn bodied_page<T: Bodied>(
    rows: &impl ReadableTable<i64, &'static str>,
    page: &Page<i64>,
    wanted: impl Fn(&Value) -> Answer<bool>,
    decode: impl Fn(i64, Value) -> Answer<Option<T>>,
) -> Answer<Vec<T>> {
    let mut room = page.bodies;
    let take = |row: &mut T| {
        if !page.bodies.are_read() {
            row.omit_body();
        }
        room.take(row.body_bytes())
    };
    filled(rows, page, wanted, decode, take)
}

/// Goes on until the page has its rows, or `take` says that none may follow.
fn filled<T>(
    rows: &impl ReadableTable<i64, &'static str>,
    page: &Page<i64>,
    wanted: impl Fn(&Value) -> Answer<bool>,
    decode: impl Fn(i64, Value) -> Answer<Option<T>>,
    mut take: impl FnMut(&mut T) -> bool,
) -> Answer<Vec<T>> {
    let range = match (page.order, page.after) {
        (_, None) => rows.range::<i64>(..),
        (Order::Ascending, Some(after)) => rows.range(after.saturating_add(1)..),
        (Order::Descending, Some(after)) => rows.range(..after),
    };
    let range = range.map_err(failed)?;
    let walk: Box<dyn Iterator<Item = _>> = match page.order {
        Order::Ascending => Box::new(range),
        Order::Descending => Box::new(range.rev()),
    };
    let mut found = Vec::new();
    for entry in walk {
        if found.len() >= page.limit as usize {
            break;
        }
        let (id, text) = entry.map_err(failed)?;
        let row = json(text.value())?;
        if wanted(&row)?
            && let Some(mut row) = decode(id.value(), row)?
        {
            let more = take(&mut row);
            found.push(row);
            if !more {
                break;
            }
        }
    }
    Ok(found)
}

/// `None` for a row that cannot be understood: lists go on without it.
pub(super) fn readable<T>(decoded: Answer<T>) -> Answer<Option<T>> {
    match decoded {
        Err(error) if error.kind() == ErrorKind::Corrupt => Ok(None),
        decoded => decoded.map(Some),
    }
}

pub(super) fn json(text: &str) -> Answer<Value> {
    let corrupt = |e| StoreError::new(ErrorKind::Corrupt, "a row").with_source(e);
    serde_json::from_str(text).map_err(corrupt)
}
