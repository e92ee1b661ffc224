//! Sends claimed deliveries and settles their claims.
//!
//! Nothing may panic between the response and the settlement, or the same delivery would be sent
//! again when its lease ends: metrics and logs are written under a guard (`crate::guard`), a clock
//! that cannot be read is an error, and the settlement itself waits until it is recorded. If a job
//! panics all the same, its claim is lost, which is counted and logged with its owner: the delivery
//! is quarantined, and after three such losses it ends.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use chrono::{DateTime, Utc};
use delivery::{Attempt, ErrorClass, Request};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{
    AttemptRecord, Disposition, QueueClass, Settled, Settlement, WebhookQueue,
};
use tokio::time::Instant;
use tracing::Span;
use tracing::field::Empty;
use webhook_model::{OwnerId, TraceState};

use super::authorization::{Sent, send};
use super::evaluation::Watch;
use super::job::{Job, Outgoing};
use super::outcome;
use super::retries::RetryPlan;
use crate::admission::Admission;
use crate::core::Core;
use crate::guard::{GuardedSpan, guarded};
use crate::meter;
use crate::routes::Route;
use crate::scheduler::{Outcome, SLOW};
use crate::settle::{Settler, counted};
use crate::transport::Transport;

/// How long deliveries wait if their owner's account is not enabled or its status is unknown,
/// before it is asked for again.
pub(crate) const REST: Duration = Duration::from_secs(5);
/// The time after which a claim with too short a remaining lease is tried again.
const TOO_LATE: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub(crate) struct Worker {
    pub transport: Arc<dyn Transport>,
    pub settler: Settler,
    pub core: Arc<Core>,
    pub retries: RetryPlan,
    pub watch: Watch,
    pub admission: Arc<Admission>,
}

/// The result of a job.
enum TriedAttempt {
    /// An attempt was made, with its outcome for the target, and its duration.
    Made(Box<Sent>, Outcome, Duration),
    /// The owner's deliveries must wait.
    Rests,
    /// The clock cannot be read: nothing was sent.
    NoClock,
    /// The request could outlast the lease: another process might then send it, and the next ones.
    TooLate,
}

impl Worker {
    /// Whether new work may be begun. Not while outcomes cannot be recorded: deliveries would be
    /// sent repeatedly. Nor while the clock is wrong, or many outcomes wait to be recorded.
    pub(crate) fn is_ready(&self) -> bool {
        self.core.lifecycle.is_running()
            && !self.settler.is_failing()
            && !self.settler.is_full()
            && self.core.clock.is_right()
    }

    /// Sends in a separate task.
    pub(crate) fn start(self: &Arc<Self>, mut job: Job) {
        let span = GuardedSpan::new(|| {
            // Not a child of the caller's span, which need not outlive its request for this.
            tracing::info_span!(
                parent: None,
                "delivery",
                id = job.claim.delivery.0,
                webhook = job.route.id.0,
                owner = %job.route.webhook.owner,
                attempt = job.attempts + 1,
                otel.kind = Empty,
                trace_id = Empty,
                span_id = Empty,
                otel.status_code = Empty,
                http.response.status_code = Empty
            )
        });
        let trace = job.message.trace.take();
        job.message.trace = self.watch.traces.begin(&span, trace);
        let worker = self.clone();
        let (owner, place) = (job.route.webhook.owner, job.permit.place());
        self.core.lifecycle.spawn(async move {
            let mut run = pin!(worker.run(job));
            let run = pin!(poll_fn(|context| {
                let polled = guarded(|| run.as_mut().poll(context));
                polled.map_or(Poll::Ready(None), |polled| polled.map(Some))
            }));
            if span.run(run).await.is_none() {
                meter::job_panic();
                guarded(|| tracing::error!(%owner, %place, "a delivery's job panicked"));
            }
        });
    }

    /// Gives a claim back without an attempt.
    pub(crate) fn give_back(self: &Arc<Self>, job: Job) {
        let worker = self.clone();
        self.core
            .lifecycle
            .spawn(async move { worker.end(&job, worker.given_back(&job)).await });
    }

    /// Returns the settlement that makes it due immediately, so that other processes find it; due
    /// as of the claim if the clock cannot be read, which is a reason to give back.
    fn given_back(&self, job: &Job) -> Settlement {
        job.given_back_until(self.core.clock.now().unwrap_or(job.claimed))
    }

    async fn run(self: Arc<Self>, mut job: Job) {
        let settlement = if !job.route.sends() || self.core.lifecycle.is_aborted() {
            self.given_back(&job)
        } else {
            tokio::select! {
                // The attempt is polled first: a response that has arrived is not given up.
                biased;
                tried = self.attempt(&mut job) => self.conclude(&mut job, tried),
                () = self.core.lifecycle.aborted() => self.given_back(&job),
            }
        };
        if !job.is_one_at_a_time() {
            job.permit.over();
        }
        self.end(&job, settlement).await;
    }

    /// Makes the attempt. After two seconds the request counts among the slow, whether the target
    /// or the platform's answer about the owner is late.
    async fn attempt(&self, job: &mut Job) -> TriedAttempt {
        let place = job.permit.place();
        let (message, lease_until) = (job.message.clone(), job.lease_until);
        let mut send = pin!(self.send(job.route.clone(), place, message, lease_until));
        tokio::select! {
            biased;
            tried = &mut send => return tried,
            () = tokio::time::sleep(SLOW) => job.permit.became_slow(),
        }
        send.await
    }

