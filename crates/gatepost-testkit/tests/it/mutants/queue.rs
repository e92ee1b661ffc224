//! A queue with one fault, named by the clause that it breaks.

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::{
    ClaimToken, Claimed, Disposition, DueLane, Enqueue, Enqueued, Lane, LaneClaim, Origin,
    QueueStore, Reclaimed, RecordStore, Settled, Settlement,
};
use gatepost_storage::{MemoryStore, StoreError};
use webhook_model::{Activity, DeliveryOrder};

#[derive(Debug)]
pub(crate) struct Mutant {
    inner: Arc<MemoryStore>,
    fault: String,
    given: Mutex<Vec<Claimed>>,
    settled: Mutex<Vec<ClaimToken>>,
}

impl Mutant {
    pub(crate) fn new(inner: Arc<MemoryStore>, fault: &str) -> Self {
        let fault = fault.to_owned();
        Self {
            inner,
            fault,
            given: Mutex::default(),
            settled: Mutex::default(),
        }
    }

    fn is(&self, faults: &[&str]) -> bool {
        faults.contains(&self.fault.as_str())
    }

    /// Stores a batch delivery by delivery.
    async fn in_parts(&self, batch: Enqueue, now: DateTime<Utc>) -> Result<Enqueued, StoreError> {
        let parts = batch.deliveries.into_iter();
        let mut answer = self.inner.enqueue(nothing(batch.origin), now).await;
        for part in parts {
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
            let mut one = nothing(Origin::Direct);
            one.deliveries.push(part);
            answer = self.inner.enqueue(one, now).await;
        }
        answer
    }

    /// Claims as if the webhook were active and unordered.
    async fn forget_rules(&self, lane: Lane) -> Result<(), StoreError> {
        let mut row = self.inner.webhook(lane.webhook).await?.unwrap();
        row.value.activity = Activity::Active;
        row.value.order = DeliveryOrder::Unordered;
        self.inner
            .update_webhook(&row, row.modified)
            .await
            .map(drop)
    }
}

fn nothing(origin: Origin) -> Enqueue {
    Enqueue {
        routes: None,
        origin,
        deliveries: Vec::new(),
        consume: Vec::new(),
    }
}

#[async_trait]
impl QueueStore for Mutant {
    async fn enqueue(
        &self,
        mut batch: Enqueue,
        now: DateTime<Utc>,
    ) -> Result<Enqueued, StoreError> {
        match self.fault.as_str() {
            "q10" | "o03" => batch.origin = Origin::Direct,
            "q11" => batch.routes = None,
            "q22" => {
                batch.routes = None;
                batch.consume.clear();
            }
            "q12" => batch.consume.clear(),
            "q13" => batch
                .deliveries
                .iter_mut()
                .for_each(|d| d.lease_until = None),
            _ => {}
        }
        if self.is(&["q23"]) {
            return self.in_parts(batch, now).await;
        }
        if let (true, Origin::Outbox { occurrence, .. }) = (self.is(&["o06"]), &mut batch.origin) {
            *occurrence = None;
        }
        let origin = batch.origin.clone();
        let answer = self.inner.enqueue(batch, now).await;
        if self.is(&["o04"]) && !matches!(answer, Ok(Enqueued::Stored { .. })) {
            self.inner.enqueue(nothing(origin), now).await?;
        }
        match answer {
            Err(_) if self.is(&["q19", "q20"]) => Ok(Enqueued::AlreadyKnown),
            answer => answer,
        }
    }

    async fn due_lanes(
        &self,
        after: Option<Lane>,
        limit: u32,
        now: DateTime<Utc>,
    ) -> Result<Vec<DueLane>, StoreError> {
        let after = after.filter(|_| !self.is(&["q17"]));
        self.inner.due_lanes(after, limit, now).await
    }

    async fn next_due(&self, now: DateTime<Utc>) -> Result<Option<DateTime<Utc>>, StoreError> {
        if self.is(&["q18"]) {
            return Ok(Some(now));
        }
        self.inner.next_due(now).await
    }

    async fn claim(
        &self,
        lanes: &[LaneClaim],
        lease_until: DateTime<Utc>,
        mut now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>, StoreError> {
        if self.is(&["q01"]) {
            now -= TimeDelta::microseconds(1);
        }
        if self.is(&["q14", "q15"]) {
            self.forget_rules(lanes[0].lane).await?;
        }
        let mut claimed = self.inner.claim(lanes, lease_until, now).await?;
        let mut given = self.given.lock().unwrap();
        if self.is(&["q02"]) {
            claimed.reverse();
        }
        if self.is(&["q03", "q24"]) && claimed.is_empty() {
            claimed.clone_from(&given);
        }
        given.clone_from(&claimed);
        Ok(claimed)
    }

    async fn settle(
        &self,
        mut settlements: Vec<Settlement>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Settled>, StoreError> {
        if self.is(&["q16"]) {
            self.inner.reclaim(u32::MAX, now).await?;
        }
        for s in &mut settlements {
            match (self.fault.as_str(), &s.disposition) {
                ("q07", Disposition::Retry { due }) => {
                    s.disposition = Disposition::Release { due: *due };
                    s.attempt = None;
                }
                ("q08", Disposition::Release { .. }) => s.disposition = Disposition::Failed,
                _ => {}
            }
        }
        let tokens: Vec<_> = settlements.iter().map(|s| s.claim.token).collect();
        let mut answers = self.inner.settle(settlements, now).await?;
        let mut settled = self.settled.lock().unwrap();
        for (answer, token) in answers.iter_mut().zip(tokens) {
            if self.is(&["q05", "q21"]) {
                *answer = Settled::Done;
            }
            if self.is(&["q06"]) && settled.contains(&token) {
                *answer = Settled::Stale;
            }
            settled.push(token);
        }
        Ok(answers)
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed, StoreError> {
        if self.is(&["q09"]) {
            return Ok(Reclaimed::default());
        }
        let early = TimeDelta::seconds(if self.is(&["q04"]) { 5 } else { 0 });
        self.inner.reclaim(limit, now + early).await
    }

    async fn work_arrived(&self) {
        self.inner.work_arrived().await;
    }
}
