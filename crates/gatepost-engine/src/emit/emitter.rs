//! The parts with which an occurrence becomes deliveries.

use std::borrow::Cow;
use std::sync::Arc;

use gatepost_storage::webhooks::RemainingTasks;
use tokio::sync::Notify;
use webhook_model::{Occurrence, TaskId};

use super::finder::Finder;
use super::launcher::Launcher;
use crate::attempt::Worker;
use crate::config::{EmitLimits, Limits};
use crate::core::Core;
use crate::render::Renderer;
use crate::routes::{Contexts, Messages, Tables, WebhookCache};
use crate::trace::Traces;

/// The divisor of the memory for routes that gives the additional memory for messages.
const MESSAGES: usize = 4;

#[derive(Debug)]
pub(crate) struct Emitter {
    pub core: Arc<Core>,
    pub finder: Finder,
    pub renderer: Arc<Renderer>,
    pub launcher: Launcher,
    pub limits: EmitLimits,
    /// Notified when a row was put into the outbox here.
    pub wake: Arc<Notify>,
}

impl Emitter {
    pub(crate) fn new(
        worker: Arc<Worker>,
        webhooks: Arc<WebhookCache>,
        renderer: Renderer,
        limits: &Limits,
    ) -> Arc<Self> {
        let (core, memory) = (&worker.core, limits.routes_memory);
        Arc::new(Self {
            core: core.clone(),
            finder: Finder {
                core: core.clone(),
                tables: Arc::new(Tables::new(core.store.clone(), memory)),
                messages: Arc::new(Messages::new(core.store.clone(), memory / MESSAGES)),
                contexts: Contexts::new(core.store.clone()),
            },
            renderer: Arc::new(renderer),
            launcher: Launcher {
                webhooks,
                admission: worker.admission.clone(),
                lease_margin: limits.timing.lease_margin,
                worker,
            },
            limits: limits.emit.clone(),
            wake: Arc::default(),
        })
    }

    /// Returns all tasks that match.
    pub(crate) fn all() -> RemainingTasks {
        RemainingTasks::After(TaskId(0))
    }

    /// Returns the occurrence, as a part of the caller's trace if it names none.
    pub(crate) fn joined(&self, occurrence: Occurrence) -> Occurrence {
        self.traces().joined(Cow::Owned(occurrence)).into_owned()
    }

    pub(super) fn traces(&self) -> &Traces {
        &self.launcher.worker.watch.traces
    }
}

/// Returns the occurrence without its id, for its remaining tasks: the id was stored with the first
/// batch, so the rest would be taken for a repetition.
pub(super) fn unnamed(occurrence: &Occurrence) -> Occurrence {
    let mut unnamed = occurrence.clone();
    unnamed.id = None;
    unnamed
}
