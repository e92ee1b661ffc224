//! Faults of a queue.

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{
    Arrived, Claimed, DeliveryLog as _, Disposition, Enqueue, Enqueued, FoundQueues, Origin,
    Precondition, QueueClaim, QueueClass, QueueStore, Queues, Reclaimed, RecordStore as _, Settled,
    Settlement, WebhookQuery, WebhookQueue,
};
use gatepost_storage::{AtMost, ErrorKind, Page, Revision, Scope, StoreError};
use gatepost_testkit::fixtures::START;
use webhook_model::{Activity, DeliveryMode, DeliveryOrder, WebhookId};

use super::mutant::{Mutant, Result, passed_on};

impl Mutant {
    /// Stores a batch delivery by delivery.
    async fn in_parts(&self, batch: Enqueue, now: DateTime<Utc>) -> Result<Enqueued> {
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
    async fn forget_rules(&self, queue: WebhookQueue) -> Result<()> {
        let mut row = self.inner.webhook(queue.webhook).await?.unwrap();
        row.value.activity = Activity::Active;
        row.value.mode = DeliveryMode::Push;
        row.value.order = DeliveryOrder::Unordered;
        let edited = self
            .inner
            .update_webhook(&row, AtMost::UNLIMITED, row.modified);
        edited.await.map(drop)
    }

    /// The same for every webhook.
    pub(crate) async fn forget_all_rules(&self) -> Result<()> {
        for webhook in self.webhooks_now().await? {
            let class = QueueClass::First;
            self.forget_rules(WebhookQueue { webhook, class }).await?;
        }
        Ok(())
    }

    async fn webhooks_now(&self) -> Result<Vec<WebhookId>> {
        let query = WebhookQuery {
            scope: Scope::All,
            name: None,
            page: Page::first(99),
        };
        let rows = self.inner.list_webhooks(&query).await?;
        Ok(rows.into_iter().map(|row| row.id).collect())
    }

    /// Breaks a batch before it is stored.
    fn alter(&self, batch: &mut Enqueue) {
        match (self.fault(), &mut batch.origin) {
            ("o06", Origin::Outbox { occurrence, .. }) => *occurrence = None,
            ("o09", Origin::Outbox { left, .. }) => *left = None,
            ("q28", Origin::Occurrence { place, .. }) => *place = Realm::Shared,
            _ => {}
        }
        match (self.fault(), &mut batch.precondition) {
            ("q25", Precondition::Realms(places)) => places.truncate(1),
            ("q26", Precondition::Rows(rows)) => rows.truncate(1),
            ("q11" | "q22" | "p09" | "p14", precondition) => *precondition = Precondition::Nothing,
            _ => {}
        }
        match self.fault() {
            "q10" | "o03" | "o13" => batch.origin = Origin::Direct,
            "q12" | "q22" | "q27" => batch.consume.clear(),
            "q13" => batch
                .deliveries
                .iter_mut()
                .for_each(|d| d.lease_until = None),
            "o10" => batch.later.truncate(1),
            "o08-cut" => batch
                .later
                .iter_mut()
                .for_each(|row| row.due = rounded_up(row.due)),
            "o10-by" => batch.later.iter_mut().for_each(|row| row.by = None),
            _ => {}
        }
        for row in &mut batch.later {
            self.alter_occurrence(&mut row.occurrence);
        }
    }

    async fn store(&self, mut batch: Enqueue, now: DateTime<Utc>) -> Result<Enqueued> {
        self.alter(&mut batch);
        self.refused(&batch).await?;
        if self.is(&["q23"]) {
            return self.in_parts(batch, now).await;
        }
        let origin = batch.origin.clone();
        let answer = self.inner.enqueue(batch, now).await;
        if self.is(&["o04"]) && !matches!(answer, Ok(Enqueued::Stored { .. })) {
            self.inner.enqueue(nothing(origin), now).await?;
        }
        if let Ok(Enqueued::Stored { deliveries, .. }) = &answer {
            let tokens = deliveries.iter().filter_map(|d| Some((d.id, d.token?)));
            self.notes().tokens.extend(tokens);
        }
        self.notes().failed |= answer.is_err();
        match answer {
            Err(_) if self.is(&["q19"]) => Ok(Enqueued::AlreadyKnown),
            answer => answer,
        }
    }

    /// Refuses a batch that the reference would accept, or would refuse with another error.
    async fn refused(&self, batch: &Enqueue) -> Result<()> {
        if self.is(&["q36"]) && self.notes().failed {
            return Err(StoreError::new(ErrorKind::Unavailable, "the commit"));
        }
        for delivery in batch.deliveries.iter().filter(|_| self.is(&["q50"])) {
            let new = self.notes().names.insert(delivery.message_id.clone());
            if !new {
                return Err(StoreError::new(ErrorKind::Conflict, "message id"));
            }
        }
        for delivery in batch.deliveries.iter().filter(|_| self.is(&["q29"])) {
            if self.inner.webhook(delivery.webhook).await?.is_none() {
                return Err(StoreError::new(ErrorKind::Invalid, "webhook"));
            }
        }
        Ok(())
    }
}

/// Rounds up to the next microsecond; contract and reference cut.
fn rounded_up(due: DateTime<Utc>) -> DateTime<Utc> {
    let beyond = i64::from(due.timestamp_subsec_nanos() % 1_000);
    due + TimeDelta::nanoseconds((1_000 - beyond) % 1_000)
}

fn nothing(origin: Origin) -> Enqueue {
    Enqueue::later(origin, Vec::new())
}

passed_on! { QueueStore {}
    async fn queues(
        &self,
        which: Queues,
        mut limit: u32,
        now: DateTime<Utc>,
    ) -> Result<FoundQueues> {
        let (mut which, mut until) = (which, now);
        let walks = matches!(which, Queues::Beyond(_));
        match (self.fault(), &which) {
            ("q17", Queues::Due(_)) => which = Queues::Due(START),
            ("q43", Queues::Due(_)) => until += TimeDelta::days(1),
            ("q44", Queues::Due(_)) => self.forget_all_rules().await?,
            ("q45", Queues::Of(_)) => (which, limit) = (Queues::Due(START), u32::MAX),
            _ => {}
        }
        let mut found = self.inner.queues(which, limit, until).await?;
        if self.is(&["q46"]) && walks {
            found.more = None;
        }
        if self.is(&["q18"]) {
            found.next_due = Some(now);
        }
        if self.is(&["q47"]) {
            for id in self.webhooks_now().await? {
                let row = self.inner.webhook(id).await?.unwrap();
                found.next_due = found.next_due.filter(|_| row.value.activity == Activity::Active);
            }
        }
        Ok(found)
    }

    async fn enqueue_all(
        &self,
        mut batches: Vec<Enqueue>,
        now: DateTime<Utc>,
    ) -> Vec<Result<Enqueued>> {
        let mut answers = Vec::new();
        if self.is(&["q48"]) {
            batches.reverse();
        }
        for batch in batches {
            answers.push(self.store(batch, now).await);
        }
        if self.is(&["q48"]) {
            answers.reverse();
        }
        answers
    }

    async fn claim(
        &self,
        queues: &[QueueClaim],
        lease_until: DateTime<Utc>,
        mut now: DateTime<Utc>,
    ) -> Result<Vec<Claimed>> {
        if self.is(&["q01"]) {
            now -= TimeDelta::microseconds(1);
        }
        if self.is(&["q14", "q15", "q34", "q42", "q53"]) {
            self.forget_rules(queues[0].queue).await?;
        }
        let mut queues = queues.to_vec();
        if self.is(&["q33"]) {
            let class = QueueClass::Lost;
            let alone = queues.iter().map(|claim| QueueClaim {
                queue: WebhookQueue { class, ..claim.queue },
                ..*claim
            });
            let alone: Vec<_> = alone.collect();
            queues.extend(alone);
        }
        let _turn = self.claims.lock().await;
        let mut claimed = self.inner.claim(&queues, lease_until, now).await?;
        let mut notes = self.notes();
        let tokens = claimed.iter().map(|c| (c.delivery.id, c.token));
        notes.tokens.extend(tokens);
        match self.fault() {
            "q02" => claimed.reverse(),
            "q03" | "q24" if claimed.is_empty() => claimed.clone_from(&notes.given),
            "q31" => claimed.iter_mut().for_each(|c| c.revision = Revision::FIRST),
            _ => {}
        }
        notes.given.clone_from(&claimed);
        Ok(claimed)
    }

    async fn settle(
        &self,
        mut settlements: Vec<Settlement>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Settled>> {
        if self.is(&["q16"]) {
            self.inner.reclaim(u32::MAX, now).await?;
        }
        for s in &mut settlements {
            match (self.fault(), &s.disposition) {
                ("q07", Disposition::Retry { due }) => {
                    s.disposition = Disposition::Release { due: *due };
                    s.attempt = None;
                }
                ("q33-untried", Disposition::Retry { due }) if s.attempt.is_none() => {
                    s.disposition = Disposition::Release { due: *due };
                }
                ("q49", Disposition::Release { .. }) => s.disposition = Disposition::Sent,
                ("q08", Disposition::Release { .. }) => s.disposition = Disposition::Failed,
                ("q30", _) => s.claim.token = self.notes().tokens[&s.claim.delivery],
                ("l14", _) => s.keep_message = true,
                ("l15", _) => s.attempt.iter_mut().for_each(|a| a.kept = true),
                _ => {}
            }
        }
        let ids: Vec<_> = settlements.iter().map(|s| s.claim.delivery).collect();
        let is_release = |s: &Settlement| matches!(s.disposition, Disposition::Release { .. });
        let tokens = settlements.iter().map(|s| (s.claim.token, is_release(s)));
        let tokens: Vec<_> = tokens.collect();
        let mut answers = self.inner.settle(settlements, now).await?;
        if self.is(&["q37"]) {
            let later = now + TimeDelta::days(1);
            self.inner.reclaim(u32::MAX, later).await?;
        }
        if self.is(&["q40"]) && answers.contains(&Settled::Stale) {
            return Err(StoreError::new(ErrorKind::Unavailable, "the batch"));
        }
        for (answer, id) in answers.iter_mut().zip(ids) {
            let cancelled = self.inner.delivery(id).await?;
            if self.is(&["q38-cancelled"])
                && cancelled.is_some_and(|delivery| delivery.status_info == "enough")
            {
                *answer = Settled::Done;
            }
        }
        let mut notes = self.notes();
        if self.is(&["q52"]) && tokens.iter().any(|(token, _)| notes.settled.contains(token)) {
            return Err(StoreError::new(ErrorKind::Corrupt, "settled before"));
        }
        for (answer, (token, released)) in answers.iter_mut().zip(tokens) {
            if self.is(&["q38"]) && notes.settled.contains(&token) {
                *answer = Settled::Done;
            }
            if self.is(&["q39"]) && notes.settled.contains(&token) && released {
                *answer = Settled::Stale;
            }
            if self.is(&["q05"]) {
                *answer = Settled::Done;
            }
            if self.is(&["q06"]) && notes.settled.contains(&token) {
                *answer = Settled::Stale;
            }
            notes.settled.push(token);
        }
        Ok(answers)
    }

    async fn reclaim(&self, limit: u32, now: DateTime<Utc>) -> Result<Reclaimed> {
        if self.is(&["q09"]) {
            return Ok(Reclaimed::default());
        }
        let early = TimeDelta::seconds(if self.is(&["q04"]) { 5 } else { 0 });
        let mut back = self.inner.reclaim(limit, now + early).await?;
        back.requeued += u64::from(self.is(&["q51"]));
        Ok(back)
    }

    async fn work_arrived(&self) -> Arrived {
        self.inner.work_arrived().await
    }
}
