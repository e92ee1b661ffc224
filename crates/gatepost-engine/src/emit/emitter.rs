//! Decides which tasks an occurrence runs, and stores their deliveries.

use std::pin::pin;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Claim, Enqueued, Lane, LaneClass, NewDelivery, Origin, StoredDelivery, WebhookStore,
};
use gatepost_storage::{ErrorKind, StoreError};
use tracing::Span;
use webhook_model::{Occurrence, TaskId, WebhookId};

use super::batch::Batch;
use super::emitted::{Emitted, Trigger};
use crate::admission::{Admission, Permit};
use crate::attempt::{Job, Worker};
use crate::clock::EngineClock;
use crate::config::Limits;
use crate::error::EmitError;
use crate::guard::{GuardedSpan, guarded};
use crate::last_runs::LastRuns;
use crate::lease::lease_until;
use crate::meter;
use crate::render::Renderer;
use crate::routes::{RouteTable, Routes, TaskRoute};

/// How often an emit is retried when the records change under it.
const TRIES: usize = 16;

#[derive(Debug)]
pub(crate) struct Emitter {
    pub store: Arc<dyn WebhookStore>,
    pub routes: Arc<Routes>,
    pub renderer: Arc<Renderer>,
    pub admission: Arc<Admission>,
    pub worker: Arc<Worker>,
    pub last_runs: Arc<LastRuns>,
    pub clock: Arc<EngineClock>,
    pub limits: Limits,
}

impl Emitter {
    /// As [`emit`](Self::emit), in a task of its own: a caller that goes away must not leave leased
    /// deliveries to nobody, and a store that panics is an error like any other.
    pub(crate) async fn emit_detached(
        self: &Arc<Self>,
        occurrence: Occurrence,
        trigger: Trigger,
        origin: Origin,
    ) -> Result<Emitted, EmitError> {
        let emitter = self.clone();
        let span = GuardedSpan::new(Span::current);
        let emit = async move {
            span.run(pin!(emitter.emit(&occurrence, trigger, origin)))
                .await
        };
        let lifecycle = &self.worker.lifecycle;
        let emitting = if lifecycle.is_running() {
            lifecycle.spawn(emit)
        } else {
            // It leases nothing any more: a shutdown need not wait for it.
            tokio::spawn(emit)
        };
        emitting.await.unwrap_or_else(|panic| {
            let error = StoreError::new(ErrorKind::Unavailable, "the store panicked");
            Err(error.with_source(panic).into())
        })
    }

    /// Decides which tasks run, renders their messages, stores the deliveries; decides again if the
    /// records changed in between. What there is room for is leased to this process and sent at
    /// once.
    pub(crate) async fn emit(
        &self,
        occurrence: &Occurrence,
        trigger: Trigger,
        origin: Origin,
    ) -> Result<Emitted, EmitError> {
        let mut routes = self.routes.last();
        for _ in 0..TRIES {
            let tasks: Vec<Arc<TaskRoute>> = match trigger {
                Trigger::Matching => routes.matches(occurrence),
                Trigger::Task(id) => routes.task(id).cloned().into_iter().collect(),
            };
            if tasks.is_empty() && origin == Origin::Direct {
                // Nothing is stored, so nothing checks the version: it has to be asked for.
                let current = self.routes.current().await?;
                if current.version == routes.version {
                    return Ok(Emitted::nothing(false));
                }
                routes = current;
                continue;
            }
            let now = self.clock.now()?;
            let mut batch = self.batch(&routes, &tasks, occurrence, now)?;
            let enqueue = batch.enqueue(routes.version, origin.clone())?;
            let (new, consumed) = (enqueue.deliveries.clone(), enqueue.consume.clone());
            match self.store.enqueue(enqueue, now).await? {
                Enqueued::AlreadyKnown => return Ok(Emitted::nothing(true)),
                Enqueued::RoutesChanged => {
                    routes = self.routes.newer_than(routes.version).await?;
                }
                Enqueued::Stored {
                    deliveries,
                    routes: version,
                } => {
                    if version != routes.version {
                        self.routes.consumed(&routes, &consumed, version);
                    }
                    return Ok(self.stored(batch, new, &deliveries, &consumed, now));
                }
            }
        }
        Err(EmitError::Busy)
    }

    fn batch(
        &self,
        routes: &RouteTable,
        tasks: &[Arc<TaskRoute>],
        occurrence: &Occurrence,
        now: DateTime<Utc>,
    ) -> Result<Batch, EmitError> {
        let mut batch = Batch::new(tasks.len(), &self.limits.emit)?;
        let rendering = self.renderer.occurrence(occurrence, now);
        for task in tasks {
            let Some(body) = batch.render(task, &rendering)? else {
                continue;
            };
            let (permit, lease_until) = self.lease(routes, task.webhook, now).unzip();
            let delivery = NewDelivery {
                message_id: self.renderer.message_id(),
                webhook: task.webhook,
                task: Some(task.id),
                body,
                due: now,
                lease_until,
            };
            batch.push(delivery, permit);
        }
        Ok(batch)
    }

    /// A lease, if the delivery may be sent at once. It must not overtake those that wait for the
    /// same webhook.
    fn lease(
        &self,
        routes: &RouteTable,
        webhook: WebhookId,
        now: DateTime<Utc>,
    ) -> Option<(Permit, DateTime<Utc>)> {
        let route = routes.webhook(webhook)?;
        let class = LaneClass::First;
        let may_lease = route.is_active()
            && !route.is_in_order()
            && self.worker.is_ready()
            && !self.admission.lanes.has(Lane { webhook, class });
        if !may_lease {
            return None;
        }
        let permit = self.admission.in_flight.try_take(route, class)?;
        let margin = self.limits.timing.lease_margin;
        Some((permit, lease_until(route, margin, now)))
    }

    /// What was leased is sent at once; the rest waits for the dispatcher.
    fn stored(
        &self,
        batch: Batch,
        new: Vec<NewDelivery>,
        stored: &[StoredDelivery],
        consumed: &[TaskId],
        now: DateTime<Utc>,
    ) -> Emitted {
        let ran = new.iter().filter_map(|delivery| delivery.task);
        let stay = ran.filter(|task| !consumed.contains(task));
        self.last_runs.note(stay, now);
        for ((new, stored), permit) in new.into_iter().zip(stored).zip(batch.permits) {
            self.send_or_leave(new, *stored, permit);
        }
        meter::deliveries_enqueued(stored.len());
        for (task, error) in &batch.unrendered {
            guarded(|| tracing::error!(task = task.0, %error, "a task did not run"));
        }
        Emitted {
            deliveries: stored.iter().map(|stored| stored.id).collect(),
            repeated: false,
            unrendered: batch.unrendered,
        }
    }

    fn send_or_leave(&self, new: NewDelivery, stored: StoredDelivery, permit: Option<Permit>) {
        match (permit, stored.token) {
            (Some(permit), Some(token)) => self.worker.start(Job {
                claim: Claim {
                    delivery: stored.id,
                    token,
                },
                claimed: new.due,
                message_id: new.message_id,
                webhook: new.webhook,
                body: new.body,
                attempts: 0,
                status_info: String::new(),
                permit,
                turn: None,
            }),
            _ => self.admission.lanes.ready(Lane {
                webhook: new.webhook,
                class: LaneClass::First,
            }),
        }
    }
}
