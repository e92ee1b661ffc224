//! The end of deliveries whose webhook or owner is deleted, or whose owner has moved.

use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{DeliveryId, DeliveryState, EndReason};
use webhook_model::WebhookId;

use super::error::Outcome;
use super::heads::webhooks_of;
use super::key::{Key, last_number};
use super::rows::key_of;
use super::tables::{DELIVERY_OF_WEBHOOK, GONE, OPEN};
use super::tx::{Tx, keys_in};
use super::{counters, deliveries, owner_status};
use crate::contract::View;
use crate::key_range::KeyRange;

/// Returns whether the owner has a delivery that has not ended.
pub(super) fn has_open(view: &dyn View, owner: OwnerId) -> Outcome<bool> {
    for webhook in webhooks_of(view, owner)? {
        let own = KeyRange::prefix(Key::new().number(webhook.0));
        if !keys_in(view, OPEN, &own, 1)?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Removes or ends at most `limit` deliveries. Returns how many.
pub(super) fn remove(tx: &mut Tx<'_>, limit: usize) -> Outcome<u64> {
    let mut room = limit;
    while room > 0
        && let Some(key) = keys_in(tx, GONE, &KeyRange::all(), 1)?.pop()
    {
        room -= remove_of(tx, webhook_of(&key), room)?;
    }
    for owner in owner_status::moving(tx)? {
        room -= end_moved(tx, owner, room)?;
    }
    Ok((limit - room) as u64)
}

/// Removes the rest of a webhook, and its entry with the last delivery.
fn remove_of(tx: &mut Tx<'_>, webhook: WebhookId, room: usize) -> Outcome<usize> {
    let own = KeyRange::prefix(Key::new().number(webhook.0));
    let rows = keys_in(tx, DELIVERY_OF_WEBHOOK, &own, room)?;
    for key in &rows {
        deliveries::remove_unread(tx, DELIVERY_OF_WEBHOOK, key)?;
    }
    let counts = counters::forget(tx, webhook, room - rows.len())?;
    let removed = rows.len() + counts;
    if removed < room {
        tx.delete(GONE, &key_of(webhook.0))?;
    }
    Ok(removed)
}

/// Ends deliveries that waited when their owner was moved. It waits for those that were being sent.
fn end_moved(tx: &mut Tx<'_>, owner: OwnerId, room: usize) -> Outcome<usize> {
    let moves = owner_status::of(tx, owner)?.moves;
    let (mut ended, mut is_left) = (0, false);
    for webhook in webhooks_of(tx, owner)? {
        let own = KeyRange::prefix(Key::new().number(webhook.0));
        for key in keys_in(tx, OPEN, &own, usize::MAX)? {
            let id = DeliveryId(last_number(&key)?);
            let waits = deliveries::get_or_forget(tx, id)?
                .filter(|entry| entry.moves < moves)
                .map(|entry| entry.state() == DeliveryState::Queued);
            match waits {
                Some(true) if ended < room => {
                    deliveries::change(tx, id, |row| {
                        row.fail(EndReason::OwnerMoved.as_str());
                        Some(())
                    })?;
                    ended += 1;
                }
                Some(_) => is_left = true,
                None => {}
            }
            if is_left && ended == room {
                return Ok(ended);
            }
        }
    }
    if !is_left {
        owner_status::has_moved(tx, owner)?;
    }
    Ok(ended)
}

fn webhook_of(key: &[u8]) -> WebhookId {
    let number = key.first_chunk::<8>().copied().unwrap_or_default();
    WebhookId(i64::from_be_bytes(number))
}
