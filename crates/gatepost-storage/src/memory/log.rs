//! The delivery log in memory.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::OwnerId;
use webhook_model::WebhookId;

use super::rows::{page, page_of};
use super::slot::Slot;
use super::store::{MemoryStore, Tables};
use crate::error::StoreError;
use crate::page::Scope;
use crate::webhooks::{
    AttemptRecord, ChangedDelivery, CounterQuery, Counters, Delivery, DeliveryId, DeliveryLog,
    DeliveryQuery, DeliveryState, EndReason, HourlyCount, IfWaiting, LogRoom, LogUsage,
    PurgeBounds, Purged, QueueStats, Replay, WaitingChange,
};

#[async_trait]
impl DeliveryLog for MemoryStore {
    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>, StoreError> {
        let tables = self.tables();
        Ok(tables.deliveries.get(id).map(|slot| slot.delivery.clone()))
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>, StoreError> {
        Ok(self.tables().list_deliveries(query))
    }

    async fn attempts(&self, id: DeliveryId, last: u32) -> Result<Vec<AttemptRecord>, StoreError> {
        let tables = self.tables();
        let Some(slot) = tables.deliveries.get(id) else {
            return Ok(Vec::new());
        };
        let first = slot.log.len().saturating_sub(last as usize);
        Ok(slot.log[first..].to_vec())
    }

    async fn delete_delivery(&self, id: DeliveryId, _now: DateTime<Utc>) -> Result<(), StoreError> {
        let mut tables = self.tables();
        if tables.deliveries.get(id).is_none() {
            return Err(StoreError::not_found("delivery"));
        }
        tables.deliveries.remove(id);
        Ok(())
    }

    async fn replay(
        &self,
        which: &Replay,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        Ok(self.tables().replay(which, limit, now))
    }

    async fn change_waiting(
        &self,
        deliveries: Vec<IfWaiting>,
        change: WaitingChange,
        now: DateTime<Utc>,
    ) -> Result<Vec<ChangedDelivery>, StoreError> {
        Ok(self.tables().change_waiting(&deliveries, &change, now))
    }

    async fn expire_held(
        &self,
        created_before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        Ok(self.tables().expire(created_before, limit, now))
    }

    async fn purge(
        &self,
        bounds: &PurgeBounds,
        limit: u32,
        _now: DateTime<Utc>,
    ) -> Result<Purged, StoreError> {
        Ok(self.tables().purge(bounds, limit as usize))
    }

    async fn prepare_log(&self, _now: DateTime<Utc>) -> Result<LogRoom, StoreError> {
        let bytes = self.tables().deliveries.ended.log_bytes();
        Ok(LogRoom { ahead: None, bytes })
    }

    async fn add_counters(&self, added: Counters) -> Result<(), StoreError> {
        let mut tables = self.tables();
        tables.add_counts(&added.hourly);
        tables.count_dropped(&added.rejected);
        tables.add_usage(&added.usage);
        Ok(())
    }

    async fn counters(&self, query: &CounterQuery) -> Result<Counters, StoreError> {
        Ok(self.tables().counters(query))
    }

    async fn log_usage(&self, owners: &[OwnerId]) -> Result<Vec<LogUsage>, StoreError> {
        let tables = self.tables();
        Ok(owners.iter().map(|owner| tables.usage.of(*owner)).collect())
    }

    async fn recount_usage(&self, owner: OwnerId, share: u64) -> Result<LogUsage, StoreError> {
        Ok(self.tables().recount_usage(owner, share))
    }

    async fn count_queue(&self, now: DateTime<Utc>) -> Result<QueueStats, StoreError> {
        Ok(self.tables().count_queue(now))
    }

    async fn queue_stats(&self) -> Result<Option<QueueStats>, StoreError> {
        Ok(self.tables().figures)
    }
}

impl Tables {
    fn list_deliveries(&self, query: &DeliveryQuery) -> Vec<Delivery> {
        let deliveries = &self.deliveries;
        let (slots, listed) = (&deliveries.slots, &deliveries.listed);
        let wanted = |slot: &Slot| deliveries.is_there(slot) && query.matches(&slot.delivery);
        let page_query = &query.page;
        let is_open = |state: &DeliveryState| !state.is_final();
        let only_open = !query.states.is_empty() && query.states.iter().all(is_open);
        let found = match (query.webhook, query.task, query.scope) {
            (Some(webhook), ..) if only_open => {
                let open = &deliveries.work.open;
                page_of(slots, (open, &[webhook]), page_query, wanted)
            }
            (Some(webhook), ..) => {
                page_of(slots, (&listed.by_webhook, &[webhook]), page_query, wanted)
            }
            (None, Some(task), _) => page_of(slots, (&listed.by_task, &[task]), page_query, wanted),
            (None, None, Scope::Owner(owner)) => {
                page_of(slots, (&listed.by_owner, &[owner]), page_query, wanted)
            }
            (None, None, Scope::Tenant(tenant)) => {
                page_of(slots, (&listed.by_tenant, &[tenant]), page_query, wanted)
            }
            (None, None, Scope::All) => page(slots, page_query, wanted),
        };
        let bodies = page_query.bodies;
        bodies.page_of(found.into_iter().map(|slot| &slot.delivery))
    }

    fn replay(&mut self, which: &Replay, limit: u32, now: DateTime<Utc>) -> u64 {
        let mut ids: Vec<DeliveryId> = match which {
            Replay::Ids(ids) => ids.clone(),
            Replay::Failed { webhook, .. } => {
                self.deliveries.listed.by_webhook.of(*webhook).collect()
            }
        };
        ids.sort_unstable();
        ids.dedup();
        let slots = ids.iter().filter_map(|id| self.deliveries.get(*id));
        let slots = slots.filter(|slot| slot.is_replayed_by(which));
        let ids = slots.map(|slot| slot.delivery.id).take(limit as usize);
        let ids: Vec<DeliveryId> = ids.collect();
        for id in &ids {
            self.deliveries.change(*id, |slot| slot.replay(now));
        }
        ids.len() as u64
    }

    fn change_waiting(
        &mut self,
        deliveries: &[IfWaiting],
        change: &WaitingChange,
        now: DateTime<Utc>,
    ) -> Vec<ChangedDelivery> {
        let mut all = Vec::new();
        for asked in deliveries {
            let change = |slot: &mut Slot| {
                let (changed, attempt) = slot.change_waiting(*asked, change, now)?;
                slot.log.extend(attempt);
                Some(changed)
            };
            all.extend(self.deliveries.change(asked.delivery, change).flatten());
        }
        if let WaitingChange::Cancelled { .. } = change {
            let failed = all.iter().map(|one| HourlyCount::failed(one.webhook, now));
            self.add_counts(&failed.collect::<Vec<_>>());
        }
        all.sort_unstable();
        all
    }

    fn expire(&mut self, created_before: DateTime<Utc>, limit: u32, now: DateTime<Utc>) -> u64 {
        let held = |id: &WebhookId| {
            let webhook = self.records.webhooks.get(id);
            webhook.is_some_and(|row| !row.value.sends() && !self.owners.is_held(row.owner))
        };
        let waits = self.deliveries.all().map(|slot| &slot.delivery);
        let old = waits.filter(|d| {
            d.state == DeliveryState::Queued && d.created < created_before && held(&d.webhook)
        });
        let old = old.take(limit as usize).map(|d| IfWaiting::any(d.id));
        let old: Vec<IfWaiting> = old.collect();
        let reason = EndReason::Expired.as_str().to_owned();
        let change = WaitingChange::Cancelled { reason };
        self.change_waiting(&old, &change, now).len() as u64
    }
}
