//! Notifies owners of their webhooks' troubles, one after the other, independently of deliveries:
//! no delivery waits for it.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState, WebhookRow};
use gatepost_storage::{Bodies, ErrorKind, Page, StoreError};
use tokio::time::Instant;
use webhook_model::{Activity, WebhookId};

use super::occurrences::About;
use super::trouble_search;
use crate::core::Core;
use crate::emit::{Emitted, Emitter};
use crate::error::EngineError;
use crate::guard::guarded;
use crate::settle::{counted_since, last_sent};
use crate::troubles::{Told, Trouble, Troubles};

/// The interval at which due notices are looked for.
const TICK: Duration = Duration::from_secs(1);
/// The interval between two notices to an owner that a webhook is failing, and about exhausted
/// deliveries.
const QUIET: TimeDelta = TimeDelta::hours(1);
/// The time until the first check whether a failing webhook has recovered through other processes.
/// Later checks come after half of the time for which it fails.
const FIRST_LOOK: TimeDelta = TimeDelta::minutes(1);
/// The longest time between two checks.
const LAST_LOOK: TimeDelta = TimeDelta::hours(1);
/// How far back the last success before a trouble is searched: longer than the ids of occurrences
/// that contain it are kept.
const BACK: TimeDelta = TimeDelta::hours(1_000);

#[derive(Debug)]
pub(crate) struct Announcer {
    pub core: Arc<Core>,
    pub emitter: Arc<Emitter>,
    pub troubles: Arc<Troubles>,
}

impl Announcer {
    /// Sends due notices, until the engine stops.
    pub(crate) async fn run(self: Arc<Self>) {
        if let Err(error) = self.recall().await {
            guarded(|| tracing::warn!(%error, "does not know which webhooks were failing"));
        }
        while self.core.lifecycle.is_running() {
            let began = Instant::now();
            let pause = match self.tell_one().await {
                true => Duration::ZERO,
                false => TICK,
            };
            // At most half of the time, including looks that find no notice among many.
            self.core.lifecycle.rest(pause.max(began.elapsed())).await;
        }
    }

    /// Sends all due notices, when the engine has stopped.
    pub(crate) async fn flush(&self) {
        while self.troubles.are_told() && self.tell_one().await {}
    }

    /// Restores webhooks that failed before this process began: owners who were notified of that
    /// are notified when they recover.
    async fn recall(&self) -> Result<(), StoreError> {
        let failing = trouble_search::failing(&*self.core.store, self.core.clock.now()?).await?;
        for count in failing {
            if !self.core.lifecycle.is_running() {
                break;
            }
            let began = Instant::now();
            if let Err(error) = self.recall_one(count.webhook, count.hour).await {
                let webhook = count.webhook.0;
                guarded(|| tracing::warn!(webhook, %error, "not known whether it was failing"));
            }
            self.core.lifecycle.rest(began.elapsed()).await;
        }
        Ok(())
    }

    /// Takes over a notice that a process died before giving.
    async fn recall_one(
        &self,
        webhook: WebhookId,
        since: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let row = self.webhook(webhook).await?;
        let Some(row) = row.filter(|row| row.value.activity == Activity::Active) else {
            return Ok(());
        };
        let query = DeliveryQuery {
            webhook: Some(webhook),
            states: vec![DeliveryState::Error],
            ..DeliveryQuery::all(Page::newest(1).with_bodies(Bodies::Omitted))
        };
        let newest = self.core.store.list_deliveries(&query).await?.pop();
        let Some(failed) = newest.filter(|failed| !self.troubles.made(failed.cause.as_ref()))
        else {
            return Ok(());
        };
        let sent = self.last_sent(webhook, None).await?;
        if sent >= Some(since) {
            // A process has delivered to it.
            return Ok(());
        }
        let about = About::failing(sent, &failed.status_info, since);
        self.emit(about, &row).await?;
        let look = self.core.clock.now()?;
        let told = Told { sent, since, look };
        self.troubles.recall(webhook, row.owner, told);
        Ok(())
    }

    /// Returns whether there was a webhook to check.
    async fn tell_one(&self) -> bool {
        let Ok(now) = self.core.clock.now() else {
            return false;
        };
        let Some((webhook, trouble)) = self.troubles.next(now) else {
            return false;
        };
        if let Err(error) = self.tell(webhook, &trouble, now).await {
            let webhook = webhook.0;
            guarded(|| tracing::warn!(webhook, %error, "could not announce a webhook's trouble"));
        }
        true
    }

