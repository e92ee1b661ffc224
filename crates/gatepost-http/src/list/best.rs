//! The first rows of a sorted list, bounded in number and in bytes.

use std::cmp::Ordering;
use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::Value;

use crate::query::sort::{Sort, compare};
use crate::schema::{Name, RowMap};

/// The approximate memory of a row without its values; of a value without its text, in a row, in an
/// array, as a member of an object; and of a text without its bytes.
const ROW: usize = 96;
const COLUMN: usize = 32;
const TEXT: usize = 24;
const ELEMENT: usize = 48;
const MEMBER: usize = 144;

/// The first rows so far, in order.
#[derive(Debug)]
pub(super) struct Best {
    columns: Vec<Name>,
    order: Arc<[Key]>,
    rows: BTreeSet<Kept>,
    seen: u64,
    bytes: usize,
}

/// A sort key: the position of a column, and its direction.
#[derive(Clone, Copy, Debug)]
struct Key {
    at: usize,
    descending: bool,
}

/// A row without the names of its columns, which takes a fraction of the memory.
#[derive(Debug)]
struct Kept {
    values: Box<[Option<Value>]>,
    /// The order in which rows were read: of rows that compare equal, the earlier one comes first.
    seen: u64,
    bytes: usize,
    order: Arc<[Key]>,
}

impl Best {
    /// Creates an empty list in this order; it keeps these columns and the sort columns of each
    /// row.
    pub(super) fn new(sort: &Sort, mut columns: Vec<Name>) -> Self {
        let mut order = Vec::new();
        for by in &sort.0 {
            let known = columns.iter().position(|column| *column == by.column);
            let at = known.unwrap_or_else(|| {
                columns.push(by.column.clone().into());
                columns.len() - 1
            });
            let descending = by.descending;
            order.push(Key { at, descending });
        }
        Self {
            columns,
            order: order.into(),
            rows: BTreeSet::new(),
            seen: 0,
            bytes: 0,
        }
    }

    /// Adds a row, and removes the last one if there are more than `most`.
    pub(super) fn take(&mut self, mut row: RowMap, most: usize) {
        let values = self.columns.iter().map(|column| row.remove(column));
        let values: Box<[_]> = values.collect();
        self.seen += 1;
        let kept = Kept {
            bytes: ROW + values.iter().map(column).sum::<usize>(),
            values,
            seen: self.seen,
            order: self.order.clone(),
        };
        if self.rows.len() >= most && self.rows.last().is_some_and(|last| *last < kept) {
            return;
        }
        self.bytes += kept.bytes;
        self.rows.insert(kept);
        if self.rows.len() > most
            && let Some(last) = self.rows.pop_last()
        {
            self.bytes -= last.bytes;
        }
    }

    /// Removes and returns the first row.
    pub(super) fn next(&mut self) -> Option<RowMap> {
        let kept = self.rows.pop_first()?;
        self.bytes -= kept.bytes;
        let columns = self.columns.iter().zip(kept.values);
        let columns = columns.filter_map(|(name, value)| Some((name.clone(), value?)));
        Some(columns.collect())
    }

    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// Returns the approximate memory in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Ord for Kept {
    fn cmp(&self, other: &Self) -> Ordering {
        let by = |order: Ordering, key: &Key| {
            order.then_with(|| {
                let order = compare(self.value(key.at), other.value(key.at));
                if key.descending {
                    order.reverse()
                } else {
                    order
                }
            })
        };
        let order = self.order.iter().fold(Ordering::Equal, by);
        order.then(self.seen.cmp(&other.seen))
    }
}

impl Kept {
    fn value(&self, at: usize) -> Option<&Value> {
        self.values.get(at)?.as_ref()
    }
}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.seen == other.seen
    }
}

impl Eq for Kept {}

fn column(value: &Option<Value>) -> usize {
    COLUMN + value.as_ref().map_or(0, beyond)
}

/// Returns the approximate memory of a value without its slot.
fn beyond(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => 0,
        Value::String(text) => TEXT + text.len(),
        Value::Array(values) => values.iter().map(|value| ELEMENT + beyond(value)).sum(),
        Value::Object(members) => {
            let member = |(name, value): (&String, &Value)| MEMBER + name.len() + beyond(value);
            members.iter().map(member).sum()
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn best(sort: &str, most: usize, rows: &[(i64, &str)]) -> (Vec<Value>, usize) {
        let sort = Sort::parse(sort).unwrap();
        let mut best = Best::new(&sort, vec!["n".into()]);
        for (n, text) in rows {
            let row = json!({"n": n, "text": text, "other": "x".repeat(999)});
            best.take(row.as_object().unwrap().clone().into(), most);
            assert!(best.len() <= most);
        }
        let bytes = best.bytes();
        let rows = std::iter::from_fn(|| best.next().and_then(|mut row| row.remove("n"))).collect();
        assert_eq!(best.bytes(), 0);
        (rows, bytes)
    }

    #[test]
    fn sorted_first_rows_keep_only_shown_columns() {
        let rows = [(1, "b"), (2, "a"), (3, "c"), (4, "a"), (5, "b")];
        let (all, bytes) = best("text", 9, &rows);
        assert_eq!(all, [2, 4, 1, 5, 3]);
        assert!(bytes < 5 * 400, "{bytes}: what is not shown is not kept");
        assert_eq!(best("-text", 9, &rows).0, [3, 1, 5, 2, 4]);
        assert_eq!(best("-text,-n", 9, &rows).0, [3, 5, 1, 4, 2]);
        let (two, less) = best("text", 2, &rows);
        assert_eq!(two, [2, 4]);
        assert!(less < bytes / 2);
    }
}
