//! What to do about a backup that was put back, before anything is served from it: it is the state
//! of an earlier moment, and does not know what was done since.
//!
//! First comes [`OwnerStore::restored`](crate::OwnerStore::restored), which passes over the numbers
//! that were given since. Then what the platform knows from its own logs is done again:
//! [`KeyStore::delete_keys`](crate::KeyStore::delete_keys), [`end_deliveries`]. No process may work
//! with the store until then.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use crate::error::StoreError;
use crate::page::{Bodies, Page};
use crate::webhooks::{
    Delivery, DeliveryId, DeliveryQuery, DeliveryState, EndReason, Reclaimed, WebhookStore,
};

/// Deliveries that are read, and ended, in one transaction.
const BITE: u32 = 1_000;

/// What [`end_deliveries`] has found.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct EndedDeliveries {
    /// Deliveries that were ended.
    pub ended: u64,
    /// Deliveries that wait, and are sent once an engine runs.
    pub left: u64,
}

/// Ends the deliveries of a backup that had not ended in it, and of which the platform knows or
/// assumes that they were sent since: those for which `was_sent` says so. They are listed as
/// `error` with [`EndReason::Restored`], and can be sent again by a replay, one by one or all those
/// of a webhook. All others are sent, under the message ids that they had: `was_sent` decides
/// between twice and perhaps never. It is asked about each once, in order of row number, without
/// the message.
///
/// What was being sent at the moment of the backup is taken back first, as after a lost claim: a
/// lease that would still hold for some seconds delays it by as much. Estimates of what owners use
/// are counted again.
///
/// No engine may run on the store: it would send what is asked about. Memory is bounded; costs what
/// waits, and for each owner of something ended one count of what the owner has.
///
/// # Errors
/// `Unavailable`: some may have been ended. To be called again: those are not asked about.
pub async fn end_deliveries<S: WebhookStore + ?Sized>(
    store: &S,
    mut was_sent: impl FnMut(&Delivery) -> bool + Send,
    now: DateTime<Utc>,
) -> Result<EndedDeliveries, StoreError> {
    take_back(store, now).await?;
    let (mut found, mut owners, mut after) = (EndedDeliveries::default(), BTreeSet::new(), None);
    loop {
        let page = open(store, DeliveryState::Queued, after).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        let waiting = page.len() as u64;
        let sent = page.iter().filter(|delivery| was_sent(delivery));
        let sent: Vec<&Delivery> = sent.collect();
        let ids: Vec<DeliveryId> = sent.iter().map(|delivery| delivery.id).collect();
        let ended = match &*ids {
            [] => 0,
            ids => store.cancel(ids, EndReason::Restored.as_str(), now).await?,
        };
        owners.extend(sent.iter().map(|delivery| delivery.owner));
        found.ended += ended;
        found.left += waiting.saturating_sub(ended);
    }
    for owner in owners {
        store.recount_usage(owner, u64::MAX).await?;
    }
    Ok(found)
}

/// Nobody sends what the backup has as claimed: it waits again, whenever its lease would end.
async fn take_back<S: WebhookStore + ?Sized>(
    store: &S,
    now: DateTime<Utc>,
) -> Result<(), StoreError> {
    let (mut until, mut after) = (now, None);
    loop {
        let page = open(store, DeliveryState::Running, after).await?;
        let Some(last) = page.last() else { break };
        after = Some(last.id);
        let ends = page.iter().filter_map(|delivery| delivery.lease_until);
        until = ends.fold(until, DateTime::max);
    }
    while store.reclaim(BITE, until).await? != Reclaimed::default() {}
    Ok(())
}

async fn open<S: WebhookStore + ?Sized>(
    store: &S,
    state: DeliveryState,
    after: Option<DeliveryId>,
) -> Result<Vec<Delivery>, StoreError> {
    let page = Page {
        after,
        ..Page::first(BITE).with_bodies(Bodies::Omitted)
    };
    let query = DeliveryQuery {
        states: vec![state],
        ..DeliveryQuery::all(page)
    };
    store.list_deliveries(&query).await
}
