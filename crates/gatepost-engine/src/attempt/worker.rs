//! Sends what was claimed and settles the claim.
//!
//! Between the response and the settlement nothing may panic, or the same delivery would be sent
//! again when its lease ends: metrics and logs are written under a guard (`crate::guard`), a clock
//! that cannot be read is an error, and the settlement itself waits until it is recorded.

use std::pin::pin;
use std::sync::Arc;

use delivery::Attempt;
use gatepost_storage::webhooks::{Disposition, Settled, Settlement};

use super::job::Job;
use super::outcome;
use super::redact::Credentials;
use super::retries::RetryPlan;
use super::watch::Watch;
use crate::admission::Admission;
use crate::clock::EngineClock;
use crate::error::ClockError;
use crate::guard::{GuardedSpan, guarded};
use crate::lifecycle::Lifecycle;
use crate::meter;
use crate::routes::{Route, Routes};
use crate::settle::Settler;
use crate::transport::Transport;

#[derive(Debug)]
pub(crate) struct Worker {
    pub transport: Arc<dyn Transport>,
    pub settler: Settler,
    pub routes: Arc<Routes>,
    pub retries: RetryPlan,
    pub watch: Watch,
    pub admission: Arc<Admission>,
    pub clock: Arc<EngineClock>,
    pub lifecycle: Lifecycle,
}

impl Worker {
    /// Whether new work may be begun. Not while nothing can be recorded: what is sent and not
    /// recorded would be sent again and again.
    pub(crate) fn is_ready(&self) -> bool {
        self.lifecycle.is_running() && !self.settler.is_failing()
    }

    /// Sends in a task of its own.
    pub(crate) fn start(self: &Arc<Self>, job: Job) {
        let span = GuardedSpan::new(|| {
            tracing::info_span!(
                "delivery",
                id = job.claim.delivery.0,
                webhook = job.webhook.0,
                attempt = job.attempts + 1
            )
        });
        let worker = self.clone();
        self.lifecycle
            .spawn(async move { span.run(pin!(worker.run(job))).await });
    }

    async fn run(self: Arc<Self>, mut job: Job) {
        if let Some(turn) = job.turn {
            tokio::select! {
                () = tokio::time::sleep_until(turn) => {}
                () = self.lifecycle.aborted() => {}
            }
        }
        let route = self.routes.last().webhook(job.webhook).cloned();
        let settlement = match route {
            // Deleted: so are its deliveries, and there is nothing to record.
            None => return,
            Some(route) if !route.is_active() || self.lifecycle.is_aborted() => job.given_back(),
            Some(route) => tokio::select! {
                // First the attempt: a response that has come is not given up.
                biased;
                attempt = self.attempt(&route, &job) => match attempt {
                    Ok(attempt) => self.conclude(&route, &mut job, &attempt),
                    Err(ClockError) => job.given_back(),
                },
                () = self.lifecycle.aborted() => job.given_back(),
            },
        };
        self.settle(settlement).await;
        drop(job);
        self.admission.lanes.wake();
    }

    /// An error: nothing was sent.
    async fn attempt(&self, route: &Route, job: &Job) -> Result<Attempt, ClockError> {
        let now = self.clock.now()?;
        Ok(match route.request(&job.message_id, &job.body) {
            Ok(request) => self.transport.send(&request, now).await,
            Err(class) => Attempt::unsent(class, now),
        })
    }

    fn conclude(&self, route: &Route, job: &mut Job, attempt: &Attempt) -> Settlement {
        job.permit.feedback = outcome::feedback(attempt);
        self.watch.note(route, attempt);
        Settlement {
            claim: job.claim,
            disposition: self.retries.after(attempt, job.attempts + 1, route),
            status_info: attempt.status_info(),
            attempt: Some(outcome::record(attempt, &Credentials::of(&route.webhook))),
        }
    }

    async fn settle(&self, settlement: Settlement) {
        let retry_at = match settlement.disposition {
            Disposition::Retry { due } | Disposition::Release { due } => Some(due),
            Disposition::Sent | Disposition::Failed => None,
        };
        match self.settler.settle(settlement).await {
            Some(Settled::Done) => {}
            Some(Settled::Stale) => {
                meter::stale_settlement();
                guarded(|| {
                    tracing::warn!("the claim was lost; another worker has the delivery");
                });
            }
            None => {
                guarded(|| {
                    tracing::error!(
                        "the outcome was not recorded; the delivery comes back when its lease ends"
                    );
                });
            }
        }
        self.admission.lanes.retry_at(retry_at);
    }
}
