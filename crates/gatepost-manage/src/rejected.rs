//! Rejected deliveries, which were counted instead of stored.

use std::collections::HashMap;

use gatepost_storage::Scope;
use gatepost_storage::webhooks::{RecordId, RejectedCount};
use webhook_model::WebhookId;

use crate::actor::Actor;
use crate::completion::{Answer, contain};
use crate::error::ManageError;

impl Actor {
    /// Returns the newest counts of one webhook, as [`rejected`](Self::rejected) does: at most
    /// `limit`.
    ///
    /// # Errors
    /// [`ManageError::NotFound`]; failures of store and accounts.
    pub fn rejected_of(&self, webhook: WebhookId, limit: u32) -> Answer<'_, Vec<RejectedCount>> {
        contain(async move {
            let owner = self.own_record(RecordId::Webhook(webhook)).await?;
            let scope = Scope::Owner(owner);
            Ok(self
                .engine()
                .rejected_counts(scope, Some(webhook), limit)
                .await?)
        })
    }

    /// Returns the counts of deliveries that an owner's quotas rejected, newest hour first, as in
    /// [`Engine::rejected_counts`](gatepost_engine::Engine::rejected_counts): at most `limit`,
    /// fewer if the caller may not see some of them.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub fn rejected(&self, limit: u32) -> Answer<'_, Vec<RejectedCount>> {
        contain(async move {
            let mut known = HashMap::new();
            let mut seen = Vec::new();
            let scope = self.authority().scope();
            for count in self.engine().rejected_counts(scope, None, limit).await? {
                let webhook = RecordId::Webhook(count.webhook);
                let may = match known.get(&webhook) {
                    Some(may) => *may,
                    // A tenant may contain webhooks that its administrator may not see.
                    None => match self.own_record(webhook).await {
                        Err(ManageError::NotFound) => false,
                        owner => owner.map(|_| true)?,
                    },
                };
                known.insert(webhook, may);
                seen.extend(may.then_some(count));
            }
            Ok(seen)
        })
    }
}
