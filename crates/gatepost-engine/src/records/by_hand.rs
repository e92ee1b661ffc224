//! A task is run by hand, or because its event is triggered by hand: as if something had occurred
//! that is meant for its owner alone.

use gatepost_storage::webhooks::Left;
use webhook_model::{Audience, Data, EventName, EventType, Occurrence, OwnerId, TaskId};

use crate::emit::{Emitted, Run};
use crate::engine::Engine;
use crate::error::{EmitError, EngineError};
use crate::judge::Judge;

impl Engine {
    /// For the owner, and nobody else, where the platform has tenants.
    pub(super) async fn manual_occurrence(
        &self,
        event_type: EventType,
        event: EventName,
        owner: OwnerId,
    ) -> Result<Occurrence, EngineError> {
        let everybody = Audience::OneSystem;
        let audience = match self.core.access.places(everybody).await {
            Ok(_) => everybody,
            Err(EmitError::WrongAudience(_)) => Audience::Owner(owner),
            Err(error) => return Err(error.into()),
        };
        Ok(Occurrence::new(event_type, event, audience))
    }

    /// What comes of it is either stored, or pending, or an error that says why not.
    pub(super) async fn run_manually(
        &self,
        task: TaskId,
        owner: OwnerId,
        occurrence: Occurrence,
        (by, context): (Option<OwnerId>, Option<Data>),
    ) -> Result<Emitted, EngineError> {
        self.core.access.run_by_hand(owner, 1)?;
        let left = Left::Tasks(vec![task]);
        let run = Run { left, by, context };
        let emitted = self.parts.emitter.emit_detached(occurrence, run).await?;
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
        if emitted.dropped > 0 {
            return Err(full(&self.core.access, owner));
        }
        enabled(&self.core.access, owner).await?;
        Err(EngineError::NotFound)
    }
}

/// Nothing is sent for an owner whose account is disabled or gone.
pub(super) async fn enabled(judge: &Judge, owner: OwnerId) -> Result<(), EngineError> {
    if judge.is_enabled(owner).await? {
        return Ok(());
    }
    let words = "The account of the owner is disabled";
    Err(EngineError::Forbidden(words.to_owned()))
}

/// As many deliveries of the owner wait as may.
pub(super) fn full(judge: &Judge, owner: OwnerId) -> EngineError {
    let most = match judge.quota(owner) {
        Ok(quota) => quota.waiting,
        Err(error) => return error,
    };
    EngineError::Full {
        what: "waiting deliveries",
        have: most.saturating_sub(judge.headroom(owner).deliveries),
        most,
    }
}
