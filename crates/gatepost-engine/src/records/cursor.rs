//! The cursor of a fetched page: a text that the receiver sends back to acknowledge its messages.
//!
//! A cursor is no credential: a caller that may send one may fetch, and could as well cancel. It
//! says which messages a page had and how often each had been attempted, so that it acknowledges
//! exactly these, whatever was stored, replayed or sent afterwards. It ends with a check against
//! mistakes, such as a lost character.

use std::fmt::Write as _;

use gatepost_storage::webhooks::{Delivery, DeliveryId, IfWaiting};
use webhook_model::{Field, Invalid, WebhookId};

/// The maximum number of messages in a page.
pub const MAX_FETCHED: u32 = 100;

/// Returns the cursor of a page with these messages: the webhook, each delivery with its attempts,
/// and the check, as `7_1000-0_1003-2.27b36f0d8a0a2a1c`.
pub(super) fn cursor(webhook: WebhookId, page: &[Delivery]) -> String {
    let mut text = webhook.0.to_string();
    for delivery in page {
        // Writing to a string does not fail.
        let _ = write!(text, "_{}-{}", delivery.id, delivery.attempts);
    }
    format!("{text}.{}", check(&text))
}

/// Returns the deliveries of the page that has this cursor.
///
/// # Errors
/// A text that [`cursor`] did not write for this webhook.
pub(super) fn handed_out(text: &str, webhook: WebhookId) -> Result<Vec<IfWaiting>, Invalid> {
    read(text, webhook).ok_or_else(|| {
        let rule = "must be a cursor that this webhook's messages came with";
        Invalid::new(Field::After, rule)
    })
}

fn read(text: &str, webhook: WebhookId) -> Option<Vec<IfWaiting>> {
    let (text, sum) = text.rsplit_once('.')?;
    let mut parts = text.split('_');
    if check(text) != sum || parts.next()? != webhook.0.to_string() {
        return None;
    }
    let handed = parts.map(|part| {
        let (delivery, attempts) = part.split_once('-')?;
        Some(IfWaiting {
            delivery: DeliveryId(delivery.parse().ok()?),
            webhook: Some(webhook),
            attempts: Some(attempts.parse().ok()?),
        })
    });
    let handed: Vec<_> = handed.collect::<Option<_>>()?;
    (handed.len() <= MAX_FETCHED as usize).then_some(handed)
}

/// The 64-bit FNV-1a hash of the text.
fn check(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;
    use proptest::prelude::*;
    use webhook_model::OwnerId;

    use super::*;
    use gatepost_storage::webhooks::DeliveryState;

    fn delivery(id: i64, attempts: u32) -> Delivery {
        Delivery {
            id: DeliveryId(id),
            message_id: "m".parse().unwrap(),
            webhook: WebhookId(7),
            owner: OwnerId(1),
            tenant: None,
            task: None,
            cause: None,
            body: "".into(),
            message_kept: true,
            state: DeliveryState::Queued,
            class: String::new(),
            status_info: String::new(),
            created: DateTime::UNIX_EPOCH,
            due: DateTime::UNIX_EPOCH,
            lease_until: None,
            last_attempt: None,
            attempts,
            tries: 0,
            lost_claims: 0,
            response_status: None,
            duration: None,
        }
    }

    proptest! {
        #[test]
        fn a_cursor_says_what_its_page_had(
            steps in proptest::collection::vec((1..1_i64 << 56, any::<u32>()), 0..100),
            webhook in 1..i64::MAX,
        ) {
            let mut id = 0;
            let page: Vec<_> = steps.iter().map(|(step, attempts)| {
                id += step;
                delivery(id, *attempts)
            }).collect();
            let text = cursor(WebhookId(webhook), &page);
            let handed = handed_out(&text, WebhookId(webhook)).unwrap();
            let expected = page.iter().map(|d| IfWaiting {
                webhook: Some(WebhookId(webhook)),
                ..IfWaiting::as_is(d)
            });
            prop_assert_eq!(handed, expected.collect::<Vec<_>>());
            prop_assert!(handed_out(&text, WebhookId(webhook - 1)).is_err());
        }

        #[test]
        fn random_cursor_text_is_refused(text in "[0-9a-f]{0,60}|.{0,40}") {
            prop_assert!(handed_out(&text, WebhookId(7)).is_err());
        }
    }

    #[test]
    fn altered_truncated_or_oversized_cursor_is_refused() {
        let text = cursor(WebhookId(7), &[delivery(1_000, 0), delivery(1_003, 2)]);
        for at in 0..text.len() {
            let other = if &text[at..=at] == "0" { "1" } else { "0" };
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            assert!(handed_out(&changed, WebhookId(7)).is_err(), "{changed}");
            assert!(handed_out(&text[..at], WebhookId(7)).is_err(), "{at}");
        }
        let many = vec![delivery(1_000, 0); MAX_FETCHED as usize + 1];
        assert!(handed_out(&cursor(WebhookId(7), &many[1..]), WebhookId(7)).is_ok());
        assert!(handed_out(&cursor(WebhookId(7), &many), WebhookId(7)).is_err());
    }
}
