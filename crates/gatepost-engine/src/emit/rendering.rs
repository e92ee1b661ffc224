//! Renders planned tasks, as far as they fit into one transaction.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::StoreError;
use gatepost_storage::webhooks::{Cause, NewDelivery, RejectReason};
use webhook_model::{Data, RenderError, TaskId, Template};

use super::batch::{Batch, Fits};
use super::draft::Before;
use super::emitter::Emitter;
use super::finder::Ask;
use super::plan::{Fate, Plan};
use crate::cooperative_yield::{GiveWay, PIECE, apart};
use crate::error::EmitError;
use crate::render::Rendering;
use crate::routes::MatchedTask;
use crate::small_map::Few;

/// Messages read at a time: together at most as large as a batch.
const READ: usize = 8;

type Templates = Few<TaskId, Arc<Template>>;

impl Emitter {
    /// Returns the batch, and the last task that it decides, if there are more.
    pub(super) async fn fill(
        &self,
        ask: &Ask<'_>,
        plan: &Plan,
        before: Before<'_>,
        now: DateTime<Utc>,
    ) -> Result<(Batch, Option<TaskId>), EmitError> {
        let rendering = self.renderer.occurrence(ask.occurrence, now);
        let cause = Cause {
            by: ask.by,
            ..Cause::of(ask.occurrence)
        };
        let mut batch = Batch::of(plan.steps.len().min(READ));
        let (mut rooms, mut turns) = (Few::default(), GiveWay::default());
        let mut last = ask.after();
        for some in plan.steps.chunks(READ) {
            let templates = self.templates(some).await?;
            let contexts = self.contexts(ask, some, &templates).await?;
            for (task, fate) in some {
                let is_spent = || batch.is_spent(task.owner(), before.occurrence, &self.limits);
                match fate {
                    Fate::Run if is_spent() => batch.reject_task(task, RejectReason::Occurrence),
                    Fate::Later => drop(batch.later.insert(task.id(), task.owner())),
                    Fate::Rejected(reason) => batch.reject_task(task, *reason),
                    Fate::Run => {
                        let body = match templates.get(task.id()) {
                            Some(template) => {
                                let context = contexts.get(&task.id()).or(ask.context.as_ref());
                                let context = context.cloned();
                                let body = self.render(ask, &rendering, (template, context), now);
                                let body = body.await;
                                let written = body.as_ref().map_or(PIECE, |body| body.len());
                                let read = template.message_bytes();
                                batch.waste(task.owner(), read.saturating_sub(written));
                                turns.after(read + written).await;
                                readable(body, task, &mut batch)
                            }
                            None => None,
                        };
                        let room = self.room(&mut rooms, task.owner(), before);
                        let fits = body.as_ref().map(|body| {
                            batch.fits(task, body.len(), before.occurrence, &self.limits, room)
                        });
                        match (fits, body) {
                            (Some(Fits::Yes), Some(body)) => {
                                let made = (body, cause.clone());
                                self.push(&mut batch, task, made, now);
                            }
                            (Some(Fits::No), _) => return Ok((batch, Some(last))),
                            _ => {}
                        }
                    }
                }
                last = task.id();
            }
        }
        Ok((batch, plan.more.then_some(last)))
    }

    async fn templates(&self, steps: &[(MatchedTask, Fate)]) -> Result<Templates, EmitError> {
        let run = steps.iter().filter(|(_, fate)| *fate == Fate::Run);
        let tasks = run.map(|(task, _)| (task.id(), task.owner(), task.task.revision));
        Ok(self.finder.messages.of(tasks).await?)
    }

    /// Reads the contexts of events for the messages that use them.
    async fn contexts(
        &self,
        ask: &Ask<'_>,
        steps: &[(MatchedTask, Fate)],
        templates: &Templates,
    ) -> Result<HashMap<TaskId, Data>, StoreError> {
        let asks = |task: &MatchedTask| {
            let template = templates.get(task.id());
            ask.context.is_none() && template.is_some_and(|template| template.asks_for_context())
        };
        let tasks = steps.iter().map(|(task, _)| task);
        let tasks: Vec<_> = tasks.filter(|task| asks(task)).collect();
        self.finder.contexts.of(&tasks, ask.occurrence).await
    }

    /// Renders a message, a large one on another thread: full of variables, it takes some
    /// hundredths of a second.
    async fn render(
        &self,
        ask: &Ask<'_>,
        rendering: &Rendering<'_>,
        (template, context): (&Arc<Template>, Option<Data>),
        now: DateTime<Utc>,
    ) -> Result<Arc<str>, RenderError> {
        let bytes = template.message_bytes();
        if bytes <= PIECE {
            let body = rendering.render(template, context.as_ref());
            return body.map(Into::into);
        }
        let (renderer, template) = (self.renderer.clone(), template.clone());
        let occurrence = ask.occurrence.clone();
        let render = move || {
            let rendering = renderer.occurrence(&occurrence, now);
            rendering.render(&template, context.as_ref())
        };
        apart(bytes, render).await.map(Into::into)
    }

    fn push(
        &self,
        batch: &mut Batch,
        task: &MatchedTask,
        (body, cause): (Arc<str>, Cause),
        now: DateTime<Utc>,
    ) {
        let mut delivery = NewDelivery {
            message_id: self.renderer.message_id(now),
            webhook: task.webhook.id,
            task: Some(task.id()),
            cause: Some(cause),
            body,
            due: now,
            lease_until: None,
        };
        let slip = (self.launcher).slip(&task.webhook, task.place, &mut delivery);
        batch.push(task, delivery, slip);
    }
}

/// Returns the message, or `None` if it cannot be rendered: the other tasks still run.
fn readable(
    body: Result<Arc<str>, RenderError>,
    task: &MatchedTask,
    batch: &mut Batch,
) -> Option<Arc<str>> {
    body.map_err(|error| batch.failed(task, error)).ok()
}
