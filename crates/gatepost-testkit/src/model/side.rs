//! One of the two stores and the known state of its rows.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::webhooks::*;
use gatepost_storage::{AtMost, StoreError};
use webhook_model::{DeliveryOrder, EventId, TaskId, WebhookId};

use super::fields::Fields;
use crate::fixtures::{UNLIMITED, at, tenant, webhook_of};
use crate::harness::Webhooks;
use crate::world::Held;

/// The quota of an owner of the model.
pub(super) const LIMITS: AtMost = AtMost {
    rows: 9,
    bytes: 6_000,
};

/// One of the two stores. Row numbers and tokens may differ between two stores: they are shown by
/// their index in these lists.
pub(super) struct Side {
    pub(super) store: Webhooks,
    pub(super) webhooks: Vec<WebhookId>,
    pub(super) tasks: Vec<TaskId>,
    pub(super) events: Vec<EventId>,
    pub(super) outbox: Vec<OutboxId>,
    pub(super) deliveries: Vec<DeliveryId>,
    pub(super) tokens: HashMap<DeliveryId, Vec<ClaimToken>>,
    pub(super) named: usize,
    /// The number of holders that have taken audiences of the outbox; each one is new.
    pub(super) holders: u128,
    pub(super) owners: Owners,
    pub(super) fields: Fields,
    /// The time before which rows were purged by creation.
    pub(super) purged_before: Option<DateTime<Utc>>,
}

/// The known state of the three owners.
#[derive(Default)]
pub(super) struct Owners {
    /// Owners that were removed and not placed again: the effect of other calls on them is up to
    /// the store.
    pub(super) gone: BTreeSet<OwnerId>,
    /// The state of each realm when it was last read.
    pub(super) held: BTreeMap<Realm, Held>,
}

/// Returns the row that a small number names, or a missing one.
pub(super) fn of<I: Copy>(rows: &[I], number: u8, none: I) -> I {
    let wrapped = usize::from(number).checked_rem(rows.len());
    wrapped.and_then(|n| rows.get(n).copied()).unwrap_or(none)
}

pub(super) fn place<I: PartialEq>(rows: &[I], id: &I) -> Option<usize> {
    rows.iter().position(|row| row == id)
}

/// Returns the comparable part of an answer: the value, or the kind of the error.
pub(super) fn answer<T>(answer: Result<T, StoreError>, show: impl FnOnce(T) -> String) -> String {
    match answer {
        Ok(value) => show(value),
        Err(error) => format!("{:?}", error.kind()),
    }
}

impl Side {
    pub(super) async fn new(store: Webhooks) -> Self {
        let mut webhooks = Vec::new();
        for number in 0..4 {
            let mut hook = webhook_of(number % 3 + 1, &format!("w{number}"));
            if number == 1 {
                hook.order = DeliveryOrder::InOrder;
            }
            let row = store.records.insert_webhook(&hook, UNLIMITED, at(0)).await;
            webhooks.push(row.unwrap().id);
        }
        Self {
            store,
            webhooks,
            tasks: Vec::new(),
            events: Vec::new(),
            outbox: Vec::new(),
            deliveries: Vec::new(),
            tokens: HashMap::new(),
            named: 0,
            holders: 0,
            owners: Owners::default(),
            fields: Fields::new(),
            purged_before: None,
        }
    }

    /// Returns a webhook; a number beyond the last one names a missing one.
    pub(super) fn webhook(&self, number: u8) -> WebhookId {
        let known = self.webhooks.get(usize::from(number)).copied();
        known.unwrap_or(WebhookId(i64::MAX))
    }

    pub(super) fn task(&self, number: u8) -> TaskId {
        of(&self.tasks, number, TaskId(i64::MAX))
    }

    pub(super) fn event(&self, number: u8) -> EventId {
        of(&self.events, number, EventId(i64::MAX))
    }

    /// Returns a realm by its number; the fifth holds only the first owner.
    pub(super) fn place(number: u8) -> Realm {
        let places = [Realm::Shared, tenant(1), tenant(2), Realm::System];
        let known = places.get(usize::from(number)).copied();
        known.unwrap_or(Realm::Solo(OwnerId(1)))
    }

    pub(super) fn delivery(&self, number: u8) -> DeliveryId {
        of(&self.deliveries, number, DeliveryId(i64::MAX))
    }
}

pub(super) fn shown(value: impl std::fmt::Debug) -> String {
    format!("{value:?}")
}
