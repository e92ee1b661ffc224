//! The generation of each shard of keys, read before each use of a cached key.

use std::sync::atomic::{AtomicI64, Ordering};

use gatepost_storage::keys::{KeyGeneration, KeyShard};

use super::error::Outcome;
use super::key::last_number;
use super::numbers;
use super::tables::{KEY_CHANGES, KEY_SLICES};
use super::tx::keys_in;
use crate::contract::View;
use crate::key_range::KeyRange;

/// The generation of each shard.
pub(super) struct Generations([AtomicI64; KeyShard::COUNT]);

impl Default for Generations {
    fn default() -> Self {
        Self([const { AtomicI64::new(0) }; KeyShard::COUNT])
    }
}

impl Generations {
    pub(super) fn get(&self, shard: KeyShard) -> KeyGeneration {
        let generation = self.0.get(usize::from(shard.0));
        KeyGeneration(generation.map_or(0, |number| number.load(Ordering::Acquire)))
    }

    pub(super) fn set(&self, shard: KeyShard, generation: KeyGeneration) {
        if let Some(number) = self.0.get(usize::from(shard.0)) {
            number.store(generation.0, Ordering::Release);
        }
    }
}

/// Returns the stored generation of a shard.
pub(super) fn stored(view: &dyn View, shard: u8) -> Outcome<i64> {
    let forgotten = numbers::kept(view, KEY_SLICES, &[shard])?;
    let last = keys_in(view, KEY_CHANGES, &KeyRange::prefix([shard]).backward(), 1)?.pop();
    Ok(match last {
        Some(key) => forgotten.max(last_number(&key)?),
        None => forgotten,
    })
}
