//! From an occurrence to stored deliveries.

mod outbox;

use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{
    Claim, DeliveryId, Enqueue, Enqueued, Lane, LaneClass, NewDelivery, Origin, StoredDelivery,
};
use webhook_model::{Object, Occurrence, RenderError, TaskId, Values, format_date};

use crate::dispatch::Permit;
use crate::engine::Inner;
use crate::error::EmitError;
use crate::routes::{RouteTable, TaskRoute};
use crate::work::Job;

/// So often an emit is decided anew because the records changed under it.
const TRIES: usize = 16;

/// What an occurrence made.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct Emitted {
    /// The deliveries that were stored.
    pub deliveries: Vec<DeliveryId>,
    /// The occurrence's id was known: it was stored by an earlier call, and this one did nothing.
    pub repeated: bool,
    /// Tasks whose message could not be rendered: they did not run, a one-time task among them
    /// stays.
    pub unrendered: Vec<(TaskId, RenderError)>,
}

impl Emitted {
    fn nothing(repeated: bool) -> Self {
        Self {
            deliveries: Vec::new(),
            repeated,
            unrendered: Vec::new(),
        }
    }
}

/// What is about to be stored, and what is needed once it is.
struct Batch {
    enqueue: Enqueue,
    /// One for each delivery: a slot, if it was leased.
    permits: Vec<Option<Permit>>,
    unrendered: Vec<(TaskId, RenderError)>,
}

/// What is to be run: the tasks that match an occurrence, or one task by hand.
#[derive(Clone, Copy, Debug)]
pub(crate) enum What {
    Matching,
    Task(TaskId),
}

impl Inner {
    /// Decides which tasks run, renders their messages, stores the deliveries; decides again if the
    /// records changed meanwhile. What there is room for is leased to this process and sent at
    /// once.
    pub(crate) async fn emit(
        self: &Arc<Self>,
        occurrence: &Occurrence,
        what: What,
        source: Origin,
    ) -> Result<Emitted, EmitError> {
        let store = self.store.as_ref();
        let mut routes = self.routes.last();
        for _ in 0..TRIES {
            let tasks: Vec<Arc<TaskRoute>> = match what {
                What::Matching => routes.matches(occurrence),
                What::Task(id) => routes.task(id).cloned().into_iter().collect(),
            };
            if tasks.is_empty() && source == Origin::Direct {
                // Nothing is stored, so nothing checks the version: it has to be asked for.
                let current = self.routes.current(store).await?;
                if current.version == routes.version {
                    return Ok(Emitted::nothing(false));
                }
                routes = current;
                continue;
            }
            let now = self.now();
            let Batch {
                enqueue,
                permits,
                unrendered,
            } = self.batch(&routes, &tasks, occurrence, source.clone(), now)?;
            let new = enqueue.deliveries.clone();
            let consume = enqueue.consume.clone();
            match store.enqueue(enqueue, now).await? {
                Enqueued::AlreadyKnown => {
                    return Ok(Emitted::nothing(true));
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
                    for (task, error) in &unrendered {
                        tracing::error!(task = task.0, %error, "a task did not run");
                    }
                    self.runs.note(
                        new.iter()
                            .filter_map(|delivery| delivery.task)
                            .filter(|task| !consume.contains(task)),
                        now,
                    );
                    metrics::counter!("gatepost_deliveries_enqueued_total")
                        .increment(deliveries.len() as u64);
                    for ((new, stored), permit) in new.into_iter().zip(&deliveries).zip(permits) {
                        self.send_or_leave(new, *stored, permit);
                    }
                    return Ok(Emitted {
                        deliveries: deliveries.iter().map(|d| d.id).collect(),
                        repeated: false,
                        unrendered,
                    });
                }
            }
        }
        Err(EmitError::Busy)
    }

    /// What was leased is sent at once; the rest waits for the dispatcher.
    fn send_or_leave(
        self: &Arc<Self>,
        new: NewDelivery,
        stored: StoredDelivery,
        permit: Option<Permit>,
    ) {
        match (permit, stored.token) {
            (Some(permit), Some(token)) => self.start(Job {
                claim: Claim {
                    delivery: stored.id,
                    token,
                },
                message_id: new.message_id,
                webhook: new.webhook,
                body: new.body,
                attempts: 0,
                status_info: String::new(),
                permit,
                turn: None,
            }),
            _ => self.lanes.ready(Lane {
                webhook: new.webhook,
                class: LaneClass::First,
            }),
        }
    }

    fn batch(
        self: &Arc<Self>,
        routes: &RouteTable,
        tasks: &[Arc<TaskRoute>],
        occurrence: &Occurrence,
        source: Origin,
        now: DateTime<Utc>,
    ) -> Result<Batch, EmitError> {
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
            .chain(&self.variables)
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
        let mut unrendered = Vec::new();
        let mut bytes = 0;
        for task in tasks {
            let rendered = task
                .template
                .render(&values, || self.random.with(rand::Rng::next_u32));
            let body = match rendered {
                Ok(body) => body,
                Err(error) => {
                    // The other tasks are not to suffer for this one.
                    unrendered.push((task.id, error));
                    continue;
                }
            };
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
        if let (true, Some((task, source))) = (deliveries.is_empty(), unrendered.first()) {
            return Err(EmitError::Render {
                task: *task,
                source: *source,
            });
        }
        let consume = tasks
            .iter()
            .filter(|task| task.once && unrendered.iter().all(|(id, _)| *id != task.id))
            .map(|task| task.id)
            .collect();
        let enqueue = Enqueue {
            routes: Some(routes.version),
            source,
            deliveries,
            consume,
        };
        Ok(Batch {
            enqueue,
            permits,
            unrendered,
        })
    }

    /// New deliveries must not overtake those that wait for the same webhook, nor be taken while
    /// nothing can be recorded or the engine stops.
    fn may_lease(&self, webhook: webhook_model::WebhookId) -> bool {
        self.is_running()
            && !self.lanes.has(Lane {
                webhook,
                class: LaneClass::First,
            })
            && !self.settle.is_failing()
    }
}
