//! Renders what was planned, as far as it fits into one transaction.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::NewDelivery;
use webhook_model::{OwnerId, TaskId, Template};

use super::bite::{Bite, Fits};
use super::emitter::Emitter;
use super::finder::Ask;
use super::plan::{Fate, Plan, Spent};
use crate::error::EmitError;
use crate::judge::Room;
use crate::render::Rendering;
use crate::routes::MatchedTask;

/// Messages read at a time: together as large as a bite, at most.
const READ: usize = 8;

type Templates = HashMap<TaskId, Arc<Template>>;

impl Emitter {
    /// The bite, and the last task that it decides, if there are more.
    pub(super) async fn fill(
        &self,
        ask: &Ask<'_>,
        plan: &Plan,
        spent: &Spent,
        now: DateTime<Utc>,
    ) -> Result<(Bite, Option<TaskId>), EmitError> {
        let rendering = self.renderer.occurrence(ask.occurrence, now);
        let mut bite = Bite::default();
        let mut rooms = HashMap::new();
        let mut last = ask.after();
        for some in plan.steps.chunks(READ) {
            let templates = self.templates(some).await?;
            for (task, fate) in some {
                match fate {
                    Fate::Later => drop(bite.later.insert(task.id(), task.owner())),
                    Fate::Dropped(reason) => bite.drop_task(task, *reason),
                    Fate::Run => {
                        let body = render(&templates, task, &rendering, &mut bite);
                        let room = self.room(&mut rooms, task.owner());
                        let fits = body
                            .as_ref()
                            .map(|body| bite.fits(task, body.len(), spent, &self.limits, room));
                        match (fits, body) {
                            (Some(Fits::Yes), Some(body)) => self.push(&mut bite, task, body, now),
                            (Some(Fits::No), _) => return Ok((bite, Some(last))),
                            _ => {}
                        }
                    }
                }
                last = task.id();
            }
        }
        Ok((bite, plan.more.then_some(last)))
    }

    async fn templates(&self, steps: &[(MatchedTask, Fate)]) -> Result<Templates, EmitError> {
        let run = steps.iter().filter(|(_, fate)| *fate == Fate::Run);
        let tasks = run.map(|(task, _)| (task.id(), task.task.revision));
        Ok(self.finder.messages.of(tasks).await?)
    }

    fn room(&self, rooms: &mut HashMap<OwnerId, Room>, owner: OwnerId) -> Room {
        *rooms.entry(owner).or_insert_with(|| self.judge.room(owner))
    }

    fn push(&self, bite: &mut Bite, task: &MatchedTask, body: Arc<str>, now: DateTime<Utc>) {
        let (slip, lease_until) = self.launcher.slip(&task.webhook, task.place, now);
        let delivery = NewDelivery {
            message_id: self.renderer.message_id(),
            webhook: task.webhook.id,
            task: Some(task.id()),
            body,
            due: now,
            lease_until,
        };
        bite.push(task, delivery, slip);
    }
}

/// The message of a task. `None`: it is gone or cannot be rendered, and the other tasks are not to
/// suffer for that.
fn render(
    templates: &Templates,
    task: &MatchedTask,
    rendering: &Rendering<'_>,
    bite: &mut Bite,
) -> Option<Arc<str>> {
    match rendering.render(templates.get(&task.id())?) {
        Ok(body) => Some(body.into()),
        Err(error) => {
            bite.unrendered.push((task.id(), error));
            None
        }
    }
}
