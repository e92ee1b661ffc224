//! The generation as this process knows it: read without a lock, valid for a while only.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use tokio::time::Instant;

/// Numbers given out are `epoch << SHIFT | generation of the database`. Each lost connection begins
/// a new epoch, so that a cache asks again and has to forget everything: notifications may have
/// been missed, and a database that a failover brought back may even have lost generations.
const SHIFT: u32 = 40;

pub(super) struct Generation {
    start: Instant,
    /// Microseconds after `start` until which `number` holds; 0 is never.
    valid_until: AtomicU64,
    number: AtomicI64,
    /// The row of this node, from the first registration on; 0 before.
    node: AtomicI64,
}

impl Generation {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            valid_until: AtomicU64::new(0),
            number: AtomicI64::new(0),
            node: AtomicI64::new(0),
        }
    }

    /// The number, while it is valid.
    pub(super) fn get(&self) -> Option<i64> {
        let now = self.micros(Instant::now());
        // The span is read first: a number that is read after it can only be newer.
        let valid = now < self.valid_until.load(Ordering::Acquire);
        valid.then(|| self.number.load(Ordering::Acquire))
    }

    /// A beat that began at `began` has read this generation.
    pub(super) fn confirmed(&self, generation: i64, began: Instant, valid: Duration) {
        self.heard(generation);
        self.valid_until
            .store(self.micros(began + valid), Ordering::Release);
    }

    /// There is a generation at least as new as this.
    pub(super) fn heard(&self, generation: i64) {
        self.number
            .fetch_max(self.number(generation), Ordering::AcqRel);
    }

    /// The channel was lost: nothing is known until the next beat.
    pub(super) fn lost(&self) {
        self.valid_until.store(0, Ordering::Release);
    }

    /// A new connection is up and this is the node's row: a new epoch at this generation.
    pub(super) fn rejoined(&self, node: i64, generation: i64) {
        let before = self.number.load(Ordering::Acquire);
        let epoch = if self.node().is_some() {
            (before >> SHIFT) + 1
        } else {
            0
        };
        self.number
            .store((epoch << SHIFT) | generation, Ordering::Release);
        self.node.store(node, Ordering::Release);
    }

    /// The generation of the database that this node acts on.
    pub(super) fn acknowledged(&self) -> i64 {
        self.number.load(Ordering::Acquire) & ((1 << SHIFT) - 1)
    }

    pub(super) fn node(&self) -> Option<i64> {
        Some(self.node.load(Ordering::Acquire)).filter(|node| *node != 0)
    }

    pub(super) fn number(&self, generation: i64) -> i64 {
        ((self.number.load(Ordering::Acquire) >> SHIFT) << SHIFT) | generation
    }

    pub(super) fn since(&self, number: i64) -> Option<i64> {
        let current = self.number.load(Ordering::Acquire) >> SHIFT;
        (number >> SHIFT == current).then_some(number & ((1 << SHIFT) - 1))
    }

    fn micros(&self, at: Instant) -> u64 {
        u64::try_from(at.saturating_duration_since(self.start).as_micros()).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn a_number_is_given_only_while_it_is_valid() {
        let generation = Generation::new();
        assert_eq!(generation.get(), None);
        generation.rejoined(1, 5);
        assert_eq!(
            generation.get(),
            None,
            "a new connection alone confirms nothing"
        );
        generation.confirmed(5, Instant::now(), LONG);
        assert_eq!(generation.get(), Some(5));
        generation.heard(7);
        generation.heard(6);
        assert_eq!(generation.get(), Some(7), "never back");
        generation.lost();
        assert_eq!(generation.get(), None);
        generation.confirmed(7, Instant::now(), Duration::ZERO);
        assert_eq!(
            generation.get(),
            None,
            "valid from the start of the beat, not from its end"
        );
    }

    #[test]
    fn after_a_lost_connection_every_earlier_number_is_unknown() {
        let generation = Generation::new();
        generation.rejoined(1, 5);
        let before = generation.number(5);
        assert_eq!(generation.since(before), Some(5));
        generation.rejoined(2, 5);
        assert_eq!(generation.since(before), None);
        assert!(
            generation.number(5) > before,
            "so that a cache asks, though nothing changed"
        );
        assert_eq!((generation.acknowledged(), generation.node()), (5, Some(2)));
    }
}
