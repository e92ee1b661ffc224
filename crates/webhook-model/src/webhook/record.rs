//! The record of a webhook.

use gatepost_ids::OwnerId;

use super::authorization::Authorization;
use super::headers::Headers;
use super::limits::{RateLimit, Retries, Timeout};
use super::signing::SigningSecrets;
use super::url::TargetUrl;
use crate::text::WebhookName;

/// Whether a webhook sends.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum Activity {
    /// It sends.
    #[default]
    Active,
    /// Paused by hand: what occurs is queued and waits.
    Paused,
    /// Disabled, by hand or by the platform's policy: what occurs is queued and waits.
    Disabled,
}

/// Whether deliveries keep the order in which they were queued.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum DeliveryOrder {
    /// Many at a time, in no promised order.
    #[default]
    Unordered,
    /// One at a time; a failing one holds up those behind it until it has ended.
    InOrder,
}

/// A webhook.
#[derive(Clone, Debug, PartialEq)]
pub struct Webhook {
    /// The user who owns it.
    pub owner: OwnerId,
    /// A descriptive name.
    pub name: WebhookName,
    /// The endpoint.
    pub url: TargetUrl,
    /// What authenticates us to the target.
    pub authorization: Authorization,
    /// Custom headers, in order.
    pub headers: Headers,
    /// Accepts certificates that cannot be verified: for test and development (SPEC 2.2).
    pub allow_insecure: bool,
    /// How long to wait for the target's response.
    pub timeout: Timeout,
    /// Reattempts after the first attempt.
    pub retries: Retries,
    /// Whether it sends.
    pub activity: Activity,
    /// Whether deliveries keep their order.
    pub order: DeliveryOrder,
    /// Secrets that sign deliveries; none means that they are not signed.
    pub signing: SigningSecrets,
    /// The most requests a second, if limited.
    pub rate: Option<RateLimit>,
}

impl Webhook {
    /// A webhook with the defaults of SPEC 2.2: JSON content type, no authorization, certificates
    /// verified, 5 seconds, 3 retries.
    #[must_use]
    pub fn new(owner: OwnerId, name: WebhookName, url: TargetUrl) -> Self {
        Self {
            owner,
            name,
            url,
            authorization: Authorization::None,
            headers: Headers::default(),
            allow_insecure: false,
            timeout: Timeout::default(),
            retries: Retries::default(),
            activity: Activity::default(),
            order: DeliveryOrder::default(),
            signing: SigningSecrets::none(),
            rate: None,
        }
    }
}
