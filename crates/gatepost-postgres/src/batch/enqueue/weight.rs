//! How much of a batch an enqueue takes up.

use super::columns::Item;

/// Deliveries, about: a body may have a mebibyte.
pub(super) const MOST: usize = 1024;

pub(super) fn weight((batch, _): &Item) -> usize {
    let bytes: usize = batch.deliveries.iter().map(|d| d.body.len()).sum();
    1 + batch.deliveries.len() + batch.later.len() + bytes / 16_384
}
