//! The targets that a form offers for an event.

use gatepost_engine::EngineError;
use gatepost_keys::OwnerId;
use webhook_model::{Event, EventLabel, EventName, EventType, Filter, JsonObject, Target, TaskId};

use crate::actor::Actor;
use crate::completion::{ask, contain};
use crate::error::ManageError;

/// The permission to watch a target does not depend on the task.
const NO_TASK: TaskId = TaskId(0);

impl Actor {
    /// Returns those of these targets that an event of this user may have, in their order, for a
    /// form. The rest is left out if the platform does not answer within five seconds in all, or
    /// was asked too often about this user in this minute.
    ///
    /// Creating the event checks its target again.
    ///
    /// # Errors
    /// [`ManageError::NotFound`] if the caller may not manage the user, failures of store and
    /// accounts.
    pub async fn watchable(
        &self,
        owner: OwnerId,
        event_type: EventType,
        event: EventName,
        targets: Vec<Target>,
    ) -> Result<Vec<Target>, ManageError> {
        contain(async {
            if !self.manages(owner).await? {
                return Err(ManageError::NotFound);
            }
            let mut asked = Event {
                event_type,
                event,
                target: Target::Generic,
                task: NO_TASK,
                enabled: true,
                filters: Filter::default(),
                context: JsonObject::default(),
                label: EventLabel::default(),
            };
            let mut offered = Vec::new();
            let all = async {
                for target in targets {
                    asked.target = target;
                    match self.engine().may_watch(owner, &asked).await {
                        Ok(()) => offered.push(target),
                        Err(EngineError::Forbidden(_) | EngineError::Dangling(_)) => {}
                        // Further questions would fail as well.
                        Err(_) => break,
                    }
                }
            };
            ask(all).await;
            Ok(offered)
        })
        .await
    }
}
