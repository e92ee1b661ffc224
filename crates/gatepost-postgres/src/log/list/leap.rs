//! Over what was hidden and has not left yet: there may be a partition of it, between two
//! deliveries that are shown.

use std::ops::Range;

use gatepost_storage::Order;

use super::shown::shown;
use super::source::Key;
use crate::db::{Param, Tx};
use crate::error::Result;

const BOUND: &str = include_str!("../../sql/log/bound.sql");
/// What was created before is not shown; clocks of two processes may differ.
const KEPT: &str = "(SELECT created_before - interval '60 seconds' FROM :schema.gatepost_kept)";

/// What is left of the range once it begins, in this order, where something may be shown. `old`: up
/// to which id all are too old to be shown, once a leap of this list has looked that up.
pub(super) async fn leap(
    tx: &Tx,
    key: Key,
    order: Order,
    range: Range<i64>,
    old: &mut Option<i64>,
) -> Result<Range<i64>> {
    let (Some(sql), Some(value)) = (shown(key, order), key.value()) else {
        return Ok(range);
    };
    let old = match *old {
        Some(old) => old,
        None => *old.insert(too_old(tx).await?),
    };
    let params: [Param<'_>; 4] = [&range.start, &range.end, value, &old];
    let row = tx.query_one(&sql, &params).await?;
    let (first, unknown): (Option<i64>, i64) = (row.try_get(0)?, row.try_get(1)?);
    Ok(match order {
        Order::Ascending if range.start <= unknown => range,
        Order::Ascending => first.unwrap_or(range.end)..range.end,
        Order::Descending => {
            let first = first.unwrap_or(unknown).max(unknown);
            range.start..range.end.min(first.saturating_add(1))
        }
    })
}

async fn too_old(tx: &Tx) -> Result<i64> {
    let kept = tx.query_one(&BOUND.replace("$1", KEPT), &[]).await?;
    Ok(kept.try_get::<_, i64>(0)?.saturating_sub(1))
}
