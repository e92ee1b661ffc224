//! A webhook, with what every request needs made ready.

use delivery::{Request, RequestError};
use gatepost_storage::{Revision, Row};
use webhook_model::{DeliveryOrder, Webhook, WebhookId};

use super::credentials::Credentials;
use super::prototype::prototype;
use crate::tokens::TokenSlot;

#[derive(Debug)]
pub(crate) struct Route {
    pub id: WebhookId,
    pub revision: Revision,
    pub webhook: Webhook,
    /// All of a request but its id and its body, and an access token where it needs one.
    pub request: Result<Request, RequestError>,
    /// What the log must not repeat.
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

    /// As it is stored.
    pub(crate) fn stored(row: Row<WebhookId, Webhook>) -> Self {
        Self::new(row.id, row.revision, row.value)
    }

    /// A webhook that is not stored, or not as it is given here.
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
