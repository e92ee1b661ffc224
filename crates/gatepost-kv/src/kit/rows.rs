//! The tables of the tests, and short forms of reads and writes.

use crate::contract::{Kv, View};
use crate::error::KvError;
use crate::key_range::{Go, KeyRange};
use crate::run::KvExt;
use crate::table::Table;

/// Most tests use this table.
pub(super) const T: Table = Table::bytes("kit_a");
/// Its name begins with the name of the other.
pub(super) const U: Table = Table::bytes("kit_ab");
/// A table whose keys are numbers.
pub(super) const N: Table = Table::numbers("kit_n");
/// All of them.
pub(super) const TABLES: &[Table] = &[T, U, N];

/// A key and its value.
pub(super) type Row = (Vec<u8>, Vec<u8>);

/// Stores rows in one change.
pub(super) fn put(kv: &dyn Kv, table: Table, rows: &[(&[u8], &[u8])]) {
    kv.write(|change| {
        rows.iter()
            .try_for_each(|(key, value)| change.put(table, key, value))
    })
    .unwrap();
}

/// Stores keys in one change, each with its own text as the value.
pub(super) fn put_keys(kv: &dyn Kv, keys: &[&str]) {
    let rows: Vec<_> = keys
        .iter()
        .map(|key| (key.as_bytes(), key.as_bytes()))
        .collect();
    put(kv, T, &rows);
}

/// Returns the value of a key.
pub(super) fn get(kv: &dyn Kv, table: Table, key: &[u8]) -> Option<Vec<u8>> {
    kv.read(|view| value(view, table, key)).unwrap()
}

/// Returns the value of a key in a view.
pub(super) fn value(view: &dyn View, table: Table, key: &[u8]) -> Result<Option<Vec<u8>>, KvError> {
    Ok(view.get(table, key)?.map(|value| value.to_vec()))
}

/// Returns the number that a key holds as text, 0 if it does not exist.
pub(super) fn number(view: &dyn View, key: &[u8]) -> Result<u64, KvError> {
    let text = value(view, T, key)?.map(|value| String::from_utf8(value).unwrap());
    Ok(text.map_or(0, |text| text.parse().unwrap()))
}

/// Returns the rows of a range.
pub(super) fn scan(kv: &dyn Kv, table: Table, range: &KeyRange) -> Vec<Row> {
    kv.read(|view| rows(view, table, range)).unwrap()
}

/// Returns the rows of a range in a view.
pub(super) fn rows(view: &dyn View, table: Table, range: &KeyRange) -> Result<Vec<Row>, KvError> {
    let mut rows = Vec::new();
    view.scan(table, range, &mut |key, value| {
        rows.push((key.to_vec(), value.to_vec()));
        Go::On
    })?;
    Ok(rows)
}

/// Returns the keys of a range as text.
pub(super) fn keys(kv: &dyn Kv, range: &KeyRange) -> Vec<String> {
    kv.read(|view| keys_of(view, range)).unwrap()
}

/// Returns the keys of a range in a view as text.
pub(super) fn keys_of(view: &dyn View, range: &KeyRange) -> Result<Vec<String>, KvError> {
    let rows = rows(view, T, range)?;
    Ok(rows
        .into_iter()
        .map(|(key, _)| String::from_utf8(key).unwrap())
        .collect())
}
