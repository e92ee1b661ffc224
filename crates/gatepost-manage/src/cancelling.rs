//! What still waits of a task is cancelled (WIRE 6).

use gatepost_storage::webhooks::{DeliveryId, DeliveryQuery, DeliveryState};
use gatepost_storage::{Bodies, Page};
use webhook_model::TaskId;

use crate::actor::Actor;
use crate::audit::Operation;
use crate::error::ManageError;
use crate::subject::Subject;
use crate::tables::TASKS;

/// Rows that end in one transaction.
const BITE: u32 = 100;

impl Actor {
    /// Ends what still waits of a task's deliveries, for their first attempt or the next: `error`,
    /// to be replayed. What is being sent goes on, and so does what the task makes from now on.
    /// Returns how many ended; none is no error.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Unreadable`]; [`ManageError::TooFast`] where many
    /// lists of the caller wait, failures of store and accounts: some may have ended by then, which
    /// is audited, and calling again goes on with the rest.
    pub async fn cancel_task(&self, id: TaskId) -> Result<u64, ManageError> {
        self.change(TASKS, Operation::Cancel, move |actor| async move {
            let row = actor.own_task(id).await?;
            let mut cancelled = 0;
            let ended = actor.cancel_waiting(id, &mut cancelled).await;
            let ended = match ended {
                // A part was done, so there is something to record.
                Err(error) if cancelled > 0 => {
                    error.log();
                    Err(error)
                }
                ended => Ok(ended?),
            };
            let subject = Subject::new(row.id, row.owner, row.value.name.as_str());
            Ok((subject, ended.map(|()| cancelled)))
        })
        .await?
    }

    /// Counts in `cancelled` what ended, also where it fails then.
    async fn cancel_waiting(&self, task: TaskId, cancelled: &mut u64) -> Result<(), ManageError> {
        // From the newest on, so that what is queued meanwhile is not met: it would not end.
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

    /// A page of what waits of a task and is the caller's to change, and where the next begins.
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
            // Its owner may have moved to another tenant since.
            if self.manages(delivery.owner).await? {
                ids.push(delivery.id);
            }
        }
        Ok((ids, found.next))
    }
}
