//! The indexes that find what retention removes.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use super::slot::Slot;
use crate::webhooks::DeliveryId;

#[derive(Debug, Default)]
pub(super) struct Ended {
    /// Ended deliveries, by age.
    by_age: BTreeSet<(DateTime<Utc>, DeliveryId)>,
    /// Bytes of the messages and responses of all deliveries, ended or not.
    bytes: u64,
}

impl Ended {
    pub(super) fn log_bytes(&self) -> u64 {
        self.bytes
    }

    /// What has ended, oldest first.
    pub(super) fn oldest(&self) -> impl Iterator<Item = (DateTime<Utc>, DeliveryId)> {
        self.by_age.iter().copied()
    }

    pub(super) fn add(&mut self, slot: &Slot) {
        self.bytes += slot.bytes();
        let d = &slot.delivery;
        if d.state.is_final() {
            self.by_age.insert((d.created, d.id));
        }
    }

    pub(super) fn remove(&mut self, slot: &Slot) {
        self.bytes -= slot.bytes();
        let d = &slot.delivery;
        if d.state.is_final() {
            self.by_age.remove(&(d.created, d.id));
        }
    }
}
