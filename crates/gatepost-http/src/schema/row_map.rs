//! Rows as maps of columns.

use std::borrow::Cow;

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// The name of a column: declared for Gatepost's tables, received for the platform's.
pub(crate) type Name = Cow<'static, str>;

/// Column names and values. A row has few columns: a linear search finds one, and they cost one
/// allocation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RowMap(Vec<(Name, Value)>);

impl RowMap {
    /// Returns the value of a column.
    pub(crate) fn get(&self, column: &str) -> Option<&Value> {
        self.iter()
            .find_map(|(name, value)| (name == column).then_some(value))
    }

    /// Removes a column and returns its value.
    pub(crate) fn remove(&mut self, column: &str) -> Option<Value> {
        let at = self.0.iter().position(|(name, _)| *name == column)?;
        Some(self.0.swap_remove(at).1)
    }

    /// Sets a column, and replaces one with this name.
    pub(crate) fn set(&mut self, column: Name, value: Value) {
        self.remove(&column);
        self.0.push((column, value));
    }

    /// Returns all columns.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Returns all values.
    pub(crate) fn values(&self) -> impl Iterator<Item = &Value> {
        self.iter().map(|(_, value)| value)
    }
}

/// Each name must occur once.
impl<N: Into<Name>> Extend<(N, Value)> for RowMap {
    fn extend<I: IntoIterator<Item = (N, Value)>>(&mut self, columns: I) {
        let columns = columns.into_iter();
        self.0
            .extend(columns.map(|(name, value)| (name.into(), value)));
    }
}

/// Each name must occur once.
impl<N: Into<Name>> FromIterator<(N, Value)> for RowMap {
    fn from_iter<I: IntoIterator<Item = (N, Value)>>(columns: I) -> Self {
        let mut row = Self::default();
        row.extend(columns);
        row
    }
}

impl From<Map<String, Value>> for RowMap {
    fn from(columns: Map<String, Value>) -> Self {
        columns.into_iter().collect()
    }
}

impl Serialize for RowMap {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn columns_are_found_taken_out_and_written() {
        let mut row = RowMap::from_iter([("a", json!(1)), ("b", json!("x")), ("c", json!(null))]);
        row.extend([("d".to_owned(), json!([2]))]);
        assert_eq!(row.get("b"), Some(&json!("x")));
        assert_eq!(row.get("e"), None);
        assert_eq!(row.remove("e"), None);
        assert_eq!((row.remove("a"), row.remove("a")), (Some(json!(1)), None));
        row.set("b".into(), json!("y"));
        assert_eq!(
            serde_json::to_value(&row).unwrap(),
            json!({"b": "y", "c": null, "d": [2]})
        );
    }
}
