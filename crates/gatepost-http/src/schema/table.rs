//! The declaration of a table.

use serde_json::Value;

use super::column::{Access, Column, Kind};

/// The name of the column that holds the row number.
pub(crate) const KEY: &str = "$key";

/// A table under `/api/v4/`.
#[derive(Debug)]
pub(crate) struct Table {
    /// `webhook_urls`: the path.
    pub name: &'static str,
    /// `webhook_url`: names the row in `webhook_url_actions`.
    pub singular: &'static str,
    /// The description of a row, for the OpenAPI document.
    pub doc: &'static str,
    /// All columns except `$key`, in their display order.
    pub columns: &'static [Column],
    /// `user` in `user#name`, `user#$display`: columns that refer to rows whose names are joined.
    pub joins: &'static [&'static str],
    /// `events` in `count(events)`, and the table whose rows are counted.
    pub counts: &'static [(&'static str, &'static str)],
    /// The maximum number of rows that are read at a time: together they must not be large.
    pub page: u32,
    /// Actions on a row in addition to reading, changing and deleting it.
    pub actions: &'static [Action],
    /// Whether the response to a creation contains a secret, which no other response has.
    pub shown_once: bool,
    /// Whether rows are created by `POST` and changed by `PUT`; the delivery log's are not.
    pub editable: bool,
    /// Whether rows are removed by `DELETE`; the platform's are not.
    pub deletable: bool,
}

/// A row action.
#[derive(Debug)]
pub struct Action {
    pub(crate) name: &'static str,
    pub(crate) doc: &'static str,
    /// Its parameters.
    pub(crate) params: &'static [Column],
    /// The description of parameters with any other name; `None` if there may be none.
    pub(crate) others: Option<&'static str>,
    /// Whether it creates a row, and responds like a creation.
    pub(crate) makes: bool,
}

impl Action {
    /// Declares an action without parameters.
    #[must_use]
    pub const fn new(name: &'static str, doc: &'static str) -> Self {
        Self {
            name,
            doc,
            params: &[],
            others: None,
            makes: false,
        }
    }

    /// Allows parameters of any name, with this description.
    pub(crate) const fn with_any(self, others: &'static str) -> Self {
        Self {
            others: Some(others),
            ..self
        }
    }
}

impl Table {
    /// A table without columns whose rows are only read.
    pub(crate) const READ_ONLY: Self = Self {
        name: "",
        singular: "",
        doc: "",
        columns: &[],
        joins: &[],
        counts: &[],
        page: 500,
        actions: &[],
        shown_once: false,
        editable: false,
        deletable: false,
    };

    /// A table without columns whose rows are created, changed and deleted.
    pub(crate) const EDITABLE: Self = Self {
        editable: true,
        deletable: true,
        ..Self::READ_ONLY
    };

    /// Returns `webhook_url_actions`: the path for actions with the row in the body.
    pub(crate) fn endpoint(&self) -> String {
        format!("{}_actions", self.singular)
    }

    /// Returns the readable column with this name.
    pub(crate) fn readable(&self, name: &str) -> Option<&'static Column> {
        self.columns
            .iter()
            .find(|column| column.name == name && column.access != Access::WriteOnly)
    }

    /// Returns the readable columns, in order.
    pub(crate) fn all_readable(&self) -> impl Iterator<Item = &'static Column> {
        self.columns
            .iter()
            .filter(|column| column.access != Access::WriteOnly)
    }

    /// Returns whether a filter or sort may name this column. Write-only columns cannot be named,
    /// so that a filter is no oracle for a secret.
    pub(crate) fn knows(&self, name: &str) -> bool {
        name == KEY || self.readable(name).is_some()
    }

    /// Returns the JSON text of an object in this column.
    pub(crate) fn json_text<'v>(&self, column: &str, value: &'v Value) -> Option<&'v str> {
        match value {
            Value::Array(items) if self.readable(column)?.kind == Kind::Object => {
                items.first()?.as_str()
            }
            _ => None,
        }
    }

    /// Returns the action with this name.
    pub(crate) fn action(&self, name: &str) -> Option<&'static Action> {
        self.actions.iter().find(|action| action.name == name)
    }
}
