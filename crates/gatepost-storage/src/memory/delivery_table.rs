//! The table of deliveries and its indexes.

use std::collections::{BTreeMap, BTreeSet};

use gatepost_ids::{OwnerId, TenantId};
use webhook_model::{TaskId, WebhookId};

use super::ended::Ended;
use super::rows::{Counter, Groups};
use super::seen::Seen;
use super::slot::Slot;
use super::work::Work;
use crate::webhooks::DeliveryId;

#[derive(Debug, Default)]
pub(super) struct Deliveries {
    pub(super) ids: Counter,
    pub(super) tokens: Counter,
    pub(super) slots: BTreeMap<DeliveryId, Slot>,
    pub(super) listed: Listed,
    pub(super) work: Work,
    pub(super) ended: Ended,
    pub(super) seen: Seen,
    /// Webhooks that are gone, but not all of their deliveries.
    pub(super) gone: BTreeSet<WebhookId>,
}

/// The indexes that find what is to be listed.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) by_owner: Groups<OwnerId, DeliveryId>,
    pub(super) by_tenant: Groups<TenantId, DeliveryId>,
    pub(super) by_webhook: Groups<WebhookId, DeliveryId>,
    pub(super) by_task: Groups<TaskId, DeliveryId>,
}

impl Deliveries {
    /// A delivery, unless its webhook is gone.
    pub(super) fn get(&self, id: DeliveryId) -> Option<&Slot> {
        self.slots.get(&id).filter(|slot| self.is_there(slot))
    }

    pub(super) fn is_there(&self, slot: &Slot) -> bool {
        !self.gone.contains(&slot.delivery.webhook)
    }

    /// All deliveries whose webhooks are there, oldest first.
    pub(super) fn all(&self) -> impl DoubleEndedIterator<Item = &Slot> {
        self.slots.values().filter(|slot| self.is_there(slot))
    }

    pub(super) fn webhook_is_gone(&mut self, id: WebhookId) {
        self.gone.insert(id);
    }

    pub(super) fn insert(&mut self, slot: Slot) {
        let d = &slot.delivery;
        self.listed.by_owner.add(d.owner, d.id);
        self.listed.by_webhook.add(d.webhook, d.id);
        if let Some(tenant) = d.tenant {
            self.listed.by_tenant.add(tenant, d.id);
        }
        if let Some(task) = d.task {
            self.listed.by_task.add(task, d.id);
        }
        self.work.add(&slot);
        self.ended.add(&slot);
        self.slots.insert(d.id, slot);
    }

    pub(super) fn remove(&mut self, id: DeliveryId) -> Option<Slot> {
        let slot = self.slots.remove(&id)?;
        let d = &slot.delivery;
        self.listed.by_owner.remove(d.owner, id);
        self.listed.by_webhook.remove(d.webhook, id);
        if let Some(tenant) = d.tenant {
            self.listed.by_tenant.remove(tenant, id);
        }
        if let Some(task) = d.task {
            self.listed.by_task.remove(task, id);
        }
        self.work.remove(&slot);
        self.ended.remove(&slot);
        Some(slot)
    }

    /// Changes a delivery and keeps what finds work in step with it.
    pub(super) fn change<R>(
        &mut self,
        id: DeliveryId,
        change: impl FnOnce(&mut Slot) -> R,
    ) -> Option<R> {
        if !self.slots.get(&id).is_some_and(|slot| self.is_there(slot)) {
            return None;
        }
        let mut slot = self.slots.remove(&id)?;
        self.work.remove(&slot);
        self.ended.remove(&slot);
        let answer = change(&mut slot);
        self.work.add(&slot);
        self.ended.add(&slot);
        self.slots.insert(id, slot);
        Some(answer)
    }
}
