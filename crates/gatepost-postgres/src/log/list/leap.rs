//! Over what was hidden and has not left yet: there may be a partition of it, between two
//! deliveries that are shown.

use std::ops::Range;

use gatepost_storage::Order;

use super::source::Key;
use crate::db::{Param, Tx};
use crate::error::Result;

const NEXT: &str = include_str!("../../sql/log/next_shown.sql");
const LAST: &str = include_str!("../../sql/log/last_shown.sql");

/// What is left of the range once it begins, in this order, where something may be shown. Of an
/// owner alone: what a tenant was sent may be from webhooks of those who left it.
pub(super) async fn leap(tx: &Tx, key: Key, order: Order, range: Range<i64>) -> Result<Range<i64>> {
    let Key::Owner(owner) = key else {
        return Ok(range);
    };
    let statement = match order {
        Order::Ascending => NEXT,
        Order::Descending => LAST,
    };
    let params: [Param<'_>; 3] = [&range.start, &range.end, &owner];
    let shown: Option<i64> = tx.query_one(statement, &params).await?.try_get(0)?;
    Ok(match (shown, order) {
        (None, _) => range.start..range.start,
        (Some(id), Order::Ascending) => id..range.end,
        (Some(id), Order::Descending) => range.start..id.saturating_add(1),
    })
}
