//! The webhooks that an occurrence names.

use gatepost_ids::WebhookId;

use crate::error::{Field, Invalid};

/// The maximum number of webhooks that an occurrence names.
pub const MAX_CHOSEN: usize = 100;

/// The webhooks that an occurrence names: 1 to [`MAX_CHOSEN`], without duplicates and in order of
/// row numbers. Only those tasks run that match the occurrence and send to one of these webhooks.
/// It never adds a recipient: tasks that do not match, or may not receive the occurrence, do not
/// run.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WebhookIds(Vec<WebhookId>);

impl WebhookIds {
    /// Creates it from these webhooks.
    ///
    /// # Errors
    /// None, or more than [`MAX_CHOSEN`].
    pub fn new(webhooks: impl IntoIterator<Item = WebhookId>) -> Result<Self, Invalid> {
        let mut chosen: Vec<_> = webhooks.into_iter().take(MAX_CHOSEN + 1).collect();
        if chosen.is_empty() || chosen.len() > MAX_CHOSEN {
            let rule = format!("must be 1 to {MAX_CHOSEN} webhooks");
            return Err(Invalid::new(Field::To, rule));
        }
        chosen.sort();
        chosen.dedup();
        Ok(Self(chosen))
    }

    /// Returns whether this webhook is one of them.
    #[must_use]
    pub fn contains(&self, webhook: WebhookId) -> bool {
        self.0.binary_search(&webhook).is_ok()
    }

    /// Returns the webhooks.
    pub fn iter(&self) -> impl Iterator<Item = WebhookId> {
        self.0.iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhook_ids_hold_1_to_100_and_deduplicate() {
        let of = |ids: &[i64]| WebhookIds::new(ids.iter().copied().map(WebhookId));
        let chosen = of(&[7, -1, 7]).unwrap();
        assert_eq!(
            chosen.iter().collect::<Vec<_>>(),
            [WebhookId(-1), WebhookId(7)]
        );
        assert!(chosen.contains(WebhookId(7)) && !chosen.contains(WebhookId(8)));
        assert_eq!(of(&[]).unwrap_err().field(), Field::To);
        let many: Vec<_> = (0..=100).collect();
        assert!(of(&many[1..]).is_ok() && of(&many).is_err());
    }
}
