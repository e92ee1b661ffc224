//! A webhook with the prepared part of its requests.

use delivery::{Request, RequestError};
use gatepost_storage::{Revision, Row};
use webhook_model::{DeliveryOrder, Webhook, WebhookId};

use super::credentials::Credentials;
use super::request_template::prototype;
use crate::tokens::TokenSlot;

#[derive(Debug)]
pub(crate) struct Route {
    pub id: WebhookId,
    pub revision: Revision,
    pub webhook: Webhook,
    /// The request except its id, its body, and an access token if it needs one.
    pub request: Result<Request, RequestError>,
    /// The texts that the log must not contain.
    pub credentials: Credentials,
    /// The access token of an OAuth 2 client.
    pub token: TokenSlot,
}

impl Route {
    pub(crate) fn new(id: WebhookId, revision: Revision, webhook: Webhook) -> Self {
        Self {
            id,
            revision,
            request: prototype(&webhook),
            credentials: Credentials::of(&webhook),
            token: TokenSlot::default(),
            webhook,
        }
    }

    /// Creates the route of a stored webhook.
    pub(crate) fn stored(row: Row<WebhookId, Webhook>) -> Self {
        Self::new(row.id, row.revision, row.value)
    }

    /// Creates the route of a webhook that is not stored, or differs from the stored one.
    pub(crate) fn unstored(webhook: Webhook) -> Self {
        Self::new(WebhookId(0), Revision(0), webhook)
    }

    pub(crate) fn sends(&self) -> bool {
        self.webhook.sends()
    }

    pub(crate) fn is_in_order(&self) -> bool {
        self.webhook.order == DeliveryOrder::InOrder
    }
}
