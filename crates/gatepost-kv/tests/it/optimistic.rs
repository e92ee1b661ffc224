//! A store in memory whose changes run at the same time and are compared at the commit, and which
//! can be wrong in one respect.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::thread::{self, ThreadId};
use std::time::Duration;

use bytes::Bytes;
use gatepost_kv::{Change, Go, KeyRange, Keys, Kv, KvError, Reading, Step, Table, View, Writing};

use crate::faults::Fault;

const LONG_KEY: usize = 255;
const LONG_VALUE: usize = 1024 * 1024;
const LONG_SCAN: usize = 1_000;
const LONG_CHANGE: usize = 12 * 1024 * 1024;
const FEW_ROWS: usize = 5;
const PAUSE: Duration = Duration::from_millis(1);

/// A table's name and a key.
pub(crate) type Place = (&'static str, Vec<u8>);
/// All rows.
pub(crate) type Rows = BTreeMap<Place, Bytes>;

/// The store.
#[derive(Debug, Default)]
pub(crate) struct Optimistic {
    fault: Option<Fault>,
    state: Mutex<State>,
    committing: Mutex<()>,
}

#[derive(Clone, Debug, Default)]
struct State {
    rows: Rows,
    before: Rows,
    writer: Option<ThreadId>,
    history: Vec<Vec<(Place, Option<Bytes>)>>,
    conflicts: u32,
    broken: bool,
}

impl Optimistic {
    pub(crate) fn new(fault: Option<Fault>) -> Self {
        Self {
            fault,
            ..Self::default()
        }
    }

    fn is(&self, fault: Fault) -> bool {
        self.fault == Some(fault)
    }

    /// Stores the writes of a change, unless a later change wrote a row that it read.
    fn commit(&self, transaction: &Transaction<'_>) -> Result<(), KvError> {
        let _one_at_a_time = self.committing.lock().unwrap();
        let reads = transaction.reads.borrow();
        let history = self.state.lock().unwrap().history.clone();
        let others = history[transaction.begun..].iter().flatten();
        if others.into_iter().any(|(place, value)| {
            let counts = value.is_some() || !self.is(Fault::DeletesConflictWithNobody);
            counts && transaction.conflicts(&reads, place)
        }) {
            return Err(KvError::Conflict);
        }
        self.apply(&transaction.writes);
        Ok(())
    }

    fn apply(&self, writes: &BTreeMap<Place, Option<Bytes>>) {
        let mut state = self.state.lock().unwrap();
        state.begin(writes);
        let mut written = 0;
        for (place, value) in writes {
            written += value.as_ref().map_or(0, Bytes::len);
            if self.is(Fault::LosesTheEndOfLargeChanges) && written > LONG_CHANGE {
                break;
            }
            let mut place = place.clone();
            if self.is(Fault::CutsLongKeys) {
                place.1.truncate(LONG_KEY);
            }
            match value {
                Some(value) => {
                    let before = state.rows.get(&place).cloned();
                    state.rows.insert(place, self.stored(value, before));
                }
                None if self.is(Fault::DeletesOnlyValues) => {
                    let row = state.rows.get_mut(&place);
                    row.into_iter()
                        .for_each(|value| *value = Bytes::from_static(b"deleted"));
                }
                None => drop(state.rows.remove(&place)),
            }
            if self.is(Fault::StoresRowByRow) {
                drop(state);
                thread::sleep(PAUSE);
                state = self.state.lock().unwrap();
            }
        }
    }

    /// Returns the bytes that are kept of a value.
    fn stored(&self, value: &Bytes, before: Option<Bytes>) -> Bytes {
        match self.fault {
            Some(Fault::CutsLargeValues) => value.slice(..value.len().min(LONG_VALUE)),
            Some(Fault::CutsValuesAtZero) => {
                let end = value.iter().position(|byte| *byte == 0);
                value.slice(..end.unwrap_or(value.len()))
            }
            Some(Fault::KeepsTheRestOfLongerValues) => {
                let rest = before.filter(|before| before.len() > value.len());
                let rest = rest
                    .map(|before| before.slice(value.len()..))
                    .unwrap_or_default();
                [&value[..], &rest].concat().into()
            }
            _ => value.clone(),
        }
    }
}

impl State {
    fn begin(&mut self, writes: &BTreeMap<Place, Option<Bytes>>) {
        self.before.clone_from(&self.rows);
        self.writer = Some(thread::current().id());
        self.history.push(writes.clone().into_iter().collect());
    }
}

impl Kv for Optimistic {
    fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError> {
        let mut state = self.state.lock().unwrap().clone();
        if self.is(Fault::ShowsOldRowsElsewhere) && state.writer != Some(thread::current().id()) {
            state.rows = state.before;
        }
        f(&Transaction::new(self, state.rows, 0, false))
    }

    fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError> {
        let committing = self.committing.lock().unwrap();
        let state = self.state.lock().unwrap().clone();
        drop(committing);
        if state.broken {
            return Err(KvError::unavailable("broken"));
        }
        let mut transaction = Transaction::new(self, state.rows, state.history.len(), true);
        let ended = f(&mut transaction);
        match (ended, self.fault) {
            (Err(KvError::Conflict), Some(Fault::KeepsConflictingRuns)) => {
                self.apply(&transaction.writes);
                Err(KvError::Conflict)
            }
            (Err(KvError::Conflict), Some(Fault::GivesUpAsIfStored)) => {
                let mut state = self.state.lock().unwrap();
                state.conflicts += 1;
                if state.conflicts < 5 {
                    Err(KvError::Conflict)
                } else {
                    Ok(())
                }
            }
            (Err(KvError::Conflict), _) => Err(KvError::Conflict),
            (Err(error), Some(Fault::KeepsFailedChanges)) => {
                self.apply(&transaction.writes);
                Err(error)
            }
            (Err(_), Some(Fault::ReplacesErrors)) => Err(KvError::unavailable("replaced")),
            (Err(error), Some(Fault::BreaksAfterAnError)) => {
                self.state.lock().unwrap().broken = true;
                Err(error)
            }
            (Err(error), _) => Err(error),
            (Ok(()), _) => self.commit(&transaction),
        }
    }
}

/// A read of a change.
enum Read {
    Key(Place, bool),
    KeyRange(&'static str, KeyRange),
}

/// A view, or a change.
struct Transaction<'a> {
    kv: &'a Optimistic,
    snapshot: Rows,
    begun: usize,
    is_change: bool,
    writes: BTreeMap<Place, Option<Bytes>>,
    reads: RefCell<Vec<Read>>,
}

impl<'a> Transaction<'a> {
    fn new(kv: &'a Optimistic, snapshot: Rows, begun: usize, is_change: bool) -> Self {
        let (writes, reads) = (BTreeMap::new(), RefCell::default());
        Self {
            kv,
            snapshot,
            begun,
            is_change,
            writes,
            reads,
        }
    }

    /// Returns whether a write of another change is among the reads of this one.
    fn conflicts(&self, reads: &[Read], written: &Place) -> bool {
        reads.iter().any(|read| match read {
            Read::Key(place, existed) => {
                let own = self.writes.get(place);
                let seen = match self.kv.fault {
                    Some(Fault::LosesUpdates) => !(own.is_some_and(Option::is_some) && *existed),
                    Some(Fault::InsertsTwice) => *existed,
                    Some(Fault::ComparesWritesOnly) => own.is_some(),
                    _ => true,
                };
                seen && place == written
            }
            Read::KeyRange(table, range) => {
                *table == written.0
                    && contains(range, &written.1)
                    && !self.kv.is(Fault::HasPhantoms)
            }
        })
    }

    /// Returns the rows that this view or change sees at present.
    fn rows(&self, own: bool) -> Rows {
        let mut rows = self.snapshot.clone();
        if !self.is_change && self.kv.is(Fault::ReadsWhatIsNew) {
            rows.clone_from(&self.kv.state.lock().unwrap().rows);
        }
        for (place, value) in self.writes.iter().filter(|_| own) {
            match value {
                Some(value) => rows.insert(place.clone(), value.clone()),
                None => rows.remove(place),
            };
        }
        rows
    }

    /// Shows the rows of a range.
    fn show(
        &self,
        rows: Rows,
        table: Table,
        range: &KeyRange,
        step: &mut Step<'_>,
        at_most: usize,
    ) {
        let kv = self.kv;
        let mut found: Vec<_> = rows
            .into_iter()
            .filter(|((name, key), _)| *name == kv.table(table) && kv.contains(table, range, key))
            .map(|((_, key), value)| (key, value))
            .collect();
        match kv.fault {
            Some(Fault::IgnoresCase) => found.sort_by_key(|(key, _)| key.to_ascii_lowercase()),
            Some(Fault::OrdersNumbersAsText) if table.name == "kit_n" => {
                found.sort_by_key(|(key, _)| {
                    u64::from_be_bytes(key[..].try_into().unwrap()).to_string()
                });
            }
            _ => {}
        }
        if range.back
            && !(kv.is(Fault::ForgetsDirectionInBounds)
                && !range.from.is_empty()
                && range.to.is_some())
        {
            found.reverse();
        }
        for (key, value) in found.into_iter().take(at_most) {
            if step(&key, &value) == Go::Stop && !kv.is(Fault::NeverStops) {
                break;
            }
        }
    }
}

impl Optimistic {
    fn table(&self, table: Table) -> &'static str {
        if self.is(Fault::MixesTables) && table.name == "kit_ab" {
            "kit_a"
        } else {
            table.name
        }
    }

    fn contains(&self, table: Table, range: &KeyRange, key: &[u8]) -> bool {
        let mut range = range.clone();
        match (self.fault, &range.to) {
            (Some(Fault::SwapsBounds), Some(to)) if *to < range.from => {
                range = KeyRange::between(to.clone(), range.from);
            }
            (Some(Fault::EndsAtTheLastByte), None) => range.to = Some(vec![u8::MAX]),
            (Some(Fault::ExcludesTheFirst), Some(_)) if table.keys == Keys::Bytes => {
                range.from.push(0);
            }
            _ => {}
        }
        contains(&range, key)
    }
}

