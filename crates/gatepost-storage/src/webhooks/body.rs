//! The large part of a row.

use webhook_model::{Action, Event, EventId, Filter, JsonObject};

use super::delivery::Delivery;
use super::record::{RecordRow, TaskRow};
use crate::page::{Bodies, Row};

/// A row with a part that may be large. A store that reads rows whole uses it to cut pages.
pub trait HasBody {
    /// Returns the size of the large part in bytes.
    fn body_bytes(&self) -> u64;

    /// Removes the large part.
    fn omit_body(&mut self);
}

impl HasBody for Delivery {
    fn body_bytes(&self) -> u64 {
        self.body.len() as u64
    }

    fn omit_body(&mut self) {
        self.body = "".into();
    }
}

impl HasBody for TaskRow {
    fn body_bytes(&self) -> u64 {
        match &self.value.action {
            Action::Send { message, .. } => message.as_str().len() as u64,
            _ => 0,
        }
    }

    fn omit_body(&mut self) {
        if let (Action::Send { message, .. }, Ok(none)) = (&mut self.value.action, "".parse()) {
            *message = none;
        }
    }
}

impl HasBody for Row<EventId, Event> {
    fn body_bytes(&self) -> u64 {
        let bytes = |text: &str| text.len() as u64;
        bytes(self.value.filters.as_str()) + bytes(&self.value.context.to_string())
    }

    fn omit_body(&mut self) {
        self.value.filters = Filter::default();
        self.value.context = JsonObject::default();
    }
}

impl HasBody for RecordRow {
    fn body_bytes(&self) -> u64 {
        match self {
            Self::Webhook(_) => 0,
            Self::Task(row) => row.body_bytes(),
            Self::Event(row) => row.body_bytes(),
        }
    }

    fn omit_body(&mut self) {
        match self {
            Self::Webhook(_) => {}
            Self::Task(row) => row.omit_body(),
            Self::Event(row) => row.omit_body(),
        }
    }
}

impl Bodies {
    /// Returns the rows that belong on a page, each with the body that the page asks for.
    #[must_use]
    pub fn page_of<'a, R: HasBody + Clone + 'a>(
        self,
        rows: impl IntoIterator<Item = &'a R, IntoIter: Clone>,
    ) -> Vec<R> {
        let rows = rows.into_iter();
        match self {
            Self::All => rows.cloned().collect(),
            Self::Omitted => rows.map(without_body).collect(),
            Self::UpTo(_) => {
                let fit = self.rows(rows.clone().map(HasBody::body_bytes));
                rows.take(fit).cloned().collect()
            }
        }
    }
}

fn without_body<R: HasBody + Clone>(row: &R) -> R {
    let mut row = row.clone();
    row.omit_body();
    row
}
