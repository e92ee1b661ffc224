//! The events that a form offers.

use gatepost_engine::EngineError;
use gatepost_keys::OwnerId;
use webhook_model::Event;

use crate::actor::Actor;
use crate::completion::{Answer, ask, contain};
use crate::error::ManageError;

/// The number of questions that the platform gets at the same time.
const TOGETHER: usize = 8;

impl Actor {
    /// Returns those of these events that this user may have, in their order, for a form. Their
    /// tasks do not matter. The platform is asked about eight events at the same time. The rest is
    /// left out if the platform does not answer within five seconds in all, or was asked too often
    /// about this user in this minute.
    ///
    /// Creating an event checks it again.
    ///
    /// # Errors
    /// [`ManageError::NotFound`] if the caller may not manage the user, failures of store and
    /// accounts.
    pub fn watchable(&self, owner: OwnerId, events: Vec<Event>) -> Answer<'_, Vec<Event>> {
        contain(async move {
            if !self.manages(owner).await? {
                return Err(ManageError::NotFound);
            }
            let mut offered = Vec::new();
            let all = async {
                for some in events.chunks(TOGETHER) {
                    let question = |event: &Event| {
                        let (engine, event) = (self.engine().clone(), event.clone());
                        let question = async move { engine.may_watch(owner, &event).await };
                        tokio::spawn(question)
                    };
                    let questions: Vec<_> = some.iter().map(question).collect();
                    for (event, answer) in some.iter().zip(questions) {
                        match answer.await {
                            Ok(Ok(())) => offered.push(event.clone()),
                            Ok(Err(EngineError::Forbidden(_) | EngineError::Dangling(_))) => {}
                            // Further questions would fail as well.
                            _ => return,
                        }
                    }
                }
            };
            ask(all).await;
            Ok(offered)
        })
    }
}
