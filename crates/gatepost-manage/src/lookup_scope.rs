//! Restricts the lookup of deliveries to the caller's own records. Otherwise the store would read
//! the rows of others, and the duration would reveal how many they are.

use gatepost_storage::Scope;
use gatepost_storage::webhooks::{DeliveryQuery, RecordId};

use crate::actor::Actor;
use crate::error::ManageError;

impl Actor {
    /// Returns the query for the store; the caller must apply the remaining criteria to the rows
    /// that the caller may see. Returns `None` if nothing can be found.
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
            // Users have the deliveries of their webhooks; an administrator's tenant also has those
            // of users who have left.
            if let Scope::Owner(_) = self.authority().scope() {
                return Ok(None);
            }
            by.webhook = None;
        }
        // One-time tasks may be deleted when their deliveries are requested, so their owner is
        // unknown.
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
