//! One claim: one attempt, one settlement.

mod echo;
mod outcome;
mod request;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use delivery::Attempt;
use gatepost_storage::webhooks::{Claim, Disposition, MessageId, Settled, Settlement};
pub(crate) use request::{prototype, request};
use tokio::time::Instant;
use tracing::Instrument;
use webhook_model::WebhookId;

use crate::dispatch::Permit;
use crate::engine::Inner;
use crate::routes::Route;

/// A claimed delivery that is to be sent now.
#[derive(Debug)]
pub(crate) struct Job {
    pub claim: Claim,
    pub message_id: MessageId,
    pub webhook: WebhookId,
    pub body: Arc<str>,
    /// Attempts made before this one.
    pub attempts: u32,
    /// What is known of the last attempt: kept if this claim is given back.
    pub status_info: String,
    pub permit: Permit,
    /// Not before this: a retry has its turn.
    pub turn: Option<Instant>,
}

impl Inner {
    /// Sends in a task of its own.
    pub(crate) fn start(self: &Arc<Self>, job: Job) {
        let span = tracing::info_span!(
            "delivery",
            id = job.claim.delivery.0,
            webhook = job.webhook.0,
            attempt = job.attempts + 1
        );
        let inner = self.clone();
        tokio::spawn(async move { inner.run(job).await }.instrument(span));
    }

    async fn run(self: Arc<Self>, mut job: Job) {
        if let Some(turn) = job.turn {
            tokio::select! {
                () = tokio::time::sleep_until(turn) => {}
                () = self.out_of_time() => {}
            }
        }
        let route = self.routes.last().webhook(job.webhook).cloned();
        let settlement = match route {
            // Deleted meanwhile: its deliveries are gone as well, and there is nothing to record.
            None => return,
            Some(route) if !route.is_active() => self.give_back(&job, self.now()),
            Some(route) => tokio::select! {
                attempt = self.attempt(&route, &job) => {
                    job.permit.feedback = outcome::feedback(&attempt);
                    self.judge(&route, &attempt);
                    self.conclude(&route, &job, &attempt)
                }
                () = self.out_of_time() => self.give_back(&job, self.now()),
            },
        };
        let retry_at = match settlement.verdict {
            Disposition::Retry { due } | Disposition::Release { due } => Some(due),
            Disposition::Sent | Disposition::Failed => None,
        };
        match self.settle.settle(settlement).await {
            Some(Settled::Done) => {}
            Some(Settled::Stale) => {
                metrics::counter!("gatepost_stale_settlements_total").increment(1);
                tracing::warn!("the claim was lost; another worker has the delivery");
            }
            None => tracing::error!(
                "the outcome was not recorded; the delivery comes back when its lease ends"
            ),
        }
        self.lanes.retry_at(retry_at);
        drop(job);
        self.lanes.wake();
    }

    async fn attempt(&self, route: &Route, job: &Job) -> Attempt {
        let now = self.now();
        match request(route, &job.message_id, &job.body) {
            Ok(request) => self.sender.send(&request, now).await,
            Err(class) => Attempt::unsent(class, now),
        }
    }

    /// Whether the attempt was the last one, and when the next is due if it was not.
    fn conclude(&self, route: &Route, job: &Job, attempt: &Attempt) -> Settlement {
        let made = job.attempts + 1;
        let policy = delivery::RetryPolicy::new(route.webhook.retries.get())
            .with_schedule(self.schedule.clone());
        let verdict = if attempt.is_success() {
            Disposition::Sent
        } else {
            match self
                .random
                .with(|rng| policy.next_delay(made, attempt.retryable(), rng))
            {
                None => Disposition::Failed,
                Some(delay) => Disposition::Retry {
                    due: self.now() + delay,
                },
            }
        };
        let class = attempt.error().map_or("ok", delivery::ErrorClass::code);
        metrics::counter!("gatepost_attempts_total", "class" => class).increment(1);
        metrics::histogram!("gatepost_attempt_seconds").record(attempt.duration.as_secs_f64());
        self.tally.count(attempt.is_success());
        tracing::debug!(class, "attempt made");
        Settlement {
            claim: job.claim,
            verdict,
            status_info: attempt.status_info(),
            attempt: Some(outcome::record(
                attempt,
                &echo::Credentials::of(&route.webhook),
            )),
        }
    }

    fn give_back(&self, job: &Job, due: DateTime<Utc>) -> Settlement {
        Settlement {
            claim: job.claim,
            verdict: Disposition::Release { due },
            status_info: job.status_info.clone(),
            attempt: None,
        }
    }
}
