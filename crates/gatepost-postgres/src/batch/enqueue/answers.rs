//! The statement's results, one for each enqueue.

use std::collections::HashMap;

use gatepost_ids::Realm;
use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{
    ClaimToken, DeliveryId, Enqueued, OutboxId, Precondition, RecordId, RoutesVersion,
    StoredDelivery,
};
use tokio_postgres::Row;
use webhook_model::{EventId, TaskId, WebhookId};

use super::columns::Item;
use crate::column::place;
use crate::error::{Failure, Result};

/// The verdict on an enqueue in a batch.
pub(super) enum Verdict {
    Judged(Result<Enqueued>),
    /// A lock was not available; nothing was done.
    Left,
}

/// Returns the verdict on each item. The ids of stored rows, deliveries and outbox rows, follow
/// each other in the order of the request; the ids of leased deliveries come with their tokens.
/// `consumed` are the realms that had a task.
pub(super) fn verdicts(items: &[&Item], row: &Row, consumed: &[Row]) -> Result<Vec<Verdict>> {
    let numbers: Vec<i32> = row.try_get("verdicts")?;
    let ids: Vec<i64> = row.try_get("ids")?;
    let leased: Vec<i64> = row.try_get("leased")?;
    let tokens: Vec<i64> = row.try_get("tokens")?;
    let tokens: HashMap<i64, i64> = leased.into_iter().zip(tokens).collect();
    let mut stored = ids.into_iter();
    let mut later = row.try_get::<_, Vec<i64>>("later")?.into_iter();
    let moved = consumed.iter().map(moved).collect::<Result<Vec<_>>>()?;
    let mut verdicts = Vec::with_capacity(items.len());
    for ((number, (batch, _)), verdict) in (1..).zip(items.iter().copied()).zip(numbers) {
        let rows = matches!(batch.precondition, Precondition::Rows(_));
        verdicts.push(Verdict::Judged(match verdict {
            0 => {
                let deliveries = stored.by_ref().take(batch.deliveries.len());
                let deliveries = deliveries.map(|id| StoredDelivery {
                    id: DeliveryId(id),
                    token: tokens.get(&id).copied().map(ClaimToken),
                });
                Ok(Enqueued::Stored {
                    deliveries: deliveries.collect(),
                    later: later
                        .by_ref()
                        .take(batch.later.len())
                        .map(OutboxId)
                        .collect(),
                    moved: moved.clone(),
                })
            }
            1 => Ok(Enqueued::AlreadyKnown),
            2 | 6 if rows => Ok(Enqueued::RowsChanged(changed(row, number)?)),
            2 => Ok(Enqueued::RoutesChanged),
            3 => Err(Failure::new(
                ErrorKind::Invalid,
                "the delivery's webhook does not exist",
            )),
            _ => {
                verdicts.push(Verdict::Left);
                continue;
            }
        }));
    }
    Ok(verdicts)
}

/// Returns the same if all items are stored and all leased deliveries share a token; `None` means
/// that nothing was stored.
pub(super) fn all_stored(items: &[&Item], row: &Row) -> Result<Option<Vec<Verdict>>> {
    let Some(ids) = row.try_get::<_, Option<Vec<i64>>>("ids")? else {
        return Ok(None);
    };
    let token: Option<i64> = row.try_get("token")?;
    let mut ids = ids.into_iter();
    let verdicts = items.iter().map(|(batch, _)| {
        // In this order: the end of the deliveries uses up no id.
        let deliveries = batch.deliveries.iter().zip(ids.by_ref());
        let deliveries = deliveries.map(|(new, id)| StoredDelivery {
            id: DeliveryId(id),
            token: new.lease_until.and(token).map(ClaimToken),
        });
        Verdict::Judged(Ok(Enqueued::Stored {
            deliveries: deliveries.collect(),
            later: Vec::new(),
            moved: Vec::new(),
        }))
    });
    Ok(Some(verdicts.collect()))
}

fn moved(row: &Row) -> Result<(Realm, RoutesVersion)> {
    Ok((place(row)?, RoutesVersion(row.try_get("version")?)))
}

/// Returns the rows of an item that have changed or are deleted.
fn changed(row: &Row, number: i32) -> Result<Vec<RecordId>> {
    let items: Vec<i32> = row.try_get("changed_items")?;
    let kinds: Vec<i16> = row.try_get("changed_kinds")?;
    let ids: Vec<i64> = row.try_get("changed_rows")?;
    let rows = items.into_iter().zip(kinds).zip(ids);
    let rows = rows.filter(|((item, _), _)| *item == number);
    let mut changed: Vec<RecordId> = rows
        .map(|((_, kind), id)| match kind {
            0 => RecordId::Webhook(WebhookId(id)),
            1 => RecordId::Task(TaskId(id)),
            _ => RecordId::Event(EventId(id)),
        })
        .collect();
    changed.sort_unstable();
    changed.dedup();
    Ok(changed)
}
