//! The bounded buffer of entries that wait for the store, in order.

use std::collections::{HashMap, VecDeque};

use chrono::{DateTime, Utc};
use gatepost_keys::OwnerId;
use gatepost_storage::audit::AuditEntry;

/// The maximum size of waiting entries in bytes.
const ROOM: usize = 8 * 1024 * 1024;
/// The maximum size for one owner's records, so that nobody fills the buffer.
const ROOM_OF_OWNER: usize = 1024 * 1024;
/// The approximate size of an entry without its texts.
const FIXED: usize = 256;

/// The buffer.
#[derive(Debug, Default)]
pub(super) struct Buffer {
    waiting: VecDeque<AuditEntry>,
    bytes: usize,
    of_owner: HashMap<OwnerId, usize>,
    added: u64,
    is_drained: bool,
    /// When the oldest entries were removed from the store.
    pub(super) trimmed: Option<DateTime<Utc>>,
}

impl Buffer {
    /// Adds an entry if there is space. Returns whether it was added, and whether a task must be
    /// started to store it.
    pub(super) fn push(&mut self, entry: AuditEntry) -> (bool, bool) {
        let bytes = bytes(&entry);
        let of_owner = self.of_owner.get(&entry.owner).copied().unwrap_or_default();
        if self.bytes + bytes > ROOM || of_owner + bytes > ROOM_OF_OWNER {
            return (false, false);
        }
        self.bytes += bytes;
        self.of_owner.insert(entry.owner, of_owner + bytes);
        self.waiting.push_back(entry);
        self.added += 1;
        (true, !std::mem::replace(&mut self.is_drained, true))
    }

    /// Returns the first entries; they stay until they are [removed](Self::remove).
    pub(super) fn first(&self, most: usize) -> Vec<AuditEntry> {
        self.waiting.iter().take(most).cloned().collect()
    }

    /// Removes the first entries, and returns the number of all entries that were ever removed.
    pub(super) fn remove(&mut self, count: usize) -> u64 {
        for _ in 0..count {
            let Some(entry) = self.waiting.pop_front() else {
                break;
            };
            let bytes = bytes(&entry);
            self.bytes -= bytes;
            if let Some(of_owner) = self.of_owner.get_mut(&entry.owner) {
                *of_owner -= bytes;
                if *of_owner == 0 {
                    self.of_owner.remove(&entry.owner);
                }
            }
        }
        self.added - self.waiting.len() as u64
    }

    /// Stops the storing task if no entry is left.
    pub(super) fn rest(&mut self) -> bool {
        self.is_drained = !self.waiting.is_empty();
        !self.is_drained
    }

    /// Returns the number of all entries that were ever added.
    pub(super) fn added(&self) -> u64 {
        self.added
    }
}

fn bytes(entry: &AuditEntry) -> usize {
    let texts = [&entry.table, &entry.name, &entry.operation, &entry.changes];
    FIXED + texts.into_iter().map(String::len).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use gatepost_testkit::fixtures::entry;

    use super::*;

    fn full(owner: u128) -> AuditEntry {
        AuditEntry {
            changes: "x".repeat(AuditEntry::MAX_CHANGES),
            ..entry(owner, 1, 0)
        }
    }

    /// Returns how many of an owner's entries fit.
    fn fill(buffer: &mut Buffer, owner: u128) -> usize {
        (0..).take_while(|_| buffer.push(full(owner)).0).count()
    }

    #[test]
    fn owner_has_an_eighth_of_the_buffer() {
        let mut buffer = Buffer::default();
        let share = fill(&mut buffer, 1);
        assert_eq!(share, ROOM_OF_OWNER / bytes(&full(1)));
        assert_eq!(fill(&mut buffer, 2), share, "others keep their share");
        let others: usize = (3..20).map(|owner| fill(&mut buffer, owner)).sum();
        assert!((share + share + others) * bytes(&full(1)) <= ROOM);
        assert_eq!(fill(&mut buffer, 99), 0, "all is full");
        assert_eq!(buffer.remove(2), 2);
        assert_eq!(fill(&mut buffer, 1), 2);
        let left = buffer.waiting.len();
        buffer.remove(left);
        assert_eq!((buffer.bytes, buffer.of_owner.len()), (0, 0));
        assert!(buffer.rest());
        assert_eq!(buffer.push(full(1)), (true, true), "somebody must begin");
        assert_eq!(buffer.push(full(1)), (true, false));
    }
}
