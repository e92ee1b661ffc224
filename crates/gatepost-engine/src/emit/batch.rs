//! What one emit is about to store, and what is needed once it is stored.

use std::sync::Arc;

use gatepost_storage::webhooks::{Enqueue, NewDelivery, Origin, RoutesVersion};
use webhook_model::{RenderError, TaskId};

use crate::admission::Permit;
use crate::config::EmitLimits;
use crate::error::EmitError;
use crate::render::Rendering;
use crate::routes::TaskRoute;

#[derive(Debug)]
pub(super) struct Batch {
    limits: EmitLimits,
    /// Tasks that match.
    tasks: usize,
    bytes: usize,
    deliveries: Vec<NewDelivery>,
    consume: Vec<TaskId>,
    /// One for each delivery, if it is leased.
    pub(super) permits: Vec<Option<Permit>>,
    pub(super) unrendered: Vec<(TaskId, RenderError)>,
}

impl Batch {
    pub(super) fn new(tasks: usize, limits: &EmitLimits) -> Result<Self, EmitError> {
        let batch = Self {
            limits: limits.clone(),
            tasks,
            bytes: 0,
            deliveries: Vec::with_capacity(tasks),
            consume: Vec::new(),
            permits: Vec::with_capacity(tasks),
            unrendered: Vec::new(),
        };
        if tasks > limits.deliveries {
            return Err(batch.too_large());
        }
        Ok(batch)
    }

    /// The message of a task. `None`: it cannot be rendered, and the other tasks are not to suffer
    /// for that.
    pub(super) fn render(
        &mut self,
        task: &TaskRoute,
        rendering: &Rendering<'_>,
    ) -> Result<Option<Arc<str>>, EmitError> {
        let body = match rendering.render(&task.template) {
            Ok(body) => body,
            Err(error) => {
                self.unrendered.push((task.id, error));
                return Ok(None);
            }
        };
        self.bytes += body.len();
        if self.bytes > self.limits.bytes {
            return Err(self.too_large());
        }
        if task.once {
            self.consume.push(task.id);
        }
        Ok(Some(body.into()))
    }

    pub(super) fn push(&mut self, delivery: NewDelivery, permit: Option<Permit>) {
        self.deliveries.push(delivery);
        self.permits.push(permit);
    }

    /// What is to be stored, all or nothing. An error: of the tasks that match, none has a message.
    pub(super) fn enqueue(
        &mut self,
        routes: RoutesVersion,
        origin: Origin,
    ) -> Result<Enqueue, EmitError> {
        if let (true, Some((task, source))) = (self.deliveries.is_empty(), self.unrendered.first())
        {
            return Err(EmitError::Render {
                task: *task,
                source: *source,
            });
        }
        Ok(Enqueue {
            routes: Some(routes),
            origin,
            deliveries: std::mem::take(&mut self.deliveries),
            consume: std::mem::take(&mut self.consume),
        })
    }

    fn too_large(&self) -> EmitError {
        EmitError::TooLarge {
            deliveries: self.tasks,
            bytes: self.bytes,
        }
    }
}
