//! What an occurrence needs to become deliveries.

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

/// Messages may take this share of the memory that there is for what occurrences are matched
/// against, beside that.
const MESSAGES: usize = 4;

#[derive(Debug)]
pub(crate) struct Emitter {
    pub core: Arc<Core>,
    pub finder: Finder,
    pub renderer: Arc<Renderer>,
    pub launcher: Launcher,
    pub limits: EmitLimits,
    /// Something was put into the outbox here.
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

    /// All tasks that match.
    pub(crate) fn all() -> RemainingTasks {
        RemainingTasks::After(TaskId(0))
    }

    /// The occurrence, as a part of the caller's trace if it names none.
    pub(crate) fn joined(&self, occurrence: Occurrence) -> Occurrence {
        self.traces().joined(Cow::Owned(occurrence)).into_owned()
    }

    pub(super) fn traces(&self) -> &Traces {
        &self.launcher.worker.watch.traces
    }
}

/// What is left of an occurrence has no id: that was stored with what came of it first, and would
/// be taken for a repetition.
pub(super) fn unnamed(occurrence: &Occurrence) -> Occurrence {
    let mut unnamed = occurrence.clone();
    unnamed.id = None;
    unnamed
}