    /// Sends a notice. If it fails, it is tried again when it is next due.
    async fn tell(
        &self,
        webhook: WebhookId,
        trouble: &Trouble,
        now: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let Some(row) = self.webhook(webhook).await? else {
            self.troubles.forget(webhook);
            return Ok(());
        };
        if let Some((revision, reason)) = trouble.disabled {
            self.emit(About::disabled(revision, reason), &row).await?;
            self.troubles.change(row.id, |trouble| {
                trouble.disabled = trouble.disabled.filter(|(now, _)| *now != revision);
            });
        }
        self.tell_counted(trouble, &row, now).await?;
        match trouble.told {
            Some(told) => self.tell_recovered(told, trouble, &row, now).await?,
            None if trouble.is_failing(now) => self.tell_failing(trouble, &row, now).await?,
            None => {}
        }
        self.troubles.looked_at(webhook);
        Ok(())
    }

    /// Returns a webhook, if it can be read.
    async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookRow>, StoreError> {
        match self.core.store.webhook(id).await {
            Err(error) if error.kind() == ErrorKind::Corrupt => Ok(None),
            row => row,
        }
    }

    async fn tell_counted(
        &self,
        trouble: &Trouble,
        row: &WebhookRow,
        now: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let hour = now.duration_trunc(QUIET).unwrap_or(now);
        let exhausted = ("exhausted", &*trouble.reason, trouble.exhausted);
        let rejected = ("rejected", trouble.limit, trouble.rejected);
        for (event, reason, unsaid) in [exhausted, rejected] {
            if !unsaid.is_due(now) {
                continue;
            }
            let about = About::counted(event, hour, reason, unsaid.count);
            let emitted = self.emit(about, row).await?;
            // If the quota does not allow this one either, the next hour's notice includes it.
            let is_lost = emitted.rejected > 0 && emitted.deliveries.is_empty();
            self.troubles.change(row.id, |trouble| {
                let left = match event {
                    "exhausted" => &mut trouble.exhausted,
                    _ => &mut trouble.rejected,
                };
                left.next = hour + QUIET;
                if !emitted.repeated && !is_lost {
                    left.count = left.count.saturating_sub(unsaid.count);
                }
            });
        }
        Ok(())
    }

    async fn tell_failing(
        &self,
        trouble: &Trouble,
        row: &WebhookRow,
        now: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        if row.value.activity != Activity::Active {
            self.troubles.change(row.id, |trouble| {
                (trouble.since, trouble.gave_up) = (None, false);
            });
            return Ok(());
        }
        let sent = self.last_sent(row.id, None).await?;
        let since = trouble.since.unwrap_or(now);
        if let Some(at) = sent.filter(|sent| *sent > since) {
            // Another process has delivered to it since.
            self.troubles.change(row.id, |trouble| trouble.received(at));
            return Ok(());
        }
        let about = About::failing(sent, &trouble.reason, since);
        self.emit(about, row).await?;
        self.troubles.change(row.id, |trouble| {
            trouble.told = Some(Told {
                sent,
                since,
                // Later successes are looked for immediately.
                look: match trouble.since {
                    Some(_) => now + FIRST_LOOK,
                    None => now,
                },
            });
            trouble.next_failing = now + QUIET;
        });
        Ok(())
    }

    async fn tell_recovered(
        &self,
        told: Told,
        trouble: &Trouble,
        row: &WebhookRow,
        now: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        // Deliveries of this process are counted a little later.
        let counted = self.last_sent(row.id, Some(told.since)).await?;
        let sent = trouble.sent.max(counted);
        let recovered = sent > told.sent && sent >= Some(told.since);
        if recovered {
            let about = About::recovered(told.sent, told.since);
            self.emit(about, row).await?;
        }
        let pause = ((now - told.since) / 2).clamp(FIRST_LOOK, LAST_LOOK);
        self.troubles.change(row.id, |trouble| {
            trouble.told = trouble.told.filter(|_| !recovered).map(|told| Told {
                look: now + pause,
                ..told
            });
        });
        Ok(())
    }

    /// Returns when the last attempt began that the target accepted, in whichever process; of those
    /// since `from`, if it is given.
    async fn last_sent(
        &self,
        webhook: WebhookId,
        from: Option<DateTime<Utc>>,
    ) -> Result<Option<DateTime<Utc>>, EngineError> {
        let now = self.core.clock.now()?;
        let from = from.unwrap_or(now - BACK);
        let counts = counted_since(&*self.core.store, webhook, from, now);
        Ok(last_sent(&counts.await?))
    }

    async fn emit(&self, about: About, row: &WebhookRow) -> Result<Emitted, EngineError> {
        let occurrence = about.of(row)?;
        let emitted = self.emitter.emit_detached(occurrence, Emitter::all());
        Ok(emitted.await?)
    }
}
