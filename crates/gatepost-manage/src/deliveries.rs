//! The delivery log. A delivery belongs to its webhook's owner, and stays with the tenant in which
//! it was made.

use gatepost_engine::Replay;
use gatepost_engine::WaitReason;
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryQuery, DeliveryState,
};
use gatepost_storage::{Bodies, Row};
use webhook_model::{Webhook, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::completion::{Answer, contain};
use crate::error::ManageError;
use crate::subject::Subject;
use crate::tables::DELIVERIES;
use crate::visible_rows::{Listed, Whose};

/// The size of requests and responses on a page.
const RESPONSES: Bodies = Bodies::UpTo(1024 * 1024);

impl Actor {
    /// Returns a delivery and its webhook. The latter is `None` if it cannot be read, or if the
    /// caller may not see it because its owner has moved to another tenant.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub fn delivery(
        &self,
        id: DeliveryId,
    ) -> Answer<'_, (Delivery, Option<Row<WebhookId, Webhook>>)> {
        contain(async move {
            let delivery = self.seen_delivery(id).await?;
            match self.own_webhook(delivery.webhook).await {
                Err(ManageError::NotFound | ManageError::Unreadable) => Ok((delivery, None)),
                webhook => Ok((delivery, Some(webhook?))),
            }
        })
    }

    /// Returns one page of the deliveries that match and that the caller may see.
    ///
    /// # Errors
    /// [`ManageError::TooFast`] if too many lists of the caller wait; failures of store and
    /// accounts.
    pub fn deliveries<'a>(
        &'a self,
        query: &'a DeliveryQuery,
    ) -> Answer<'a, Listed<Delivery, DeliveryId>> {
        contain(self.visible_deliveries(query))
    }

    /// Returns the same as [`deliveries`](Self::deliveries), each with its last attempt. The page
    /// ends with the row at which the responses reach 1 MiB.
    ///
    /// # Errors
    /// The errors of [`deliveries`](Self::deliveries).
    pub fn deliveries_with_responses<'a>(
        &'a self,
        query: &'a DeliveryQuery,
    ) -> Answer<'a, Listed<(Delivery, Option<AttemptRecord>), DeliveryId>> {
        contain(async move {
            let found = self.visible_deliveries(query).await?;
            let (mut rows, mut room) = (Vec::new(), RESPONSES);
            let mut left = found.rows.into_iter();
            for delivery in left.by_ref() {
                let last = self.engine().attempts(delivery.id, 1).await?.pop();
                let more = room.take(last.as_ref().map_or(0, AttemptRecord::kept_bytes));
                rows.push((delivery, last));
                if !more {
                    break;
                }
            }
            let cut_at = rows.last().map(|(delivery, _)| delivery.id);
            let next = if left.len() > 0 { cut_at } else { found.next };
            Ok(Listed { rows, next })
        })
    }

    /// Returns the last attempts of a delivery, at most this many, oldest first.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub fn attempts(&self, id: DeliveryId, last: u32) -> Answer<'_, Vec<AttemptRecord>> {
        contain(async move {
            self.seen_delivery(id).await?;
            Ok(self.engine().attempts(id, last).await?)
        })
    }

    /// Deletes a delivery from the log, and from the queue if it still waits.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::Forbidden`] if its owner has moved to another
    /// tenant, failures of store and accounts.
    pub fn delete_delivery(&self, id: DeliveryId) -> Answer<'_, ()> {
        self.change(DELIVERIES, Operation::Delete, move |actor| async move {
            let subject = Subject::delivery(&actor.own_delivery(id).await?);
            actor.engine().delete_delivery(id).await?;
            Ok((subject, ()))
        })
    }

    /// Queues an ended delivery again: the same bytes under the same id.
    ///
    /// # Errors
    /// The errors of [`delete_delivery`](Self::delete_delivery); [`ManageError::WrongState`] if it
    /// has not ended or its message was not kept; [`ManageError::TooFast`].
    pub fn replay_delivery(&self, id: DeliveryId) -> Answer<'_, ()> {
        self.change(DELIVERIES, Operation::Replay, move |actor| async move {
            let subject = Subject::delivery(&actor.own_delivery(id).await?);
            match actor.engine().replay(&Replay::Ids(vec![id])).await? {
                0 => Err(ManageError::WrongState),
                _ => Ok((subject, ())),
            }
        })
    }

    /// Makes a delivery due now that waits for its next attempt.
    ///
    /// # Errors
    /// The errors of [`delete_delivery`](Self::delete_delivery); [`ManageError::WrongState`] if it
    /// does not wait, or is due; [`ManageError::TooFast`].
    pub fn retry_delivery(&self, id: DeliveryId) -> Answer<'_, ()> {
        self.change(DELIVERIES, Operation::Retry, move |actor| async move {
            let subject = Subject::delivery(&actor.own_delivery(id).await?);
            match actor.engine().retry_now(&[id]).await? {
                0 => Err(ManageError::WrongState),
                _ => Ok((subject, ())),
            }
        })
    }

    /// Returns why a queued delivery still waits; `None` if it only waits for its time, or if its
    /// webhook cannot be read.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub fn wait_reason(&self, id: DeliveryId) -> Answer<'_, Option<WaitReason>> {
        Box::pin(async move {
            let (delivery, Some(webhook)) = self.delivery(id).await? else {
                return Ok(None);
            };
            contain(async { Ok(self.engine().wait_reason(&delivery, &webhook.value).await?) }).await
        })
    }

    /// Ends a delivery that still waits.
    ///
    /// # Errors
    /// The errors of [`delete_delivery`](Self::delete_delivery); [`ManageError::WrongState`] if it
    /// does not wait.
    pub fn cancel_delivery(&self, id: DeliveryId) -> Answer<'_, ()> {
        self.change(DELIVERIES, Operation::Cancel, move |actor| async move {
            let subject = Subject::delivery(&actor.own_delivery(id).await?);
            match actor.engine().cancel(&[id]).await? {
                0 => Err(ManageError::WrongState),
                _ => Ok((subject, ())),
            }
        })
    }

    pub(crate) async fn visible_deliveries(
        &self,
        query: &DeliveryQuery,
    ) -> Result<Listed<Delivery, DeliveryId>, ManageError> {
        let Some(by) = self.looked_up(query).await? else {
            return Ok(Listed::nothing());
        };
        let whose = |row: &Delivery| {
            let asked_for = query.webhook.is_none_or(|webhook| row.webhook == webhook)
                && query.task.is_none_or(|task| row.task == Some(task));
            asked_for.then_some(Whose {
                owner: row.owner,
                made_in: Some(row.tenant),
            })
        };
        let read = |scope, page| {
            let query = DeliveryQuery {
                scope,
                page,
                ..by.clone()
            };
            async move { self.engine().list_deliveries(&query).await }
        };
        let (scope, page) = (query.scope, query.page);
        // Few run at a time, and each read or edit of a task asks for them.
        if query.states == [DeliveryState::Running] {
            return self
                .listed_at_once(scope, page, |row| row.id, whose, read)
                .await;
        }
        self.listed(scope, page, |row| row.id, whose, read).await
    }
}