    async fn send(
        &self,
        route: Arc<Route>,
        place: Realm,
        message: Outgoing,
        lease_until: DateTime<Utc>,
    ) -> TriedAttempt {
        if !self.is_in_good_standing(route.webhook.owner, place).await {
            return TriedAttempt::Rests;
        }
        let Ok(now) = self.core.clock.now() else {
            return TriedAttempt::NoClock;
        };
        if now + route.webhook.timeout.as_duration() > lease_until {
            return TriedAttempt::TooLate;
        }
        let began = Instant::now();
        let request = route.request(&message.id, &message.body);
        let sent = match request.and_then(|request| traced(request, &message)) {
            Ok(request) => send(&*self.transport, &route, request, now).await,
            Err(class) => Sent {
                attempt: Attempt::unsent(class, now),
                tokens: Vec::new(),
            },
        };
        let outcome = outcome::of(&sent.attempt);
        TriedAttempt::Made(Box::new(sent), outcome, began.elapsed())
    }

    async fn is_in_good_standing(&self, owner: OwnerId, place: Realm) -> bool {
        let access = &self.core.access;
        match access.good_standing(owner, place) {
            Some(known) => known,
            None => access.standing(owner, place).await.unwrap_or(false),
        }
    }

    fn conclude(&self, job: &mut Job, tried: TriedAttempt) -> Settlement {
        let (Sent { attempt, tokens }, outcome, took) = match tried {
            TriedAttempt::Made(sent, outcome, took) => (*sent, outcome, took),
            TriedAttempt::NoClock => return self.given_back(job),
            TriedAttempt::TooLate => {
                guarded(|| tracing::warn!("not enough of the lease is left for a request"));
                let now = self.core.clock.now().unwrap_or(job.claimed);
                return job.given_back_until(now + TOO_LATE);
            }
            TriedAttempt::Rests => {
                self.admission.rest(job.route.id, REST);
                return job.given_back_until(job.claimed + REST);
            }
        };
        job.permit.learnt(outcome, took);
        self.watch.note(&job.route, &attempt);
        guarded(|| mark(&Span::current(), &attempt));
        let credentials = job.route.credentials.with(&tokens);
        let mut record = outcome::record(&attempt, &credentials);
        // The clock may have been set back in between.
        let now = self.core.clock.now();
        record.started = now.map_or(record.started, |now| record.started.min(now));
        let is_full = self.core.access.log_is_full(job.route.webhook.owner);
        if is_full {
            outcome::forget_exchange(&mut record);
        }
        Settlement {
            claim: job.claim,
            disposition: self.retries.after(&attempt, job.tries + 1, &job.route),
            status_info: attempt.status_info(),
            attempt: Some(record),
            keep_message: !is_full,
        }
    }

    /// Records how a claim ends.
    async fn end(&self, job: &Job, settlement: Settlement) {
        let owner = job.route.webhook.owner;
        let (state, retry_at) = settlement.disposition.state_and_due();
        let log_bytes = settlement
            .attempt
            .as_ref()
            .map_or(0, AttemptRecord::kept_bytes);
        let class = match settlement.disposition {
            Disposition::Retry { .. } => QueueClass::Retry,
            _ => job.class,
        };
        let told = self.watch.outcome(&settlement).filter(|_| !job.untold);
        let counted = counted(&settlement, job.route.id, job.new_bytes() + log_bytes);
        let urgent = job.is_one_at_a_time();
        let attempt = settlement.attempt.as_ref();
        let failed = attempt.filter(|_| settlement.disposition != Disposition::Sent);
        let failed = failed.map(|attempt| attempt.started);
        let settled = self.settler.settle(settlement, urgent).await;
        if self.settler.has_room_again() {
            self.admission.wake();
        }
        if settled == Some(Settled::Done) {
            self.goes_on(job, class, retry_at);
            counted
                .into_iter()
                .for_each(|count| self.settler.counts.add(count));
            if let Some(outcome) = told {
                self.watch.recorded(&job.route, &outcome);
            }
        }
        match settled {
            Some(Settled::Done) if state.is_final() => {
                let message = job.message.body.len() as u64;
                self.core.access.ended(owner, message, log_bytes);
            }
            Some(Settled::Done) if log_bytes > 0 => self.core.access.logged(owner, log_bytes),
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
        if let Some(at) = failed {
            // Boxed: it is seldom needed, and would make every attempt larger.
            Box::pin(self.watch.authorizer(job.route.id, at)).await;
        }
    }

    /// Notifies the scheduler of a delivery that is pending again; a webhook in order may then send
    /// its next, in whichever queue it waits.
    fn goes_on(&self, job: &Job, class: QueueClass, due: Option<DateTime<Utc>>) {
        let (webhook, admission) = (job.route.id, &self.admission);
        // Behind a retry or a lost claim, the scheduler's count of what waits may be a guess.
        let is_first = job.class == QueueClass::First;
        if let Some(due) = due {
            let now = self.core.clock.now().unwrap_or(job.claimed);
            let after = (due - now).to_std().unwrap_or_default();
            admission.due_later(WebhookQueue { webhook, class }, after);
        } else if job.route.is_in_order() && !(is_first && admission.has_waiting(webhook)) {
            admission.inquiries.ask(webhook);
        }
    }
}

/// Returns the request, with the headers of its trace.
fn traced(request: Request, message: &Outgoing) -> Result<Request, ErrorClass> {
    let Some(trace) = &message.trace else {
        return Ok(request);
    };
    let state = trace.state.as_ref().map(TraceState::as_str);
    Ok(request.with_trace(&trace.parent.to_string(), state)?)
}

/// Sets the attributes of OpenTelemetry's conventions.
fn mark(span: &Span, attempt: &Attempt) {
    if let Some(status) = attempt.status {
        span.record("http.response.status_code", status);
    }
    if !attempt.is_success() {
        span.record("otel.status_code", "ERROR");
    }
}
