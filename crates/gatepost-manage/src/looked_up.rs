//! By what the store looks deliveries up: by nothing of another's. There it would walk the other's
//! rows, and take the longer the more there are.

use gatepost_storage::Scope;
use gatepost_storage::webhooks::{DeliveryQuery, RecordId};

use crate::actor::Actor;
use crate::error::ManageError;

impl Actor {
    /// The query for the store: what it does not ask for any more is to be sifted out of what the
    /// caller may see. `None` where nothing can be found.
    pub(crate) async fn looked_up(
        &self,
        asked: &DeliveryQuery,
    ) -> Result<Option<DeliveryQuery>, ManageError> {
        let mut by = asked.clone();
        if self.sees_all() {
            return Ok(Some(by));
        }
        if let Some(webhook) = asked.webhook
            && !self.is_to_see(RecordId::Webhook(webhook)).await?
        {
            // Users have what their webhooks sent; to an administrator's tenant belongs also what
            // those sent who have left.
            if let Scope::Owner(_) = self.authority().scope() {
                return Ok(None);
            }
            by.webhook = None;
        }
        // One-time tasks are gone when it is asked what they sent: it is not known whose they were.
        if let Some(task) = asked.task
            && !self.is_to_see(RecordId::Task(task)).await?
        {
            by.task = None;
        }
        Ok(Some(by))
    }

    async fn is_to_see(&self, record: RecordId) -> Result<bool, ManageError> {
        match self.engine().owner_of(record).await? {
            Some(owner) => self.manages(owner).await,
            None => Ok(false),
        }
    }
}
