//! Tells owners of their webhooks' troubles, one after the other, apart from deliveries: what it
//! costs, no delivery waits for.

use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use gatepost_storage::webhooks::DeliveryState;
use gatepost_storage::{ErrorKind, Row, StoreError};
use tokio::time::Instant;
use webhook_model::{Activity, Webhook, WebhookId};

use super::looks;
use super::occurrences::About;
use crate::core::Core;
use crate::emit::{Emitted, Emitter};
use crate::error::EngineError;
use crate::guard::guarded;
use crate::settle::{counted_since, last_sent};
use crate::troubles::{Look, Told, Troubles};

/// How often is looked for what has become due.
const TICK: Duration = Duration::from_secs(1);
/// How often an owner is notified that a webhook is failing, and of what was given up.
const QUIET: TimeDelta = TimeDelta::hours(1);
/// A webhook that is failing may be sent by other processes too: it is looked whether it has
/// recovered, first after this time, and then after half of the time for which it fails.
const FIRST_LOOK: TimeDelta = TimeDelta::minutes(1);
/// At the latest after this time.
const LAST_LOOK: TimeDelta = TimeDelta::hours(1);
/// How far back the last success before a trouble is searched: longer than ids of occurrences are
/// kept, which say it.
const BACK: TimeDelta = TimeDelta::hours(1_000);
/// Webhooks whose rows are read at a time.
const AT_ONCE: usize = 100;

#[derive(Debug)]
pub(crate) struct Announcer {
    pub core: Arc<Core>,
    pub emitter: Arc<Emitter>,
    pub troubles: Arc<Troubles>,
}

impl Announcer {
    /// Tells what there is to tell, until the engine stops.
    pub(crate) async fn run(self: Arc<Self>) {
        if let Err(error) = self.recall().await {
            guarded(|| tracing::warn!(%error, "does not know which webhooks were failing"));
        }
        while self.core.lifecycle.is_running() {
            let began = Instant::now();
            let told = self.tell_one().await;
            // At most half of the time, a look that finds nothing to tell among many included.
            self.core.lifecycle.rest(began.elapsed()).await;
            if told {
                continue;
            }
            tokio::select! {
                biased;
                () = self.troubles.news() => {}
                () = self.core.lifecycle.rest(TICK) => {}
            }
        }
    }

    /// Tells all that is due now, when the engine has stopped.
    pub(crate) async fn flush(&self) {
        while self.troubles.are_told() && self.tell_one().await {}
    }

    /// Webhooks that failed before this process began: owners who learnt of that learn when they
    /// recover.
    async fn recall(&self) -> Result<(), StoreError> {
        let failing = looks::failing(&*self.core.store, self.core.clock.now()?).await?;
        for some in failing.chunks(AT_ONCE) {
            if !self.core.lifecycle.is_running() {
                break;
            }
            let began = Instant::now();
            let ids: Vec<WebhookId> = some.iter().map(|count| count.webhook).collect();
            for row in self.core.store.webhooks(&ids).await? {
                let since = some.iter().find(|count| count.webhook == row.id);
                let since = since.map(|count| count.hour).unwrap_or_default();
                if let Err(error) = self.recall_one(&row, since).await {
                    let webhook = row.id.0;
                    guarded(|| tracing::warn!(webhook, %error, "not known whether it was failing"));
                }
            }
            self.core.lifecycle.rest(began.elapsed()).await;
        }
        Ok(())
    }

    /// A process that died before it told of it leaves that to this one.
    async fn recall_one(
        &self,
        row: &Row<WebhookId, Webhook>,
        since: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let failed = looks::newest(&*self.core.store, row.id, DeliveryState::Error).await?;
        let failed = failed.filter(|failed| !self.troubles.made(failed.cause.as_ref()));
        let (Some(failed), Activity::Active) = (failed, row.value.activity) else {
            return Ok(());
        };
        let sent = self.last_sent(row.id, None).await?;
        if sent >= Some(since) {
            // A process has delivered to it meanwhile.
            return Ok(());
        }
        let about = About::Failing {
            sent,
            reason: &failed.status_info,
            since,
        };
        self.say(about, row).await?;
        let look = self.core.clock.now()?;
        let told = Told { sent, since, look };
        self.troubles.recall(row.id, row.owner, told);
        Ok(())
    }

    /// Whether there was something to look at.
    async fn tell_one(&self) -> bool {
        let Ok(now) = self.core.clock.now() else {
            return false;
        };
        let Some(look) = self.troubles.next(now) else {
            return false;
        };
        if let Err(error) = self.tell(&look, now).await {
            let webhook = look.webhook.0;
            guarded(|| tracing::warn!(webhook, %error, "could not tell of a webhook's trouble"));
        }
        true
    }

