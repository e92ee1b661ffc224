//! Lists of deliveries: the row numbers that may match are found by the most selective indexes, in
//! order, and each delivery is checked until there are enough.

pub(crate) mod source;
pub(crate) mod stream;
mod time;

use gatepost_storage::webhooks::{Delivery, DeliveryQuery};
use gatepost_storage::{Order, Scope};
use rusqlite::Connection;

use self::stream::Merge;
use super::snapshot::{Found, Look};
use crate::column::micros;
use crate::error::Result;

pub(super) fn page(c: &Connection, query: &DeliveryQuery) -> Result<Vec<Delivery>> {
    let look = Look::new(c)?;
    let mut page = Vec::new();
    let bodies = query.page.bodies;
    let mut room = bodies;
    walk(&look, query, |found| {
        let delivery = look.delivery(found, bodies.are_read())?;
        let more = room.take(delivery.body.len() as u64);
        page.push(delivery);
        Ok(more)
    })?;
    Ok(page)
}

/// Passes the matching deliveries to `take`, in order, until the page is full or `take` returns
/// false.
pub(super) fn walk(
    look: &Look<'_>,
    query: &DeliveryQuery,
    mut take: impl FnMut(&Found) -> Result<bool>,
) -> Result<()> {
    let descending = query.page.order == Order::Descending;
    let sources = source::of(look, query)?;
    let bounds = time::bounds(look.c, query)?;
    let after = query.page.after.map(|id| id.0);
    let mut merge = Merge::new(sources, bounds, after, descending);
    let mut room = query.page.limit;
    while room > 0
        && let Some(id) = merge.next(look.c)?
    {
        if let Some(found) = look.find(id)?
            && matches(query, &found)
        {
            let more = take(&found)?;
            room = if more { room - 1 } else { 0 };
        }
    }
    Ok(())
}

/// Returns whether a delivery matches the query.
fn matches(query: &DeliveryQuery, found: &Found) -> bool {
    let key = found.key;
    let in_scope = match query.scope {
        Scope::All => true,
        Scope::Owner(owner) => found.owner == owner,
        Scope::Tenant(tenant) => key.tenant == Some(tenant),
    };
    in_scope
        && query.webhook.is_none_or(|webhook| key.webhook == webhook.0)
        && query.task.is_none_or(|task| key.task == Some(task.0))
        && query
            .created_from
            .is_none_or(|from| key.created >= micros(from))
        && query
            .created_before
            .is_none_or(|before| key.created < micros(before))
        && (query.states.is_empty() || query.states.contains(&found.state()))
        && query
            .class
            .as_deref()
            .is_none_or(|class| found.class() == class)
}