fn contains(range: &KeyRange, key: &[u8]) -> bool {
    *key >= *range.from && range.to.as_ref().is_none_or(|to| *key < **to)
}

impl View for Transaction<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        let mut place = (self.kv.table(table), key.to_vec());
        if self.kv.is(Fault::CutsLongKeys) {
            place.1.truncate(LONG_KEY);
        }
        let rows = self.rows(!self.kv.is(Fault::ReadsItsPast));
        let mut found = rows.get(&place).cloned();
        if self.kv.is(Fault::FindsTheNextKey) && found.is_none() {
            let next = rows.range(place.clone()..).next();
            found = next
                .filter(|(next, _)| next.1.starts_with(key))
                .map(|row| row.1.clone());
        }
        match self.kv.fault {
            Some(Fault::HasNoEmptyValues) => found = found.filter(|value| !value.is_empty()),
            Some(Fault::DeletesOnlyValues) => found = found.filter(|value| value != "deleted"),
            _ => {}
        }
        self.reads
            .borrow_mut()
            .push(Read::Key(place, found.is_some()));
        Ok(found)
    }

    fn scan(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        self.reads
            .borrow_mut()
            .push(Read::KeyRange(self.kv.table(table), range.clone()));
        let at_most = if self.kv.is(Fault::EndsLongScans) {
            LONG_SCAN
        } else {
            usize::MAX
        };
        self.show(
            self.rows(!self.kv.is(Fault::ScansItsPast)),
            table,
            range,
            step,
            at_most,
        );
        Ok(())
    }
}

impl Change for Transaction<'_> {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), KvError> {
        let place = (self.kv.table(table), key.to_vec());
        self.writes
            .insert(place, Some(Bytes::copy_from_slice(value)));
        Ok(())
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), KvError> {
        self.writes
            .insert((self.kv.table(table), key.to_vec()), None);
        Ok(())
    }

    fn peek(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        let at_most = if self.kv.is(Fault::PeeksAtFew) {
            FEW_ROWS
        } else {
            usize::MAX
        };
        let mut rows = self.snapshot.clone();
        rows.retain(|_, value| !self.kv.is(Fault::DeletesOnlyValues) || value != "deleted");
        self.show(rows, table, range, step, at_most);
        Ok(())
    }
}
