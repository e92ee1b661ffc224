//! A webhook, with what every request needs made ready.

use std::sync::Arc;

use delivery::{Request, RequestError};
use webhook_model::{Activity, DeliveryOrder, Webhook, WebhookId};

use super::prototype::prototype;

#[derive(Debug)]
pub(crate) struct Route {
    pub id: WebhookId,
    pub webhook: Webhook,
    /// The host name, for fairness and circuit breakers.
    pub host: Arc<str>,
    /// All of a request but its id and its body.
    pub request: Result<Request, RequestError>,
}

impl Route {
    pub(crate) fn new(id: WebhookId, webhook: Webhook) -> Self {
        let url = webhook.url.as_url();
        let host = url.host_str().unwrap_or_default();
        Self {
            id,
            host: host.to_ascii_lowercase().into(),
            request: prototype(&webhook),
            webhook,
        }
    }

    /// A webhook that is not stored, or not as it is given here.
    pub(crate) fn unstored(webhook: Webhook) -> Self {
        Self::new(WebhookId(0), webhook)
    }

    pub(crate) fn is_active(&self) -> bool {
        self.webhook.activity == Activity::Active
    }

    pub(crate) fn is_in_order(&self) -> bool {
        self.webhook.order == DeliveryOrder::InOrder
    }
}
