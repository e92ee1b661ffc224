//! Messages that their receiver fetches.

use gatepost_engine::FetchedPage;
use webhook_model::WebhookId;

use crate::actor::Actor;
use crate::completion::{Answer, finish};

impl Actor {
    /// Returns the messages that wait for the receiver of a fetched webhook, at most `limit`, and
    /// first acknowledges the page whose cursor is `after`. See
    /// [`Engine::fetch`](gatepost_engine::Engine::fetch).
    ///
    /// It completes even if the caller disconnects. It is not audited: it is the delivery of the
    /// webhook's messages, and the delivery log records it.
    ///
    /// # Errors
    /// [`NotFound`](crate::ManageError::NotFound), [`Unreadable`](crate::ManageError::Unreadable),
    /// [`Invalid`](crate::ManageError::Invalid) if it is not a fetched webhook or the cursor is
    /// invalid, [`Refused`](crate::ManageError::Refused) if its owner's account is disabled,
    /// [`Unsendable`](crate::ManageError::Unsendable), failures of store and accounts.
    pub fn fetch(
        &self,
        id: WebhookId,
        after: Option<String>,
        limit: u32,
    ) -> Answer<'_, FetchedPage> {
        let actor = self.clone();
        finish(async move {
            let owner = actor.own_webhook(id).await?.owner;
            let fetched = actor.engine().fetch(id, after.as_deref(), limit).await;
            fetched.map_err(actor.about(owner))
        })
    }
}
