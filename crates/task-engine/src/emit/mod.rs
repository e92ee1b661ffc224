//! From an occurrence to stored deliveries.

mod outbox;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use storage::webhooks::{
    Claim, DeliveryId, Enqueue, Enqueued, Lane, LaneClass, NewDelivery, Source, StoredDelivery,
};
use webhook_model::{Object, Occurrence, TaskId, Values, format_date};

use crate::dispatch::Permit;
use crate::engine::Inner;
use crate::error::EmitError;
use crate::routes::{RouteTable, TaskRoute};
use crate::work::Job;

/// So often an emit is decided anew because the records changed under it.
const TRIES: usize = 16;

/// What an occurrence made.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Emitted {
    /// The deliveries that were stored.
    pub deliveries: Vec<DeliveryId>,
    /// The occurrence's id was known: it was stored by an earlier call, and this one did nothing.
    pub repeated: bool,
}

/// What is to be run: the tasks that match an occurrence, or one task by hand.
#[derive(Debug, Clone, Copy)]
pub(crate) enum What {
    Matching,
    Task(TaskId),
}

impl Inner {
    /// Decides which tasks run, renders their messages, stores the deliveries; decides again if the records
    /// changed meanwhile. What there is room for is leased to this process and sent at once.
    pub(crate) async fn emit(
        self: &Arc<Self>,
        occurrence: &Occurrence,
        what: What,
        source: Source,
    ) -> Result<Emitted, EmitError> {
        let store = self.store.as_ref();
        let mut routes = self.routes.last();
        for _ in 0..TRIES {
            let tasks: Vec<Arc<TaskRoute>> = match what {
                What::Matching => routes.matches(occurrence),
                What::Task(id) => routes.task(id).cloned().into_iter().collect(),
            };
            if tasks.is_empty() && source == Source::Direct {
                // Nothing is stored, so nothing checks the version: it has to be asked for.
                let current = self.routes.current(store).await?;
                if current.version == routes.version {
                    return Ok(Emitted {
                        deliveries: Vec::new(),
                        repeated: false,
                    });
                }
                routes = current;
                continue;
            }
            let now = self.now();
            let (batch, permits) = self.batch(&routes, &tasks, occurrence, source.clone(), now)?;
            let jobs: Vec<_> = batch
                .deliveries
                .iter()
                .map(|d| {
                    (
                        d.message_id.clone(),
                        d.webhook,
                        d.body.clone(),
                        d.lease_until,
                    )
                })
                .collect();
            let consume = batch.consume.clone();
            match store.enqueue(batch, now).await? {
                Enqueued::AlreadyKnown => {
                    return Ok(Emitted {
                        deliveries: Vec::new(),
                        repeated: true,
                    });
                }
                Enqueued::RoutesChanged => {
                    routes = self.routes.newer_than(store, routes.version).await?;
                }
                Enqueued::Stored {
                    deliveries,
                    routes: version,
                } => {
                    if version != routes.version {
                        self.routes.consumed(&routes, &consume, version);
                    }
                    self.runs.note(
                        tasks.iter().filter(|task| !task.once).map(|task| task.id),
                        now,
                    );
                    metrics::counter!("gatepost_deliveries_enqueued_total")
                        .increment(deliveries.len() as u64);
                    for (((message_id, webhook, body, lease_until), stored), permit) in
                        jobs.into_iter().zip(&deliveries).zip(permits)
                    {
                        match (permit, stored.token, lease_until) {
                            (Some(permit), Some(token), Some(lease_until)) => {
                                let claim = Claim {
                                    delivery: stored.id,
                                    token,
                                };
                                self.start(Job {
                                    claim,
                                    message_id,
                                    webhook,
                                    body,
                                    attempts: 0,
                                    lease_until,
                                    permit,
                                });
                            }
                            _ => self.lanes.ready(Lane {
                                webhook,
                                class: LaneClass::First,
                            }),
                        }
                    }
                    return Ok(Emitted {
                        deliveries: deliveries.iter().map(|d: &StoredDelivery| d.id).collect(),
                        repeated: false,
                    });
                }
            }
        }
        Err(EmitError::Busy)
    }

    fn batch(
        self: &Arc<Self>,
        routes: &RouteTable,
        tasks: &[Arc<TaskRoute>],
        occurrence: &Occurrence,
        source: Source,
        now: DateTime<Utc>,
    ) -> Result<(Enqueue, Vec<Option<Permit>>), EmitError> {
        if tasks.len() > self.limits.deliveries_per_emit {
            return Err(EmitError::TooLarge {
                deliveries: tasks.len(),
                bytes: 0,
            });
        }
        let date = format_date(now, self.zone);
        let extra: Vec<(&str, &str)> = occurrence
            .variables
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let name = occurrence
            .object
            .as_ref()
            .map_or("", |Object { name, .. }| name.as_str());
        let values = Values {
            date: &date,
            timestamp: now.timestamp(),
            name,
            extra: &extra,
        };
        let mut deliveries = Vec::with_capacity(tasks.len());
        let mut permits = Vec::with_capacity(tasks.len());
        let mut bytes = 0;
        for task in tasks {
            let body = task
                .template
                .render(&values, || self.random.with(rand::Rng::next_u32))
                .map_err(|source| EmitError::Render {
                    task: task.id,
                    source,
                })?;
            bytes += body.len();
            if bytes > self.limits.bytes_per_emit {
                return Err(EmitError::TooLarge {
                    deliveries: tasks.len(),
                    bytes,
                });
            }
            let route = routes
                .webhook(task.webhook)
                .filter(|route| route.is_active() && !route.is_in_order());
            let permit = route
                .filter(|_| self.may_lease(task.webhook))
                .and_then(|route| self.slots.try_take(route, LaneClass::First));
            let lease_until = permit
                .as_ref()
                .and(route)
                .map(|route| self.lease_until(route, now));
            permits.push(permit);
            deliveries.push(NewDelivery {
                message_id: self.random.message_id(),
                webhook: task.webhook,
                task: Some(task.id),
                body: body.into(),
                due: now,
                lease_until,
            });
        }
        let consume = tasks
            .iter()
            .filter(|task| task.once)
            .map(|task| task.id)
            .collect();
        Ok((
            Enqueue {
                routes: Some(routes.version),
                source,
                deliveries,
                consume,
            },
            permits,
        ))
    }

    /// New deliveries must not overtake those that wait for the same webhook, nor be taken while nothing can be
    /// recorded or the engine stops.
    fn may_lease(&self, webhook: webhook_model::WebhookId) -> bool {
        self.is_running()
            && !self.lanes.has(Lane {
                webhook,
                class: LaneClass::First,
            })
            && !self.settle.is_failing()
    }
}
