//! The record of a webhook.

use gatepost_ids::OwnerId;

use super::authorization::Authorization;
use super::client_identity::ClientIdentity;
use super::headers::Headers;
use super::limits::{RateLimit, Retries, Timeout};
use super::retry_schedule::RetrySchedule;
use super::signing::SigningSecrets;
use super::url::TargetUrl;
use crate::error::{Field, Invalid};
use crate::event::Channels;
use crate::size::{ROW, sum};
use crate::text::WebhookName;

/// The activity of a webhook: whether it sends.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum Activity {
    /// The webhook sends.
    #[default]
    Active,
    /// Paused manually: deliveries are queued and wait.
    Paused,
    /// Disabled, manually or by the platform's policy: deliveries are queued and wait.
    Disabled,
}

/// The order of a webhook's deliveries.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum DeliveryOrder {
    /// Many at a time, in no guaranteed order.
    #[default]
    Unordered,
    /// One at a time, in the order in which they were queued; a failing delivery delays the next
    /// until it has ended.
    InOrder,
}

/// The delivery mode: how messages get to their receiver. An extension of the SPEC, which has only
/// `Push`.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum DeliveryMode {
    /// They are sent to the URL.
    #[default]
    Push,
    /// They wait until the receiver fetches them, for a receiver behind a firewall. Nothing is sent
    /// to the URL, which then only identifies the receiver; authorization, timeout, retries and
    /// rate have no effect.
    Fetch,
}

impl DeliveryMode {
    /// All modes, the default first.
    pub const ALL: [Self; 2] = [Self::Push, Self::Fetch];

    /// Returns the word on the wire: `push` or `fetch`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Fetch => "fetch",
        }
    }

    /// Parses the word on the wire.
    ///
    /// # Errors
    /// [`Invalid`] for any other word.
    pub fn parse(word: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|mode| mode.as_str() == word);
        found.ok_or_else(|| Invalid::new(Field::DeliveryMode, "must be push or fetch"))
    }
}

/// A webhook: the target of messages, and how to send them.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a record: who stores it learns of a new field from the compiler"
)]
pub struct Webhook {
    /// The owner.
    pub owner: OwnerId,
    /// A descriptive name.
    pub name: WebhookName,
    /// The target.
    pub url: TargetUrl,
    /// The authorization at the target.
    pub authorization: Authorization,
    /// The client certificate for a target that requests one, in addition to the authorization.
    pub client_identity: Option<ClientIdentity>,
    /// Custom headers, in order.
    pub headers: Headers,
    /// Whether certificates that cannot be verified are accepted: for test and development (SPEC
    /// 2.2).
    pub allow_insecure: bool,
    /// The response timeout.
    pub timeout: Timeout,
    /// The number of reattempts after the first attempt, unless `retry_schedule` is set.
    pub retries: Retries,
    /// The delays between attempts; `None` means `retries` reattempts with the platform's delays.
    pub retry_schedule: Option<RetrySchedule>,
    /// Whether it sends.
    pub activity: Activity,
    /// Whether messages are sent or wait for the receiver to fetch them.
    pub mode: DeliveryMode,
    /// The order of deliveries.
    pub order: DeliveryOrder,
    /// The secrets that sign deliveries; without any they are not signed.
    pub signing: SigningSecrets,
    /// The maximum number of requests per second, if limited.
    pub rate: Option<RateLimit>,
    /// The channels that it receives, for occurrences in a channel.
    pub channels: Channels,
}

impl Webhook {
    /// Creates a webhook with the defaults of SPEC 2.2: JSON content type, no authorization,
    /// certificates verified, 5 seconds, 3 retries.
    #[must_use]
    pub fn new(owner: OwnerId, name: WebhookName, url: TargetUrl) -> Self {
        Self {
            owner,
            name,
            url,
            authorization: Authorization::None,
            client_identity: None,
            headers: Headers::default(),
            allow_insecure: false,
            timeout: Timeout::default(),
            retries: Retries::default(),
            retry_schedule: None,
            activity: Activity::default(),
            mode: DeliveryMode::default(),
            order: DeliveryOrder::default(),
            signing: SigningSecrets::none(),
            rate: None,
            channels: Channels::default(),
        }
    }

    /// Returns whether deliveries are sent automatically: it is active, and its mode is not fetch.
    #[must_use]
    pub fn sends(&self) -> bool {
        self.activity == Activity::Active && self.mode == DeliveryMode::Push
    }

    /// Returns the maximum number of attempts after the first one: the number of delays in
    /// `retry_schedule`, or `retries`.
    #[must_use]
    pub fn reattempts(&self) -> u32 {
        let scheduled = self.retry_schedule.as_ref().map(RetrySchedule::retries);
        scheduled.unwrap_or_else(|| self.retries.get())
    }

    /// Returns the bytes of its texts, and the approximate size of the row itself.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        let headers = self.headers.iter();
        let headers = headers.map(|header| sum(&[header.name(), header.value()]));
        let signing = self.signing.iter().map(|secret| sum(&[secret.expose()]));
        let secret = self.authorization.secret_text();
        let secret = secret.map_or(0, |secret| sum(&[secret.expose()]));
        let identity = self.client_identity.as_ref();
        let identity = identity.map_or(0, |i| sum(&[i.certificate(), i.key().expose()]));
        let texts = sum(&[self.name.as_str(), self.url.as_str()]);
        let channels = self.channels.iter().map(|channel| sum(&[channel.as_str()]));
        let schedule = self
            .retry_schedule
            .as_ref()
            .map(|s| sum(&[&s.as_seconds()]));
        let short = channels.sum::<u64>() + schedule.unwrap_or_default();
        ROW + texts + short + secret + identity + headers.sum::<u64>() + signing.sum::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::webhook::SigningSecret;

    #[test]
    fn webhook_counts_each_of_its_texts() {
        let url = "https://example.com/".parse().unwrap();
        let mut webhook = Webhook::new(OwnerId(1), "name".parse().unwrap(), url);
        webhook.headers = Headers::from_pairs([("a", "bc")]).unwrap();
        let plain = webhook.stored_bytes();
        assert_eq!(plain, ROW + 4 + 20 + 3);
        webhook.authorization = Authorization::bearer("secret").unwrap();
        assert_eq!(webhook.stored_bytes(), plain + 6);
        webhook.channels = "ab, c".parse().unwrap();
        webhook.retry_schedule = Some("5s, 1m".parse().unwrap());
        assert_eq!(webhook.stored_bytes(), plain + 6 + 3 + 4);
        let plain = plain + 3 + 4;
        let certificate = "-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n";
        let key = "-----BEGIN PRIVATE KEY-----\nAA\n-----END PRIVATE KEY-----\n";
        webhook.client_identity = Some(ClientIdentity::new(certificate, key).unwrap());
        let identity = (certificate.len() + key.len()) as u64;
        assert_eq!(webhook.stored_bytes(), plain + 6 + identity);
        let plain = plain + identity;
        let secret = "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
        let signing = vec![SigningSecret::parse(secret).unwrap()];
        webhook.signing = SigningSecrets::new(signing).unwrap();
        let signed = webhook.stored_bytes() - plain - 6;
        assert_eq!(signed, secret.len() as u64);
    }
}