    /// What fails is tried again when it is due again.
    async fn tell(&self, look: &Look, now: DateTime<Utc>) -> Result<(), EngineError> {
        let row = match self.core.store.webhook(look.webhook).await {
            Err(error) if error.kind() == ErrorKind::Corrupt => None,
            row => row?,
        };
        let Some(row) = row else {
            self.troubles.forget(look.webhook);
            return Ok(());
        };
        self.tell_disabled(look, &row).await?;
        if look.is_exhausted {
            self.tell_exhausted(look, &row, now).await?;
        }
        if look.is_rejected {
            self.tell_rejected(look, &row, now).await?;
        }
        match look.trouble.told {
            Some(told) => self.tell_recovered(look, told, &row, now).await?,
            None if look.is_failing => self.tell_failing(look, &row, now).await?,
            None => {}
        }
        self.troubles.looked_at(look.webhook);
        Ok(())
    }

    async fn tell_disabled(
        &self,
        look: &Look,
        row: &Row<WebhookId, Webhook>,
    ) -> Result<(), EngineError> {
        let Some((revision, reason)) = look.trouble.disabled else {
            return Ok(());
        };
        self.say(About::Disabled { revision, reason }, row).await?;
        self.troubles.change(look.webhook, |trouble| {
            if trouble.disabled.is_some_and(|(told, _)| told == revision) {
                trouble.disabled = None;
            }
        });
        Ok(())
    }

    async fn tell_exhausted(
        &self,
        look: &Look,
        row: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let (count, reason) = (look.trouble.given_up, &*look.trouble.reason);
        let hour = now.duration_trunc(QUIET).unwrap_or(now);
        let about = About::Exhausted {
            hour,
            reason,
            count,
        };
        let told = self.say(about, row).await?;
        self.troubles.change(look.webhook, |trouble| {
            trouble.next_exhausted = hour + QUIET;
            if told {
                trouble.given_up = trouble.given_up.saturating_sub(count);
            }
        });
        Ok(())
    }

    /// If the quota has no room for this either, the next hour's notice includes it.
    async fn tell_rejected(
        &self,
        look: &Look,
        row: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let Some((count, reason)) = look.trouble.rejected else {
            return Ok(());
        };
        let hour = now.duration_trunc(QUIET).unwrap_or(now);
        let about = About::Rejected {
            hour,
            reason,
            count,
        };
        let emitted = self.emit(about, row).await?;
        let is_lost = emitted.dropped > 0 && emitted.deliveries.is_empty();
        self.troubles.change(look.webhook, |trouble| {
            trouble.next_rejected = hour + QUIET;
            if !emitted.repeated && !is_lost {
                let left = trouble
                    .rejected
                    .map(|(now, why)| (now - count.min(now), why));
                trouble.rejected = left.filter(|(left, _)| *left > 0);
            }
        });
        Ok(())
    }

    async fn tell_failing(
        &self,
        look: &Look,
        row: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        let trouble = &look.trouble;
        if row.value.activity != Activity::Active {
            self.troubles.change(row.id, |trouble| {
                (trouble.since, trouble.gave_up) = (None, false);
            });
            return Ok(());
        }
        let sent = self.last_sent(row.id, None).await?;
        let since = trouble.since.unwrap_or(now);
        if let Some(at) = sent.filter(|sent| *sent > since) {
            // Another process has delivered to it meanwhile.
            self.troubles.change(row.id, |trouble| trouble.received(at));
            return Ok(());
        }
        let about = About::Failing {
            sent,
            reason: &trouble.reason,
            since,
        };
        self.say(about, row).await?;
        self.troubles.change(row.id, |trouble| {
            trouble.told = Some(Told {
                sent,
                since,
                // What was received since is looked for at once.
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
        look: &Look,
        told: Told,
        row: &Row<WebhookId, Webhook>,
        now: DateTime<Utc>,
    ) -> Result<(), EngineError> {
        // What this process has delivered is counted a little later.
        let counted = self.last_sent(row.id, Some(told.since)).await?;
        let sent = look.trouble.sent.max(counted);
        let recovered = sent > told.sent && sent >= Some(told.since);
        if recovered {
            let (sent, since) = (told.sent, told.since);
            self.say(About::Recovered { sent, since }, row).await?;
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

    /// When the last attempt began that the target accepted, whichever process made it; of those
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

    /// `false`: it was said before, by this or another process.
    async fn say(
        &self,
        about: About<'_>,
        row: &Row<WebhookId, Webhook>,
    ) -> Result<bool, EngineError> {
        Ok(!self.emit(about, row).await?.repeated)
    }

    async fn emit(
        &self,
        about: About<'_>,
        row: &Row<WebhookId, Webhook>,
    ) -> Result<Emitted, EngineError> {
        let occurrence = about.of(row)?;
        let all = Emitter::all();
        Ok(self.emitter.emit_detached(occurrence, all).await?)
    }
}
