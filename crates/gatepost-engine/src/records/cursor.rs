//! What was handed out to a receiver that fetches, as a text that it shows again.
//!
//! A cursor is no credential: whoever may show one may fetch, and could as well cancel. It says
//! which messages a page had and how often each had been attempted, so that it acknowledges these
//! and nothing else, whatever was stored, replayed or sent since. Its last bytes are a check
//! against mistakes, such as a character that was lost on the way.

use std::fmt::Write as _;

use gatepost_storage::webhooks::{Delivery, DeliveryId, IfWaiting};
use webhook_model::{Field, Invalid, WebhookId};

/// The first byte: how the rest is written.
const VERSION: u8 = 1;
/// Bytes of the check.
const CHECK: usize = 8;
/// More than 100 messages ever need.
const MOST_BYTES: usize = 2_048;

/// The cursor of a page with these messages.
pub(super) fn cursor(webhook: WebhookId, page: &[Delivery]) -> String {
    let mut bytes = vec![VERSION];
    number(&mut bytes, webhook.0.unsigned_abs());
    let mut last = 0;
    for delivery in page {
        let id = delivery.id.0.unsigned_abs();
        number(&mut bytes, id.wrapping_sub(last));
        number(&mut bytes, delivery.attempts.into());
        last = id;
    }
    bytes.extend(check(&bytes));
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// What the page had whose cursor this is.
///
/// # Errors
/// What [`cursor`] did not write for this webhook.
pub(super) fn handed_out(text: &str, webhook: WebhookId) -> Result<Vec<IfWaiting>, Invalid> {
    read(text, webhook).ok_or_else(|| {
        let rule = "must be a cursor that this webhook's messages came with";
        Invalid::new(Field::After, rule)
    })
}

fn read(text: &str, webhook: WebhookId) -> Option<Vec<IfWaiting>> {
    let bytes = bytes(text)?;
    let (mut rest, sum) = bytes.split_at_checked(bytes.len().checked_sub(CHECK)?)?;
    if check(rest) != sum || next_byte(&mut rest)? != VERSION {
        return None;
    }
    if next(&mut rest)? != webhook.0.unsigned_abs() {
        return None;
    }
    let (mut handed, mut last) = (Vec::new(), 0_u64);
    while !rest.is_empty() {
        last = last.checked_add(next(&mut rest)?)?;
        handed.push(IfWaiting {
            delivery: DeliveryId(i64::try_from(last).ok()?),
            webhook: Some(webhook),
            attempts: Some(u32::try_from(next(&mut rest)?).ok()?),
        });
    }
    Some(handed)
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if !rest.is_empty() || pairs.len() > MOST_BYTES {
        return None;
    }
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = |[high, low]: &[u8; 2]| u8::try_from(digit(*high)? * 16 + digit(*low)?).ok();
    pairs.iter().map(byte).collect()
}

/// Seven bits a byte, the lowest first; the highest bit says that another follows.
fn number(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

fn next(rest: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = next_byte(rest)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

fn next_byte(rest: &mut &[u8]) -> Option<u8> {
    let (first, others) = rest.split_first()?;
    *rest = others;
    Some(*first)
}

/// FNV-1a of 64 bits.
fn check(bytes: &[u8]) -> [u8; CHECK] {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash.to_le_bytes()
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
        fn what_is_typed_at_random_is_refused(text in "[0-9a-f]{0,60}|.{0,40}") {
            prop_assert!(handed_out(&text, WebhookId(7)).is_err());
        }
    }

    #[test]
    fn a_cursor_with_any_other_character_or_one_less_is_refused() {
        let text = cursor(WebhookId(7), &[delivery(1_000, 0), delivery(1_003, 2)]);
        for at in 0..text.len() {
            let other = if &text[at..=at] == "0" { "1" } else { "0" };
            let changed = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            assert!(handed_out(&changed, WebhookId(7)).is_err(), "{changed}");
            assert!(handed_out(&text[..at], WebhookId(7)).is_err(), "{at}");
        }
        let long = "00".repeat(MOST_BYTES + 1);
        assert!(handed_out(&long, WebhookId(7)).is_err());
    }
}
