//! Faults of a delivery log.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::OwnerId;
use gatepost_storage::webhooks::{
    AttemptRecord, ChangedDelivery, CounterQuery, Counters, Delivery, DeliveryId, DeliveryLog,
    DeliveryQuery, DeliveryState, HourlyCount, IfWaiting, LogHeadroom, LogUsage, PurgeBounds,
    Purged, QueueStats, WaitingChange,
};
use gatepost_storage::{Bodies, ErrorKind, OwnerStore as _, Page, Scope, StoreError};
use webhook_model::{TaskId, WebhookId};

use super::mutant::{Mutant, Result, passed_on};

passed_on! { DeliveryLog {}
    async fn add_counters(&self, mut added: Counters) -> Result<()> {
        match self.fault() {
            "l26" => added.hourly.truncate(1),
            "l26-last" => added.hourly.iter_mut().for_each(|c| c.last_sent = None),
            "l18-apart" if !added.rejected.is_empty() => added.usage.clear(),
            "l16" => added.usage.retain(|delta| delta.waiting >= 0),
            _ => {}
        }
        self.inner.add_counters(added).await
    }

    async fn counters(&self, query: &CounterQuery) -> Result<Counters> {
        let mut query = query.clone();
        if self.is(&["l18-webhook"]) {
            query.webhooks = None;
        }
        let mut found = self.inner.counters(&query).await?;
        match self.fault() {
            "l29" => found.hourly.iter_mut().for_each(|count| count.failed = 0),
            "l18" => found.rejected.reverse(),
            _ => {}
        }
        Ok(found)
    }

    async fn summed_counts(
        &self,
        webhooks: &[WebhookId],
        from: DateTime<Utc>,
        before: DateTime<Utc>,
    ) -> Result<Vec<HourlyCount>> {
        let mut sums = self.inner.summed_counts(webhooks, from, before).await?;
        if self.is(&["l26-sums"]) {
            sums.iter_mut().for_each(|sum| sum.hour = from);
        }
        Ok(sums)
    }

    async fn prepare_log(&self, now: DateTime<Utc>) -> Result<LogHeadroom> {
        if self.is(&["l28"]) {
            return Err(StoreError::new(ErrorKind::Unavailable, "the log"));
        }
        self.inner.prepare_log(now).await
    }

    async fn queue_stats(&self) -> Result<Option<QueueStats>> {
        if self.is(&["l27"]) {
            let now = DateTime::UNIX_EPOCH;
            return self.inner.count_queue(now).await.map(Some);
        }
        self.inner.queue_stats().await
    }

    async fn delivery(&self, id: DeliveryId) -> Result<Option<Delivery>> {
        let mut found = self.inner.delivery(id).await?;
        if let Some(delivery) = &mut found {
            match self.fault() {
                "l01" => delivery.body = delivery.body.trim().into(),
                "l33" => delivery.cause = None,
                "l33-trace" => delivery.cause.iter_mut().for_each(|cause| cause.trace = None),
                "l33-data" => delivery.cause.iter_mut().for_each(|cause| cause.data = None),
                "l19" => delivery.tries = delivery.attempts,
                "q32" => delivery.tenant = None,
                _ => {}
            }
        }
        Ok(found)
    }

    async fn list_deliveries(&self, query: &DeliveryQuery) -> Result<Vec<Delivery>> {
        let mut query = query.clone();
        if self.is(&["l02"]) {
            query.states.clear();
        }
        match self.fault() {
            "l20" => query.states.retain(|s| *s != DeliveryState::Running),
            "l21" => query.class = None,
            "l22" => query.created_from = None,
            "l30" => query.page.bodies = Bodies::All,
            _ => {}
        }
        let filtered = query.webhook.is_some() || query.task.is_some();
        if self.is(&["l13"]) && filtered || self.is(&["p12"]) {
            query.scope = Scope::All;
        }
        let mut rows = self.inner.list_deliveries(&query).await?;
        if self.is(&["q35"]) && rows.len() > 1 {
            rows.remove(rows.len() - 2);
        }
        Ok(rows)
    }

    async fn last_runs(&self, tasks: &[TaskId]) -> Result<Vec<(TaskId, DateTime<Utc>)>> {
        let mut runs = self.inner.last_runs(tasks).await?;
        if self.is(&["r16"]) {
            runs.clear();
        }
        Ok(runs)
    }

    async fn attempts(&self, id: DeliveryId, last: u32) -> Result<Vec<AttemptRecord>> {
        let mut attempts = self.inner.attempts(id, last).await?;
        if self.is(&["l03"]) {
            attempts.reverse();
        }
        if self.is(&["l34"]) {
            let heads = attempts.iter_mut().map(|attempt| &mut attempt.request_head);
            heads.for_each(Vec::clear);
        }
        if self.is(&["l31"]) {
            attempts = self.inner.attempts(id, u32::MAX).await?;
            attempts.truncate(last as usize);
        }
        Ok(attempts)
    }

    async fn delete_delivery(&self, id: DeliveryId, now: DateTime<Utc>) -> Result<()> {
        if self.is(&["l07"]) {
            return Ok(());
        }
        self.inner.delete_delivery(id, now).await
    }

    async fn replay(&self, ids: &[DeliveryId], now: DateTime<Utc>) -> Result<u64> {
        if self.is(&["q41"]) {
            self.forget_all_rules().await?;
        }
        let count = self.inner.replay(ids, now).await?;
        Ok(if self.is(&["l04"]) { ids.len() as u64 } else { count })
    }

    async fn change_waiting(
        &self,
        mut deliveries: Vec<IfWaiting>,
        change: WaitingChange,
        now: DateTime<Utc>,
    ) -> Result<Vec<ChangedDelivery>> {
        let lies = match change {
            WaitingChange::Fetched { .. } => false,
            WaitingChange::Cancelled { .. } => self.is(&["l06"]),
            WaitingChange::Due => self.is(&["l32"]),
        };
        if lies {
            let said = deliveries.iter().map(|one| ChangedDelivery {
                delivery: one.delivery,
                webhook: WebhookId(1),
                owner: OwnerId(1),
                bytes: 2,
            });
            return Ok(said.collect());
        }
        if self.is(&["q54"]) {
            deliveries.iter_mut().for_each(|one| one.attempts = None);
        }
        self.inner.change_waiting(deliveries, change, now).await
    }

    async fn expire_held(
        &self,
        before: DateTime<Utc>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<u64> {
        let before = if self.is(&["l08"]) { now } else { before };
        if self.is(&["p07"]) {
            self.inner.hold_owner(OwnerId(1), false, now).await?;
        }
        self.inner.expire_held(before, limit, now).await
    }

    async fn purge(&self, keep: &PurgeBounds, limit: u32, now: DateTime<Utc>) -> Result<Purged> {
        let mut keep = *keep;
        match self.fault() {
            "l09" => keep.created_before += TimeDelta::seconds(1),
            "l24" => keep.created_before = DateTime::UNIX_EPOCH,
            "l25" => keep.bytes = keep.bytes.map(|_| 0),
            "l11" => keep.occurrences_before = DateTime::UNIX_EPOCH,
            _ => {}
        }
        self.inner.purge(&keep, limit, now).await
    }

    async fn log_usage(&self, owners: &[OwnerId]) -> Result<Vec<LogUsage>> {
        self.inner.log_usage(owners).await
    }

    async fn recount_usage(&self, owner: OwnerId, share: u64) -> Result<LogUsage> {
        if self.is(&["l17"]) {
            let usage = self.inner.log_usage(&[owner]).await?;
            return Ok(usage[0]);
        }
        if self.is(&["l23"]) {
            let all = DeliveryQuery::all(Page::first(99));
            let rows = self.inner.list_deliveries(&all).await?;
            let ids: Vec<_> = rows.iter().map(|row| row.id).collect();
            self.inner.cancel(&ids, "old", DateTime::UNIX_EPOCH).await?;
        }
        let share = if self.is(&["l10"]) { u64::MAX } else { share };
        self.inner.recount_usage(owner, share).await
    }

    async fn count_queue(&self, now: DateTime<Utc>) -> Result<QueueStats> {
        let mut stats = self.inner.count_queue(now).await?;
        if self.is(&["l12"]) {
            stats.outbox = 0;
        }
        Ok(stats)
    }
}
