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
    /// What a row is, for the OpenAPI document.
    pub doc: &'static str,
    /// All columns but `$key`, in the order in which they are shown.
    pub columns: &'static [Column],
    /// `user#name`, `owner#$display`: columns of the rows that a row refers to.
    pub joins: &'static [(&'static str, &'static str)],
    /// `events` in `count(events)`, and the table whose rows are counted.
    pub counts: &'static [(&'static str, &'static str)],
    /// The most rows that are read at a time: together they must not be large.
    pub page: u32,
    /// What can be done with a row beside reading, changing and deleting it.
    pub actions: &'static [Action],
    /// Whether a creation answers with a secret, which no other response has.
    pub shown_once: bool,
    /// Whether rows are created by `POST`; the delivery log's are not.
    pub creatable: bool,
    /// Whether rows are changed by `PUT`.
    pub updatable: bool,
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
    /// What parameters of any other name are; `None` where there may be none.
    pub(crate) others: Option<&'static str>,
    /// Whether it makes a row, and answers as a creation does.
    pub(crate) makes: bool,
}

impl Action {
    /// An action without parameters.
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

    /// The same with parameters of any name, which are this.
    pub(crate) const fn with_any(self, others: &'static str) -> Self {
        Self {
            others: Some(others),
            ..self
        }
    }
}

impl Table {
    /// `webhook_url_actions`: where actions are posted to, with the row in the body.
    pub(crate) fn endpoint(&self) -> String {
        format!("{}_actions", self.singular)
    }

    /// The column of that name, among those that can be read.
    pub(crate) fn readable(&self, name: &str) -> Option<&'static Column> {
        self.columns
            .iter()
            .find(|column| column.name == name && column.access != Access::WriteOnly)
    }

    /// The columns that can be read, in order.
    pub(crate) fn all_readable(&self) -> impl Iterator<Item = &'static Column> {
        self.columns
            .iter()
            .filter(|column| column.access != Access::WriteOnly)
    }

    /// Whether a filter or sort may name this column. Columns that are only written cannot be
    /// named, so that a filter is no oracle for a secret.
    pub(crate) fn knows(&self, name: &str) -> bool {
        name == KEY || self.readable(name).is_some()
    }

    /// The table that a row refers to by the value of this column.
    pub(crate) fn referred<'v>(&self, column: &str, value: &'v Value) -> Option<&'v str> {
        match self.readable(column)?.kind {
            Kind::Key(table) | Kind::Reference(Some(table)) => Some(table),
            Kind::User => Some("users"),
            Kind::Reference(None) => Some(value.as_str()?.split_once('/')?.0),
            _ => None,
        }
    }

    /// The JSON text that a row has in this column in place of an object.
    pub(crate) fn json_text<'v>(&self, column: &str, value: &'v Value) -> Option<&'v str> {
        match value {
            Value::Array(items) if self.readable(column)?.kind == Kind::Object => {
                items.first()?.as_str()
            }
            _ => None,
        }
    }

    /// The action of that name.
    pub(crate) fn action(&self, name: &str) -> Option<&'static Action> {
        self.actions.iter().find(|action| action.name == name)
    }
}
