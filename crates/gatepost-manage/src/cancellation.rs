//! Cancelling the waiting deliveries of a task (WIRE 6).

use gatepost_storage::webhooks::{DeliveryId, DeliveryQuery, DeliveryState};
use gatepost_storage::{Bodies, Page};
use webhook_model::TaskId;

use crate::actor::Actor;
use crate::audit::Operation;
use crate::completion::Answer;
use crate::error::ManageError;
use crate::subject::Subject;
use crate::tables::TASKS;

/// The number of rows ended in one transaction.
const BITE: u32 = 100;

impl Actor {
    /// Ends the waiting deliveries of a task, before their first attempt or a retry, as `error`;
    /// they can be replayed. Running deliveries continue, and so do later ones of the task. Returns
    /// the number of ended deliveries; zero is not an error.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`]; [`ManageError::TooFast`] if too many
    /// lists of the caller wait; failures of store and accounts. In the latter case some deliveries
    /// may have ended, which is audited, and calling again continues with the rest.
    pub fn cancel_task(&self, id: TaskId) -> Answer<'_, u64> {
        let cancelled = self.change(TASKS, Operation::Cancel, move |actor| async move {
            let row = actor.own_task(id).await?;
            let mut cancelled = 0;
            let ended = actor.cancel_waiting(id, &mut cancelled).await;
            let ended = match ended {
                // A part succeeded, so there is something to record.
                Err(error) if cancelled > 0 => {
                    error.log();
                    Err(error)
                }
                ended => Ok(ended?),
            };
            let subject = Subject::new(row.id, row.owner, row.value.name.as_str());
            Ok((subject, ended.map(|()| cancelled)))
        });
        Box::pin(async move { cancelled.await? })
    }

    /// Adds the number of ended deliveries to `cancelled`, even if it fails.
    async fn cancel_waiting(&self, task: TaskId, cancelled: &mut u64) -> Result<(), ManageError> {
        // From the newest on, so that deliveries queued in the meantime are skipped: otherwise it
        // would not end.
        let mut page = Page::newest(BITE).with_bodies(Bodies::Omitted);
        loop {
            let (ids, next) = self.waiting_of(task, page).await?;
            if !ids.is_empty() {
                *cancelled += self.engine().cancel(&ids).await?;
            }
            match next {
                Some(next) => page = page.beyond(next),
                None => return Ok(()),
            }
        }
    }

    /// Returns a page of a task's waiting deliveries that the caller may change, and the start of
    /// the next page.
    async fn waiting_of(
        &self,
        task: TaskId,
        page: Page<DeliveryId>,
    ) -> Result<(Vec<DeliveryId>, Option<DeliveryId>), ManageError> {
        let query = DeliveryQuery {
            task: Some(task),
            states: vec![DeliveryState::Queued],
            ..DeliveryQuery::all(page)
        };
        let found = self.visible_deliveries(&query).await?;
        let mut ids = Vec::new();
        for delivery in &found.rows {
            // Its owner may have moved to another tenant.
            if self.manages(delivery.owner).await? {
                ids.push(delivery.id);
            }
        }
        Ok((ids, found.next))
    }
}
