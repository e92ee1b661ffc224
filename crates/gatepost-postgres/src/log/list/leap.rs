//! Over what was hidden and has not left yet: there may be a partition of it, between two
//! deliveries that are shown.

use std::ops::Range;

use gatepost_storage::Order;

use super::source::{Key, shown};
use crate::db::{Param, Tx};
use crate::error::Result;

/// What is left of the range once it begins, in this order, where something may be shown. Of an
/// owner alone: what a tenant was sent may be from webhooks of those who left it.
pub(super) async fn leap(tx: &Tx, key: Key, order: Order, range: Range<i64>) -> Result<Range<i64>> {
    let Key::Owner(owner) = key else {
        return Ok(range);
    };
    let params: [Param<'_>; 3] = [&range.start, &range.end, &owner];
    let first: Option<i64> = tx.query_one(&shown(order), &params).await?.try_get(0)?;
    Ok(match (first, order) {
        (None, _) => range.start..range.start,
        (Some(id), Order::Ascending) => id..range.end,
        (Some(id), Order::Descending) => range.start..id.saturating_add(1),
    })
}
