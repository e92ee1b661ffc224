//! The criteria of a search.

use gatepost_storage::webhooks::{Delivery, DeliveryQuery, DeliveryState, MessageId};

use super::text_search::Needle;

/// The class of a successful attempt.
const OK: &str = "ok";

/// Criteria in addition to a [`DeliveryQuery`]: all that are `Some` must match.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub struct DeliveryMatch {
    /// Only deliveries whose last response had this status.
    pub status: Option<u16>,
    /// Only deliveries whose message ID, or the id of whose occurrence, begins with this text. A
    /// text that begins like a message id is not compared with occurrence ids.
    pub id: Option<String>,
    /// Only deliveries whose message, message ID, occurrence id or result (`status_info`) contains
    /// this text, case-insensitively. A message is searched as it was sent; one that was not kept
    /// has no text.
    pub text: Option<String>,
}

/// Returns the part that a store looks up: only criteria for which it does not skip rows.
pub(super) fn looked_up(query: &DeliveryQuery, wanted: &DeliveryMatch) -> DeliveryQuery {
    let mut by = DeliveryQuery {
        class: None,
        ..query.clone()
    };
    if by.webhook.is_some() {
        by.task = None;
    }
    // Deliveries that failed, ended or wait are fewer than those that were sent.
    let failed = query.class.as_deref().is_some_and(|class| class != OK)
        || wanted
            .status
            .is_some_and(|status| !(200..300).contains(&status));
    if failed && by.states.is_empty() {
        by.states = vec![
            DeliveryState::Queued,
            DeliveryState::Running,
            DeliveryState::Error,
        ];
    }
    if by.states.contains(&DeliveryState::Sent) {
        by.states.clear();
    }
    if let Some((from, before)) = wanted.id.as_deref().and_then(MessageId::made_between) {
        by.created_from = Some(by.created_from.map_or(from, |asked| asked.max(from)));
        by.created_before = Some(by.created_before.map_or(before, |asked| asked.min(before)));
    }
    by
}

/// Compares rows with all criteria.
pub(super) struct Sieve<'a> {
    query: &'a DeliveryQuery,
    wanted: &'a DeliveryMatch,
    needle: Option<Needle>,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(query: &'a DeliveryQuery, wanted: &'a DeliveryMatch) -> Self {
        Self {
            query,
            wanted,
            needle: wanted.text.as_deref().map(Needle::new),
        }
    }

    pub(super) async fn passes(&mut self, row: &Delivery) -> bool {
        self.is_wanted(row) && self.has_text(row).await
    }

    fn is_wanted(&self, row: &Delivery) -> bool {
        let (query, wanted) = (self.query, self.wanted);
        let is_named = |id: &String| {
            row.message_id.as_str().starts_with(id)
                || occurrence(row).is_some_and(|occurrence| occurrence.starts_with(id))
        };
        (query.states.is_empty() || query.states.contains(&row.state))
            && query.task.is_none_or(|task| row.task == Some(task))
            && query.class.as_ref().is_none_or(|class| row.class == *class)
            && wanted
                .status
                .is_none_or(|status| row.response_status == Some(status))
            && wanted.id.as_ref().is_none_or(is_named)
    }

    async fn has_text(&mut self, row: &Delivery) -> bool {
        let Some(needle) = &mut self.needle else {
            return true;
        };
        let small = [
            row.message_id.as_str(),
            &row.status_info,
            occurrence(row).unwrap_or_default(),
        ];
        for text in small {
            if needle.is_in(text).await {
                return true;
            }
        }
        needle.is_in(&row.body).await
    }
}

fn occurrence(row: &Delivery) -> Option<&str> {
    let occurrence = row.cause.as_ref()?.occurrence.as_ref()?;
    Some(occurrence.as_str())
}
