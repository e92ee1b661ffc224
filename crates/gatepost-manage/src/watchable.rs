//! What a form offers to watch.

use gatepost_engine::EngineError;
use gatepost_keys::OwnerId;
use webhook_model::{Event, EventLabel, EventName, EventType, Filter, JsonObject, Target, TaskId};

use crate::actor::Actor;
use crate::error::ManageError;
use crate::finish::{ask, contain};

/// What is watched does not depend on the task that will run.
const NO_TASK: TaskId = TaskId(0);

impl Actor {
    /// Those of these targets that an event of this user may be about, in their order: what a form
    /// offers. Where the platform says nothing within five seconds in all, or was asked too much
    /// about this user in this minute, the rest is left out.
    ///
    /// Whatever a form offered, making the event asks again.
    ///
    /// # Errors
    /// [`ManageError::NotFound`] when the user is not the caller's to manage, failures of store and
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
                        // It would say no more about the others.
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
