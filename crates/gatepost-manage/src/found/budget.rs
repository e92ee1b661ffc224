//! How much one look reads.

use std::time::Duration;

use gatepost_storage::Bodies;
use gatepost_storage::webhooks::Delivery;
use tokio::time::Instant;

/// Rows that are read at most.
const ROWS: usize = 5_000;
/// Rows that are read at most where messages are looked at, how many bytes the messages may come
/// to, and how long that may take: a page more is read, which is small.
const SEARCHED_ROWS: usize = 20_000;
const SEARCHED_BYTES: usize = 32 * 1024 * 1024;
const SEARCHED_FOR: Duration = Duration::from_secs(1);
/// Bytes of messages that are read at a time.
const PAGE: u64 = 1024 * 1024;

/// What is left to be read.
#[derive(Debug)]
pub(super) struct Budget {
    rows: usize,
    /// Of messages, and until when; `None` where they are not read.
    messages: Option<(usize, Instant)>,
}

impl Budget {
    /// `messages`: whether they are looked at.
    pub(super) fn new(messages: bool) -> Self {
        let until = || (SEARCHED_BYTES, Instant::now() + SEARCHED_FOR);
        Self {
            rows: if messages { SEARCHED_ROWS } else { ROWS },
            messages: messages.then(until),
        }
    }

    /// How much of the messages a page reads.
    pub(super) fn bodies(&self) -> Bodies {
        match self.messages {
            Some(_) => Bodies::UpTo(PAGE),
            None => Bodies::Omitted,
        }
    }

    /// Counts what was read.
    pub(super) fn take(&mut self, rows: &[Delivery]) {
        self.rows = self.rows.saturating_sub(rows.len());
        if let Some((bytes, _)) = &mut self.messages {
            let read = rows.iter().map(|row| row.body.len());
            *bytes = bytes.saturating_sub(read.sum());
        }
    }

    /// Whether to stop, and go on in another call.
    pub(super) fn is_spent(&self) -> bool {
        self.rows == 0
            || self
                .messages
                .is_some_and(|(bytes, until)| bytes == 0 || Instant::now() >= until)
    }
}
