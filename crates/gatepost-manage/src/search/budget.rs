//! The budget of one search.

use std::time::Duration;

use gatepost_storage::Bodies;
use gatepost_storage::webhooks::Delivery;
use tokio::time::Instant;

/// The maximum number of rows that are read.
const ROWS: usize = 5_000;
/// The maximum number of rows that are read if messages are searched. Their total size and time are
/// limited as well; the last page may exceed these by a small amount.
const SEARCHED_ROWS: usize = 20_000;
const SEARCHED_BYTES: usize = 32 * 1024 * 1024;
const SEARCHED_FOR: Duration = Duration::from_secs(1);
/// The size of messages that are read at a time, in bytes.
const PAGE: u64 = 1024 * 1024;

/// The remaining budget.
#[derive(Debug)]
pub(super) struct Budget {
    rows: usize,
    /// The remaining size of messages, and the deadline; `None` if they are not read.
    messages: Option<(usize, Instant)>,
}

impl Budget {
    /// Creates a budget. `messages` is whether messages are searched.
    pub(super) fn new(messages: bool) -> Self {
        let until = || (SEARCHED_BYTES, Instant::now() + SEARCHED_FOR);
        Self {
            rows: if messages { SEARCHED_ROWS } else { ROWS },
            messages: messages.then(until),
        }
    }

    /// Returns how much of the messages a page reads.
    pub(super) fn bodies(&self) -> Bodies {
        match self.messages {
            Some(_) => Bodies::UpTo(PAGE),
            None => Bodies::Omitted,
        }
    }

    /// Charges the rows that were read.
    pub(super) fn take(&mut self, rows: &[Delivery]) {
        self.rows = self.rows.saturating_sub(rows.len());
        if let Some((bytes, _)) = &mut self.messages {
            let read = rows.iter().map(|row| row.body.len());
            *bytes = bytes.saturating_sub(read.sum());
        }
    }

    /// Returns whether the search must stop, to continue in another call.
    pub(super) fn is_spent(&self) -> bool {
        self.rows == 0
            || self
                .messages
                .is_some_and(|(bytes, until)| bytes == 0 || Instant::now() >= until)
    }
}
