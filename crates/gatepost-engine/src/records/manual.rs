//! Manual runs of a task, or of an event's task: as if something had occurred for its owner only.

use gatepost_storage::webhooks::RemainingTasks;
use webhook_model::{OwnerId, TagId, TaskId};

use super::run_context::RunContext;
use crate::emit::{Emitted, Run};
use crate::engine::Engine;
use crate::error::{EmitError, EngineError};

impl Engine {
    /// Returns what was stored or is pending, or an error with the reason.
    pub(super) async fn run(
        &self,
        (task, owner): (TaskId, OwnerId),
        about: RunContext,
        tags: Vec<TagId>,
        by: Option<OwnerId>,
    ) -> Result<Emitted, EngineError> {
        let access = &self.core.access;
        let context = about.context.clone();
        let occurrence = about.occurrence(access.manual_audience(owner))?;
        access.run_by_hand(owner, 1)?;
        let left = RemainingTasks::Tasks(vec![task]);
        let run = Run { left, by, context };
        let emitter = &self.parts.emitter;
        let emitted = emitter.emit_detached(occurrence.with_tags(tags), run);
        let emitted = emitted.await?;
        if !emitted.deliveries.is_empty() || emitted.pending {
            return Ok(emitted);
        }
        if let Some((task, source)) = emitted.unrendered.first() {
            let (task, source) = (*task, *source);
            return Err(EmitError::Render { task, source }.into());
        }
        if emitted.unheard > 0 {
            let words = "The owner of this task may not receive this";
            return Err(EngineError::Forbidden(words.to_owned()));
        }
        if emitted.rejected > 0 {
            return Err(self.full(owner)?);
        }
        self.check_enabled(owner).await?;
        Err(EngineError::NotFound)
    }

    /// Checks the limits before deliveries of an owner are queued manually.
    pub(super) fn admit_queued(
        &self,
        owner: OwnerId,
        deliveries: u32,
        bytes: u64,
    ) -> Result<(), EngineError> {
        let room = self.core.access.headroom(owner);
        if room.deliveries < deliveries.into() || room.bytes < bytes {
            return Err(self.full(owner)?);
        }
        self.core.access.run_by_hand(owner, deliveries)
    }

    /// Refuses to send for an owner whose account is disabled or deleted.
    pub(super) async fn check_enabled(&self, owner: OwnerId) -> Result<(), EngineError> {
        if self.core.access.is_enabled(owner).await? {
            return Ok(());
        }
        let words = "The account of the owner is disabled";
        Err(EngineError::Forbidden(words.to_owned()))
    }

    /// The error if the owner has as many pending deliveries as allowed.
    fn full(&self, owner: OwnerId) -> Result<EngineError, EngineError> {
        let most = self.core.access.quota(owner)?.waiting;
        Ok(EngineError::Full {
            what: "waiting deliveries",
            have: most.saturating_sub(self.core.access.headroom(owner).deliveries),
            most,
        })
    }
}
