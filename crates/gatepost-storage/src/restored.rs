//! Steps after a backup was restored and before anything is served from it: the backup holds an
//! earlier state and lacks everything that was done since.
//!
//! First call [`OwnerStore::restored`](crate::OwnerStore::restored), which skips the numbers that
//! were assigned since. Then repeat the actions that the platform knows from its own logs:
//! [`KeyStore::delete_keys`](crate::KeyStore::delete_keys), [`end_deliveries`]. No process may use
//! the store until then.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};

use crate::error::StoreError;
use crate::page::{Bodies, Page};
use crate::webhooks::{
    Delivery, DeliveryId, DeliveryQuery, DeliveryState, EndReason, Reclaimed, WebhookStore,
};

/// The number of deliveries that are read and ended in one transaction.
const BITE: u32 = 1_000;

/// The result of [`end_deliveries`].
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct EndedDeliveries {
    /// The number of deliveries that were ended.
    pub ended: u64,
    /// The number of deliveries that wait and are sent once an engine runs.
    pub left: u64,
}

/// Ends the deliveries of a restored backup that the platform knows or assumes to have been sent
/// since: those that had not ended and for which `was_sent` returns `true`. They are listed as
/// `error` with [`EndReason::Restored`]. A replay can send them again, one by one or all of a
/// webhook.
///
/// All other deliveries are sent under the message ids that they had: `was_sent` decides between
/// sending twice and perhaps never sending. It is called once for each delivery, in order of row
/// number, without the message.
///
/// Deliveries that were running at the time of the backup are taken back first, as after a lost
/// claim; a lease that is still valid for some seconds delays the call by that time. The usage
/// estimates of owners are counted again.
///
/// No engine may run on the store, since it would send the deliveries in question. Memory is
/// bounded. The cost is proportional to the waiting deliveries, plus one usage count for each owner
/// of an ended delivery.
///
/// # Errors
/// `Unavailable`: some deliveries may have been ended. Call again; `was_sent` is not called for
/// them again.
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

/// Takes back the deliveries that the backup has as claimed, since no engine sends them: they wait
/// again, regardless of the end of their lease.
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
