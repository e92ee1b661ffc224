//! A webhook, with what every request needs made ready.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use chrono::{DateTime, Utc};
use delivery::{Request, RequestError};
use gatepost_storage::webhooks::LaneClass;
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
    /// Scheme, host name and port: what requests in flight are counted by.
    pub origin: Arc<str>,
    /// All of a request but its id and its body, and an access token where it needs one.
    pub request: Result<Request, RequestError>,
    /// What the log must not repeat.
    pub credentials: Credentials,
    /// The access token of an OAuth 2 client.
    pub token: TokenSlot,
    /// When it was changed to what it is: what was due before was perhaps held by a pause.
    pub changed: DateTime<Utc>,
    /// Classes of lanes in which nothing is left that was due before.
    no_backlog: AtomicU8,
}

impl Route {
    pub(crate) fn new(id: WebhookId, revision: Revision, webhook: Webhook) -> Self {
        Self {
            id,
            revision,
            origin: origin(&webhook),
            request: prototype(&webhook),
            credentials: Credentials::of(&webhook),
            token: TokenSlot::default(),
            webhook,
            changed: DateTime::<Utc>::MIN_UTC,
            no_backlog: AtomicU8::new(0),
        }
    }

    /// As it is stored.
    pub(crate) fn stored(row: Row<WebhookId, Webhook>) -> Self {
        Self {
            changed: row.modified,
            ..Self::new(row.id, row.revision, row.value)
        }
    }

    /// A webhook that is not stored, or not as it is given here.
    pub(crate) fn unstored(webhook: Webhook) -> Self {
        Self::new(WebhookId(0), Revision(0), webhook)
    }

    pub(crate) fn sends(&self) -> bool {
        self.webhook.sends()
    }

    /// Whether it is known that nothing is left in that lane which was due before it was changed.
    pub(crate) fn has_no_backlog(&self, class: LaneClass) -> bool {
        self.no_backlog.load(Ordering::Relaxed) & bit(class) != 0
    }

    pub(crate) fn set_no_backlog(&self, class: LaneClass) {
        self.no_backlog.fetch_or(bit(class), Ordering::Relaxed);
    }

    pub(crate) fn is_in_order(&self) -> bool {
        self.webhook.order == DeliveryOrder::InOrder
    }
}

fn bit(class: LaneClass) -> u8 {
    match class {
        LaneClass::First => 1,
        LaneClass::Retry => 2,
        LaneClass::Lost => 4,
        LaneClass::Alone => 8,
    }
}

/// Names that differ only in the dot of the root are one host.
fn origin(webhook: &Webhook) -> Arc<str> {
    let url = webhook.url.as_url();
    let host = url.host_str().unwrap_or_default().trim_end_matches('.');
    let port = url.port_or_known_default().unwrap_or_default();
    format!("{}://{}:{port}", url.scheme(), host.to_ascii_lowercase()).into()
}

#[cfg(test)]
mod tests {
    use webhook_model::OwnerId;

    use super::*;

    #[test]
    fn an_origin_is_scheme_host_and_port_however_they_are_written() {
        let of = |url: &str| {
            let webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url.parse().unwrap());
            Route::unstored(webhook).origin
        };
        let chat = of("https://chat.example.com/a");
        for same in [
            "https://CHAT.example.com:443/b?c",
            "https://chat.example.com./",
        ] {
            assert_eq!(of(same), chat);
        }
        for other in [
            "http://chat.example.com/a",
            "https://chat.example.com:81/a",
            "https://example.com/a",
        ] {
            assert_ne!(of(other), chat);
        }
    }
}
