//! What a record counts for in its owner's quota of bytes.

use crate::event::{Event, JsonObject};
use crate::task::{Action, Task};
use crate::webhook::Webhook;

/// What a row costs beyond its texts, about.
const ROW: u64 = 256;

impl Webhook {
    /// The bytes of its texts and about what the row itself costs.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        let headers = self.headers.iter();
        let headers = headers.map(|header| sum(&[header.name(), header.value()]));
        let signing = self.signing.iter().map(|secret| sum(&[secret.expose()]));
        let secret = self.authorization.secret_text();
        let secret = secret.map_or(0, |secret| sum(&[secret.expose()]));
        let texts = sum(&[self.name.as_str(), self.url.as_str()]);
        ROW + texts + secret + headers.sum::<u64>() + signing.sum::<u64>()
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
    /// The bytes of its texts and about what the row itself costs.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        let json = |object: &JsonObject| sum(&[&object.to_string()]);
        let words = sum(&[self.event_type.as_str(), self.event.as_str()]);
        ROW + words + json(&self.filters) + json(&self.context)
    }
}

fn sum(texts: &[&str]) -> u64 {
    texts.iter().map(|text| text.len() as u64).sum()
}
