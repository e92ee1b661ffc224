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

/// Whether a webhook sends.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
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
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum DeliveryOrder {
    /// Many at a time, in no promised order.
    #[default]
    Unordered,
    /// One at a time; a failing one holds up those behind it until it has ended.
    InOrder,
}

/// How messages get to their receiver. Ours; SPEC 2.2 knows `Push` alone.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum DeliveryMode {
    /// They are sent to the URL.
    #[default]
    Push,
    /// They wait until the receiver fetches them: for one behind a firewall. Nothing is sent to the
    /// URL, which then only says where they belong; authorization, timeout, retries and rate have
    /// no effect.
    Fetch,
}

impl DeliveryMode {
    /// All modes, the default first.
    pub const ALL: [Self; 2] = [Self::Push, Self::Fetch];

    /// Its word on the wire: `push` or `fetch`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Push => "push",
            Self::Fetch => "fetch",
        }
    }

    /// The mode of a word.
    ///
    /// # Errors
    /// [`Invalid`] for any other word.
    pub fn parse(word: &str) -> Result<Self, Invalid> {
        let found = Self::ALL.into_iter().find(|mode| mode.as_str() == word);
        found.ok_or_else(|| Invalid::new(Field::DeliveryMode, "must be push or fetch"))
    }
}

/// A webhook.
#[derive(Clone, Debug, PartialEq)]
#[allow(
    clippy::exhaustive_structs,
    reason = "a record: who stores it learns of a new field from the compiler"
)]
pub struct Webhook {
    /// The user who owns it.
    pub owner: OwnerId,
    /// A descriptive name.
    pub name: WebhookName,
    /// The endpoint.
    pub url: TargetUrl,
    /// What authenticates us to the target.
    pub authorization: Authorization,
    /// The client certificate that a target is shown that asks for one, beside the authorization.
    pub client_identity: Option<ClientIdentity>,
    /// Custom headers, in order.
    pub headers: Headers,
    /// Accepts certificates that cannot be verified: for test and development (SPEC 2.2).
    pub allow_insecure: bool,
    /// How long to wait for the target's response.
    pub timeout: Timeout,
    /// Reattempts after the first attempt, unless `retry_schedule` says so.
    pub retries: Retries,
    /// When it tries again, and how often; `None`: `retries` times, when the platform says.
    pub retry_schedule: Option<RetrySchedule>,
    /// Whether it sends.
    pub activity: Activity,
    /// Whether it sends, or waits for who fetches.
    pub mode: DeliveryMode,
    /// Whether deliveries keep their order.
    pub order: DeliveryOrder,
    /// Secrets that sign deliveries; none means that they are not signed.
    pub signing: SigningSecrets,
    /// The most requests a second, if limited.
    pub rate: Option<RateLimit>,
    /// Of what occurs in channels, it receives these.
    pub channels: Channels,
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

    /// Whether deliveries leave by themselves: it is active, and they are not to be fetched.
    #[must_use]
    pub fn sends(&self) -> bool {
        self.activity == Activity::Active && self.mode == DeliveryMode::Push
    }

    /// How many attempts follow the first one, if all fail: as many as `retry_schedule` has delays,
    /// or else `retries`.
    #[must_use]
    pub fn reattempts(&self) -> u32 {
        let scheduled = self.retry_schedule.as_ref().map(RetrySchedule::retries);
        scheduled.unwrap_or_else(|| self.retries.get())
    }

    /// The bytes of its texts and about what the row itself costs.
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
