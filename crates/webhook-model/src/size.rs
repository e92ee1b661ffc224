//! What a record counts for in its owner's quota of bytes.

use crate::event::Event;
use crate::task::{Action, Task};
use crate::webhook::Webhook;

/// What a row costs beyond its texts, about.
const ROW: u64 = 256;

/// What a byte of a filter counts for: all filters of a kind of event are in memory, read, when an
/// occurrence of it comes.
const FILTER: u64 = 32;

impl Webhook {
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

impl Task {
    /// The bytes of its texts and about what the row itself costs.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        let message = match &self.action {
            Action::Send { message, .. } => sum(&[message.as_str()]),
        };
        ROW + message + sum(&[self.name.as_str(), self.description.as_str()])
    }
}

impl Event {
    /// The bytes of its texts, those of its filter 32 times, and about what the row itself costs.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        let each = if self.filters.is_empty() { 1 } else { FILTER };
        let filter = each * sum(&[self.filters.as_str()]);
        let label = self.label.as_str();
        let words = sum(&[self.event_type.as_str(), self.event.as_str(), label]);
        ROW + words + filter + sum(&[&self.context.to_string()])
    }
}

fn sum(texts: &[&str]) -> u64 {
    texts.iter().map(|text| text.len() as u64).sum()
}

#[cfg(test)]
mod tests {
    use gatepost_ids::{OwnerId, TaskId, WebhookId};

    use super::*;
    use crate::event::{JsonObject, Target};
    use crate::filter::Filter;
    use crate::text::EventLabel;
    use crate::webhook::{Authorization, ClientIdentity, Headers, SigningSecret, SigningSecrets};

    #[test]
    fn a_record_counts_each_of_its_texts() {
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

        let task = Task {
            creator: OwnerId(1),
            name: "ab".parse().unwrap(),
            description: "c".parse().unwrap(),
            enabled: true,
            delete_after_run: false,
            action: Action::Send {
                webhook: WebhookId(1),
                message: "\u{e9}".parse().unwrap(),
            },
        };
        assert_eq!(task.stored_bytes(), ROW + 2 + 1 + 2);
        let mut event = Event {
            event_type: "vms".parse().unwrap(),
            event: "on".parse().unwrap(),
            target: Target::Generic,
            task: TaskId(1),
            enabled: true,
            filters: Filter::default(),
            context: JsonObject::default(),
            label: "abc".parse::<EventLabel>().unwrap(),
        };
        assert_eq!(event.stored_bytes(), ROW + 3 + 2 + 2 + 2 + 3);
        event.filters = r#"{"a":1}"#.parse().unwrap();
        assert_eq!(event.stored_bytes(), ROW + 3 + 2 + 2 + 3 + 32 * 7);
    }
}
