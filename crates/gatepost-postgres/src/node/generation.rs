//! The generations of shards as this process knows them: read without a lock, valid for a limited
//! time.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use gatepost_storage::keys::KeyShard;
use tokio::time::Instant;

/// Numbers given out are `epoch << SHIFT | generation of the shard in the database`. Each lost
/// connection begins a new epoch, so that a cache asks again and must drop everything:
/// notifications may have been missed, and a database may even have lost generations in a failover.
const SHIFT: u32 = 40;

pub(super) struct Generation {
    start: Instant,
    /// Microseconds after `start` until which the shards are valid; 0 is never.
    valid_until: AtomicU64,
    epoch: AtomicI64,
    /// The generation of the database up to which all shards are known.
    acknowledged: AtomicI64,
    shards: [AtomicI64; KeyShard::COUNT],
    /// The row of this node after its first registration; 0 earlier.
    node: AtomicI64,
}

impl Generation {
    pub(super) fn new() -> Self {
        Self {
            start: Instant::now(),
            valid_until: AtomicU64::new(0),
            epoch: AtomicI64::new(0),
            acknowledged: AtomicI64::new(-1),
            shards: [const { AtomicI64::new(0) }; KeyShard::COUNT],
            node: AtomicI64::new(0),
        }
    }

    /// Returns the number of a shard while it is valid.
    pub(super) fn get(&self, shard: KeyShard) -> Option<i64> {
        let now = self.micros(Instant::now());
        // The validity is read first: a number that is read after it can only be newer.
        let valid = now < self.valid_until.load(Ordering::Acquire);
        let shard = self.shards.get(usize::from(shard.0))?;
        valid.then(|| self.number(shard.load(Ordering::Acquire)))
    }

    /// Returns the generation of the shard that moved last, as the database counts.
    pub(super) fn newest(&self) -> i64 {
        let shards = self.shards.iter();
        let all = shards.map(|shard| shard.load(Ordering::Acquire));
        all.max().unwrap_or_default()
    }

    /// Records that a beat that began at `began` has read this generation, after every shard that
    /// moved.
    pub(super) fn confirmed(&self, generation: i64, began: Instant, valid: Duration) {
        self.acknowledged.store(generation, Ordering::Release);
        self.valid_until
            .store(self.micros(began + valid), Ordering::Release);
    }

    /// Records that a shard is at a generation at least as new as this.
    pub(super) fn heard(&self, shard: KeyShard, generation: i64) {
        if let Some(shard) = self.shards.get(usize::from(shard.0)) {
            shard.fetch_max(generation, Ordering::AcqRel);
        }
    }

    /// Records that the channel was lost: nothing is known until the next beat.
    pub(super) fn lost(&self) {
        self.valid_until.store(0, Ordering::Release);
    }

    /// Records a new connection and the node's row: a new epoch, in which no shard is known.
    pub(super) fn rejoined(&self, node: i64) {
        if self.node().is_some() {
            self.epoch.fetch_add(1, Ordering::AcqRel);
        }
        for shard in &self.shards {
            shard.store(0, Ordering::Release);
        }
        self.acknowledged.store(-1, Ordering::Release);
        self.node.store(node, Ordering::Release);
    }

    /// Returns the generation of the database that this node acts on; below 0 before the first
    /// beat.
    pub(super) fn acknowledged(&self) -> i64 {
        self.acknowledged.load(Ordering::Acquire)
    }

    pub(super) fn node(&self) -> Option<i64> {
        Some(self.node.load(Ordering::Acquire)).filter(|node| *node != 0)
    }

    pub(super) fn number(&self, generation: i64) -> i64 {
        (self.epoch.load(Ordering::Acquire) << SHIFT) | generation
    }

    pub(super) fn since(&self, number: i64) -> Option<i64> {
        let current = self.epoch.load(Ordering::Acquire);
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

    const ONE: KeyShard = KeyShard(1);
    const OTHER: KeyShard = KeyShard(200);

    #[test]
    fn generation_is_known_only_while_valid() {
        let generation = Generation::new();
        assert_eq!(generation.get(ONE), None);
        generation.rejoined(1);
        generation.heard(ONE, 5);
        assert_eq!(
            generation.get(ONE),
            None,
            "a new connection confirms nothing by itself"
        );
        generation.confirmed(5, Instant::now(), LONG);
        assert_eq!(generation.get(ONE), Some(5));
        generation.heard(ONE, 7);
        generation.heard(ONE, 6);
        assert_eq!(generation.get(ONE), Some(7), "never back");
        assert_eq!(generation.get(OTHER), Some(0), "a separate shard");
        generation.lost();
        assert_eq!(generation.get(ONE), None);
        generation.confirmed(7, Instant::now(), Duration::ZERO);
        assert_eq!(
            generation.get(ONE),
            None,
            "valid from the start of the beat, not from its end"
        );
    }

    #[test]
    fn own_change_is_acknowledged_only_by_a_beat() {
        let generation = Generation::new();
        generation.rejoined(1);
        generation.confirmed(4, Instant::now(), LONG);
        generation.heard(ONE, 6);
        assert_eq!(generation.get(ONE), Some(6));
        assert_eq!(
            generation.acknowledged(),
            4,
            "another process may have changed a shard in between"
        );
    }

    #[test]
    fn reconnect_makes_every_earlier_generation_unknown() {
        let generation = Generation::new();
        generation.rejoined(1);
        generation.heard(ONE, 5);
        let before = generation.number(5);
        assert_eq!(generation.since(before), Some(5));
        generation.rejoined(2);
        assert_eq!(generation.since(before), None);
        generation.confirmed(5, Instant::now(), LONG);
        assert!(
            generation.get(ONE) > Some(before),
            "so that a cache asks, though nothing changed"
        );
        assert_eq!((generation.acknowledged(), generation.node()), (5, Some(2)));
    }
}
