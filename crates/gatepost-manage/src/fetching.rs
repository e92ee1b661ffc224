//! Messages that their receiver fetches.

use gatepost_engine::FetchedPage;
use webhook_model::WebhookId;

use crate::actor::Actor;
use crate::error::ManageError;
use crate::finish::finish;

impl Actor {
    /// The messages that wait for the receiver of a webhook that is fetched, at most `limit`; what
    /// the page had whose cursor is `after` is acknowledged first. See
    /// [`Engine::fetch`](gatepost_engine::Engine::fetch).
    ///
    /// Runs to its end though the caller goes away. It is no change that is audited: it is how the
    /// webhook's messages are delivered, and their log says when.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`], [`ManageError::Invalid`] when it is
    /// not fetched or for what is no cursor of it, [`ManageError::Refused`] when its owner's
    /// account is disabled, [`ManageError::Unsendable`], failures of store and accounts.
    pub async fn fetch(
        &self,
        id: WebhookId,
        after: Option<String>,
        limit: u32,
    ) -> Result<FetchedPage, ManageError> {
        let actor = self.clone();
        finish(async move {
            let owner = actor.own_webhook(id).await?.owner;
            let fetched = actor.engine().fetch(id, after.as_deref(), limit).await;
            fetched.map_err(actor.about(owner))
        })
        .await
    }
}
