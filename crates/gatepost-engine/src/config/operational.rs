//! Events about the webhooks and keys of users.

use webhook_model::{EventType, Occurrence, WebhookId};

use super::setters::setters;

/// The type of events about webhooks.
pub(crate) const WEBHOOKS: &str = "webhooks";
/// The type of events about API keys.
pub(crate) const KEYS: &str = "api_keys";

/// The operational events: notices to users about their own webhooks and keys, as occurrences like
/// those of the platform. An event on them runs a task, and another webhook sends the message. None
/// by default, since each kind adds a type to the catalog, and a platform may have its own type of
/// that name.
///
/// An occurrence is for the owner of the webhook or key. On a platform with tenants the tenant's
/// administrators receive it too, system administrators receive all, and nobody else does, whatever
/// the platform's rule for its own occurrences is.
///
/// Loops are cut in two ways. An occurrence about a webhook makes no delivery to that webhook. The
/// outcomes of deliveries that such an occurrence made cause no further occurrence.
///
/// ```
/// use gatepost_engine::OperationalEvents;
/// let webhooks_alone = OperationalEvents::default().with_webhooks(true);
/// assert_ne!(webhooks_alone, OperationalEvents::all());
/// ```
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct OperationalEvents {
    /// The type `webhooks` with `failing`, `recovered`, `disabled`, `exhausted` and `rejected`. The
    /// engine emits them.
    pub webhooks: bool,
    /// The type `api_keys` with `created`, `deleted`, `expiring`, `leaked` and `refused_address`.
    /// The engine only offers them: the key service notifies the platform's observer of them.
    /// `gatepost-manage` has an observer that passes them on to the engine.
    pub keys: bool,
}

setters! { OperationalEvents {
    /// Sets [`webhooks`](Self::webhooks).
    with_webhooks: webhooks: bool,
    /// Sets [`keys`](Self::keys).
    with_keys: keys: bool,
} }

impl OperationalEvents {
    /// Returns all operational events.
    #[must_use]
    pub fn all() -> Self {
        Self {
            webhooks: true,
            keys: true,
        }
    }

    /// Whether events of this type are offered.
    pub(crate) fn include(self, event_type: &EventType) -> bool {
        match event_type.as_str() {
            WEBHOOKS => self.webhooks,
            KEYS => self.keys,
            _ => false,
        }
    }

    /// Returns the webhook that an operational occurrence is about.
    pub(crate) fn webhook_of(self, occurrence: &Occurrence) -> Option<WebhookId> {
        let is_of_webhooks = self.webhooks && occurrence.event_type.as_str() == WEBHOOKS;
        let object = occurrence.object.as_ref().filter(|_| is_of_webhooks);
        object
            .and_then(|object| object.id.as_number())
            .map(WebhookId)
    }
}
