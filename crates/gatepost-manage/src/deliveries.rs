//! The delivery log. Deliveries belong to whoever the webhook belongs to.

use std::cmp::Reverse;
use std::collections::HashMap;

use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryQuery, Replay, WebhookQuery,
};
use gatepost_storage::{Order, Page, Row};
use webhook_model::{Webhook, WebhookId};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::error::ManageError;
use crate::finish::contain;
use crate::listed::{Judge, Listed, fill, seen};
use crate::tables::DELIVERIES;

/// Webhooks of one caller that are asked one by one; with more than these, the log is walked.
const MOST_ASKED: u32 = 20;
/// Deliveries that are held for that at a time: they come with their messages.
const MOST_HELD: usize = 2_000;
/// Deliveries that are read at a time where the log is walked.
const STRIDE: u32 = 200;

impl Actor {
    /// A delivery, and its webhook.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn delivery(
        &self,
        id: DeliveryId,
    ) -> Result<(Delivery, Row<WebhookId, Webhook>), ManageError> {
        contain(self.own_delivery(id)).await
    }

    /// One page of the deliveries that match.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn deliveries(
        &self,
        query: &DeliveryQuery,
    ) -> Result<Listed<Delivery, DeliveryId>, ManageError> {
        contain(self.visible_deliveries(query)).await
    }

    /// As [`deliveries`](Self::deliveries), each with its attempts, oldest first.
    ///
    /// # Errors
    /// Failures of store and accounts.
    pub async fn deliveries_with_attempts(
        &self,
        query: &DeliveryQuery,
    ) -> Result<Listed<(Delivery, Vec<AttemptRecord>), DeliveryId>, ManageError> {
        contain(async {
            let found = self.visible_deliveries(query).await?;
            let mut rows = Vec::with_capacity(found.rows.len());
            for delivery in found.rows {
                let attempts = self.engine().attempts(delivery.id).await?;
                rows.push((delivery, attempts));
            }
            let next = found.next;
            Ok(Listed { rows, next })
        })
        .await
    }

    /// The attempts of a delivery, oldest first.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn attempts(&self, id: DeliveryId) -> Result<Vec<AttemptRecord>, ManageError> {
        contain(async {
            self.own_delivery(id).await?;
            Ok(self.engine().attempts(id).await?)
        })
        .await
    }

    /// Deletes a delivery from the log, and from the queue if it still waits.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn delete_delivery(&self, id: DeliveryId) -> Result<(), ManageError> {
        self.change(DELIVERIES, Operation::Delete, move |actor| async move {
            actor.own_delivery(id).await?;
            actor.engine().delete_delivery(id).await?;
            Ok((id.0, ()))
        })
        .await
    }

    /// Queues a delivery again that has ended: the same bytes under the same id.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::WrongState`] when it has not ended, failures of
    /// store and accounts.
    pub async fn replay_delivery(&self, id: DeliveryId) -> Result<(), ManageError> {
        self.change(DELIVERIES, Operation::Replay, move |actor| async move {
            actor.own_delivery(id).await?;
            match actor.engine().replay(&Replay::Ids(vec![id])).await? {
                0 => Err(ManageError::WrongState),
                _ => Ok((id.0, ())),
            }
        })
        .await
    }

    /// Ends a delivery that still waits.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::WrongState`] when it does not wait, failures of
    /// store and accounts.
    pub async fn cancel_delivery(&self, id: DeliveryId) -> Result<(), ManageError> {
        self.change(DELIVERIES, Operation::Cancel, move |actor| async move {
            actor.own_delivery(id).await?;
            match actor.engine().cancel(&[id]).await? {
                0 => Err(ManageError::WrongState),
                _ => Ok((id.0, ())),
            }
        })
        .await
    }

    /// The delivery and its webhook, if the caller may see the webhook.
    async fn own_delivery(
        &self,
        id: DeliveryId,
    ) -> Result<(Delivery, Row<WebhookId, Webhook>), ManageError> {
        let delivery = self.engine().delivery(id).await?;
        let delivery = delivery.ok_or(ManageError::NotFound)?;
        let webhook = self.own_webhook(delivery.webhook).await?;
        Ok((delivery, webhook))
    }

    async fn visible_deliveries(
        &self,
        query: &DeliveryQuery,
    ) -> Result<Listed<Delivery, DeliveryId>, ManageError> {
        let of_few = match query.webhook {
            _ if self.sees_all() => None,
            Some(webhook) if seen(self.own_webhook(webhook).await)? => None,
            Some(_) => Some(Listed::nothing()),
            None => self.deliveries_of_few(query).await?,
        };
        match of_few {
            Some(found) => Ok(found),
            None => self.judged_deliveries(query).await,
        }
    }

    /// Walks the log, and judges each delivery by its webhook.
    async fn judged_deliveries(
        &self,
        query: &DeliveryQuery,
    ) -> Result<Listed<Delivery, DeliveryId>, ManageError> {
        let mut judge = ByWebhook {
            actor: self,
            known: HashMap::new(),
        };
        let stride = (!self.sees_all() && query.webhook.is_none()).then_some(STRIDE);
        fill(
            query.page,
            stride,
            |row| row.id,
            &mut judge,
            |page| {
                let query = DeliveryQuery {
                    page,
                    ..query.clone()
                };
                async move { self.engine().list_deliveries(&query).await }
            },
        )
        .await
    }

    /// For a caller with few webhooks: one page of each, merged. `None` if there are too many.
    async fn deliveries_of_few(
        &self,
        query: &DeliveryQuery,
    ) -> Result<Option<Listed<Delivery, DeliveryId>>, ManageError> {
        let webhooks = WebhookQuery {
            owner: None,
            name: None,
            page: Page::newest(MOST_ASKED + 1),
        };
        let webhooks = self.visible_webhooks(&webhooks).await?;
        let limit = query.page.limit as usize;
        let few = webhooks.next.is_none() && webhooks.rows.len() <= MOST_ASKED as usize;
        if !few || webhooks.rows.len().saturating_mul(limit) > MOST_HELD {
            return Ok(None);
        }
        let mut rows = Vec::new();
        for webhook in webhooks.rows {
            let query = DeliveryQuery {
                webhook: Some(webhook.id),
                ..query.clone()
            };
            rows.extend(self.engine().list_deliveries(&query).await?);
        }
        match query.page.order {
            Order::Ascending => rows.sort_by_key(|delivery| delivery.id),
            Order::Descending => rows.sort_by_key(|delivery| Reverse(delivery.id)),
        }
        rows.truncate(limit);
        let next = rows.last().map(|last| last.id);
        let next = next.filter(|_| rows.len() >= limit);
        Ok(Some(Listed { rows, next }))
    }
}

/// By the owner of the webhook; each webhook is asked for once.
struct ByWebhook<'a> {
    actor: &'a Actor,
    known: HashMap<WebhookId, bool>,
}

impl Judge<Delivery> for ByWebhook<'_> {
    async fn may_see(&mut self, row: &Delivery) -> Result<bool, ManageError> {
        if self.actor.sees_all() {
            return Ok(true);
        }
        if let Some(known) = self.known.get(&row.webhook) {
            return Ok(*known);
        }
        let may = seen(self.actor.own_webhook(row.webhook).await)?;
        self.known.insert(row.webhook, may);
        Ok(may)
    }
}
