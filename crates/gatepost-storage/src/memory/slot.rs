//! A delivery with its attempts.

use std::ops::{Deref, DerefMut};

use crate::webhooks::{AttemptRecord, DeliveryRow};

#[derive(Clone, Debug)]
pub(super) struct Slot {
    row: DeliveryRow,
    pub(super) log: Vec<AttemptRecord>,
}

impl Slot {
    pub(super) fn new(row: DeliveryRow) -> Self {
        let log = Vec::new();
        Self { row, log }
    }
}

impl Deref for Slot {
    type Target = DeliveryRow;

    fn deref(&self) -> &DeliveryRow {
        &self.row
    }
}

impl DerefMut for Slot {
    fn deref_mut(&mut self) -> &mut DeliveryRow {
        &mut self.row
    }
}
