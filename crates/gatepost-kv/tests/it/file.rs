//! A store in one file, written whole after each change, which can be wrong in one respect.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use gatepost_kv::{Change, Go, KeyRange, Kv, KvError, Reading, Shared, Step, Table, View, Writing};

use crate::faults::FileFault;

static LOCKS: Mutex<BTreeMap<PathBuf, Arc<Mutex<()>>>> = Mutex::new(BTreeMap::new());

type Rows = BTreeMap<Vec<u8>, Bytes>;

/// The store.
#[derive(Debug)]
pub(crate) struct FileKv {
    file: PathBuf,
    fault: Option<FileFault>,
    shared: Shared,
    rows: Mutex<Rows>,
    before: Mutex<Rows>,
    changes: AtomicU32,
    one_at_a_time: Arc<Mutex<()>>,
}

impl FileKv {
    pub(crate) fn open(folder: &Path, fault: Option<FileFault>, is_shared: bool) -> Self {
        let file = folder.join("rows");
        let poll = Duration::from_millis(1);
        let shared = if is_shared {
            Shared::Processes { poll }
        } else {
            Shared::OneProcess
        };
        let rows = load(&file);
        let one_at_a_time = LOCKS
            .lock()
            .unwrap()
            .entry(file.clone())
            .or_default()
            .clone();
        Self {
            before: Mutex::new(rows.clone()),
            rows: Mutex::new(rows),
            file,
            fault,
            shared,
            changes: AtomicU32::new(0),
            one_at_a_time,
        }
    }

    fn is(&self, fault: FileFault) -> bool {
        self.fault == Some(fault)
    }

    /// Returns the present rows.
    fn now(&self) -> Rows {
        if self.shared != Shared::OneProcess {
            return load(&self.file);
        }
        self.rows.lock().unwrap().clone()
    }
}

impl Kv for FileKv {
    fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError> {
        let one = self.one_at_a_time.lock().unwrap();
        let rows = self.now();
        drop(one);
        f(&FileChange { kv: self, rows })
    }

    fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError> {
        let _one = self.one_at_a_time.lock().unwrap();
        let cached = self.is(FileFault::OverwritesOtherHandles);
        let before = if cached {
            self.rows.lock().unwrap().clone()
        } else {
            self.now()
        };
        let mut change = FileChange {
            kv: self,
            rows: before.clone(),
        };
        let ended = f(&mut change);
        match (&ended, self.fault) {
            (Err(_), Some(FileFault::WritesFailedChanges)) => save(&self.file, &change.rows),
            (Err(_), Some(FileFault::WritesWithinChanges)) => save(&self.file, &before),
            (Err(_), _) => {}
            (Ok(()), fault) => {
                if fault != Some(FileFault::WritesAtClose) {
                    save(&self.file, &change.rows);
                }
                self.changes.fetch_add(1, Ordering::Relaxed);
                *self.before.lock().unwrap() = before;
                *self.rows.lock().unwrap() = change.rows;
            }
        }
        ended
    }

    fn shared(&self) -> Shared {
        self.shared
    }
}

impl Drop for FileKv {
    fn drop(&mut self) {
        match self.fault {
            Some(FileFault::ForgetsAtClose) if self.changes.load(Ordering::Relaxed) == 3 => {
                save(&self.file, &self.before.lock().unwrap());
            }
            Some(FileFault::WritesAtClose) => save(&self.file, &self.rows.lock().unwrap()),
            _ => {}
        }
    }
}

/// A view, or a change.
struct FileChange<'a> {
    kv: &'a FileKv,
    rows: Rows,
}

impl View for FileChange<'_> {
    fn get(&self, table: Table, key: &[u8]) -> Result<Option<Bytes>, KvError> {
        Ok(self.rows.get(&table.prefixed_key(key)).cloned())
    }

    fn scan(&self, table: Table, range: &KeyRange, step: &mut Step<'_>) -> Result<(), KvError> {
        let (from, to) = table.prefixed_bounds(range);
        let mut rows = self.rows.range(from..to);
        while let Some((key, value)) = if range.back {
            rows.next_back()
        } else {
            rows.next()
        } {
            if step(table.unprefixed(key), value) == Go::Stop {
                break;
            }
        }
        Ok(())
    }
}

impl Change for FileChange<'_> {
    fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), KvError> {
        self.rows
            .insert(table.prefixed_key(key), Bytes::copy_from_slice(value));
        if self.kv.is(FileFault::WritesWithinChanges) {
            save(&self.kv.file, &self.rows);
        }
        Ok(())
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<(), KvError> {
        self.rows.remove(&table.prefixed_key(key));
        Ok(())
    }
}

/// Returns the rows of a file; none if there is no file.
fn load(file: &Path) -> Rows {
    let bytes = Bytes::from(fs::read(file).unwrap_or_default());
    let (mut rows, mut at) = (Rows::new(), 0);
    let mut next = || {
        let length = bytes.get(at..at + 8)?;
        let length = usize::try_from(u64::from_le_bytes(length.try_into().unwrap())).unwrap();
        at += 8 + length;
        Some(bytes.slice(at - length..at))
    };
    while let (Some(key), Some(value)) = (next(), next()) {
        rows.insert(key.to_vec(), value);
    }
    rows
}

/// Replaces the file atomically.
fn save(file: &Path, rows: &Rows) {
    let mut bytes = Vec::new();
    for part in rows.iter().flat_map(|(key, value)| [&key[..], value]) {
        bytes.extend((part.len() as u64).to_le_bytes());
        bytes.extend(part);
    }
    let new = file.with_extension("new");
    fs::write(&new, bytes).unwrap();
    fs::rename(new, file).unwrap();
}
