//! Owners who move, are held and are removed, and what becomes of what they have.

use gatepost_ids::{OwnerId, Place};
use webhook_model::WebhookId;

use super::places::Change;
use super::store::Tables;
use crate::webhooks::{DeliveryId, DeliveryState, EndReason, RecordId};

impl Tables {
    /// Before an owner's row is replaced: what the owner has leaves the place.
    pub(super) fn leave(&mut self, owner: OwnerId, for_place: Place) {
        let webhooks: Vec<WebhookId> = self.records.owned.webhooks.of(owner).collect();
        let old = self.owners.place(owner);
        let moves = old != for_place && old != Place::Common;
        if moves && webhooks.iter().any(|id| self.has_open(*id, i64::MAX)) {
            let last = self.deliveries.ids.last();
            self.owners.moving.insert(owner, last);
        }
        let left = Change::Records(self.records_of(owner));
        self.places.changed(old, left);
    }

    /// After an owner's row was replaced.
    pub(super) fn enter(&mut self, owner: OwnerId) {
        let place = self.owners.place(owner);
        self.places.changed(place, Change::Entered(owner));
    }

    /// What an owner has is not there any more.
    pub(super) fn remove_records_of(&mut self, owner: OwnerId) {
        let place = self.owners.place(owner);
        let left = Change::Records(self.records_of(owner));
        self.places.changed(place, left);
        let webhooks: Vec<WebhookId> = self.records.owned.webhooks.of(owner).collect();
        for id in webhooks {
            self.records.drop_webhook(id);
            self.deliveries.webhook_is_gone(id);
        }
        self.usage.forget(owner);
    }

    /// All records of an owner: any of them may be deleted elsewhere before the owner is back.
    fn records_of(&self, owner: OwnerId) -> Vec<RecordId> {
        let owned = &self.records.owned;
        let webhooks = owned.webhooks.of(owner).map(RecordId::Webhook);
        let tasks = owned.tasks.of(owner).map(RecordId::Task);
        let events = owned.events.of(owner).map(RecordId::Event);
        webhooks.chain(tasks).chain(events).collect()
    }

    pub(super) fn remove_gone(&mut self, limit: u32) -> u64 {
        let mut room = limit as usize;
        while room > 0
            && let Some(webhook) = self.deliveries.gone.first().copied()
        {
            let rows = self.deliveries.listed.by_webhook.of(webhook);
            let rows: Vec<DeliveryId> = rows.take(room).collect();
            if rows.is_empty() {
                self.usage.forget_webhook(webhook);
                self.deliveries.gone.remove(&webhook);
            }
            room -= rows.len();
            for id in rows {
                self.deliveries.remove(id);
            }
        }
        let moving: Vec<_> = self.owners.moving.iter().map(|(o, l)| (*o, *l)).collect();
        for (owner, last) in moving {
            room -= self.end_moved(owner, last, room);
        }
        u64::from(limit) - room as u64
    }

    /// Ends what waited when its owner was moved. What is being sent then is waited for.
    fn end_moved(&mut self, owner: OwnerId, last: i64, room: usize) -> usize {
        let webhooks: Vec<WebhookId> = self.records.owned.webhooks.of(owner).collect();
        let open = webhooks
            .iter()
            .flat_map(|id| self.deliveries.work.open(*id));
        let waits = |id: &DeliveryId| {
            let slot = self.deliveries.get(*id);
            id.0 <= last && slot.is_some_and(|s| s.delivery.state == DeliveryState::Queued)
        };
        let moved: Vec<DeliveryId> = open.filter(waits).take(room).collect();
        for id in &moved {
            self.deliveries
                .change(*id, |slot| slot.fail(EndReason::OwnerMoved.as_str()));
        }
        if !webhooks.iter().any(|id| self.has_open(*id, last)) {
            self.owners.moving.remove(&owner);
        }
        moved.len()
    }

    /// Whether a delivery of this webhook, up to this number, has not ended.
    fn has_open(&self, webhook: WebhookId, last: i64) -> bool {
        let oldest = self.deliveries.work.open(webhook).next();
        oldest.is_some_and(|id| id.0 <= last)
    }
}
