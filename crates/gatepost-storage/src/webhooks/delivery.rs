//! A delivery and its attempts, as they are stored.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::{OwnerId, TenantId};
use webhook_model::{TaskId, WebhookId};

use super::cause::Cause;
use super::invalid_delivery::InvalidDelivery;
use crate::seal::SealingKeys;

/// The digits of a message id.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// How many of them say when it was made.
const TIME: usize = 10;
/// The length of the longest id that is made here: of a test.
const LONGEST: usize = TEST.len() + TIME + 26;
/// In front of the id of a test. No other id that is made here begins so: the letters of the time
/// have no `_`.
const TEST: &str = "msg_test_";

/// The row number of a delivery.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct DeliveryId(pub i64);

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id under which a receiver sees a delivery (the `webhook-id` header); the same for all
/// attempts and replays, so that a receiver can tell repeats. 1–64 characters of `[A-Za-z0-9_-]`.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct MessageId(Arc<str>);

impl MessageId {
    /// `msg_`, ten letters that say when (so that ids rise with time, to the millisecond) and 26
    /// letters and digits that say these random bits.
    #[must_use]
    pub fn new(now: DateTime<Utc>, random: u128) -> Self {
        Self::with_prefix("msg_", now, random)
    }

    /// The id of a test of a task: as [`new`](Self::new), but with `msg_test_` in front, so that a
    /// receiver, a list and whoever looks it up can tell.
    #[must_use]
    pub fn of_test(now: DateTime<Utc>, random: u128) -> Self {
        Self::with_prefix(TEST, now, random)
    }

    /// Whether a task was tested by it.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.0.starts_with(TEST)
    }

    fn with_prefix(prefix: &str, now: DateTime<Utc>, random: u128) -> Self {
        let letter = |bits: u128, at: u32| LETTERS[(bits >> (at * 5) & 31) as usize];
        let time = u128::from(now.timestamp_millis().max(0).cast_unsigned());
        let letters = prefix
            .bytes()
            .chain((0..10).rev().map(|at| letter(time, at)))
            .chain((0..26).map(|at| letter(random, at)));
        // On the stack: every message has one.
        let (mut text, mut length) = ([0; LONGEST], 0);
        for (place, letter) in text.iter_mut().zip(letters) {
            *place = letter;
            length += 1;
        }
        let text = text.get(..length).unwrap_or_default();
        Self(str::from_utf8(text).unwrap_or_default().into())
    }

    /// Between which two moments a message was made whose id begins with this text, with a minute
    /// to spare on both sides: the text begins as [`new`](Self::new) makes them and says the time
    /// to ten hours or better. `None` for any other.
    #[must_use]
    pub fn made_between(beginning: &str) -> Option<(DateTime<Utc>, DateTime<Utc>)> {
        let time = beginning.strip_prefix("msg_")?.as_bytes();
        let time = time.get(..TIME.min(time.len()))?;
        let left = TIME - time.len();
        if left > 5 {
            return None;
        }
        let digit = |letter: &u8| LETTERS.iter().position(|known| known == letter);
        let first = time.iter().try_fold(0_i64, |sum, letter| {
            let digit = i64::try_from(digit(letter)?).ok()?;
            Some(sum << 5 | digit)
        })?;
        let at = |number: i64| DateTime::from_timestamp_millis(number << (5 * left));
        let spare = TimeDelta::minutes(1);
        let (from, before) = (at(first)?, at(first.checked_add(1)?)?);
        Some((
            from.checked_sub_signed(spare)?,
            before.checked_add_signed(spare)?,
        ))
    }

    /// The text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for MessageId {
    type Err = InvalidDelivery;

    fn from_str(text: &str) -> Result<Self, InvalidDelivery> {
        let fits = (1..=64).contains(&text.len())
            && text
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b == b'-' || b == b'_');
        if fits {
            Ok(Self(text.into()))
        } else {
            Err(InvalidDelivery::MessageId)
        }
    }
}

impl fmt::Display for MessageId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// The state of a delivery: `queued → running → sent | error`, and back to `queued` for a retry.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum DeliveryState {
    /// Waits for its due time, for a free slot, or for its webhook to be resumed.
    Queued,
    /// Leased by a worker that is making an attempt.
    Running,
    /// The target responded with 2xx.
    Sent,
    /// Ended without success; `status_info` says why.
    Error,
}

impl DeliveryState {
    /// The word that is stored and shown: `queued`, `running`, `sent`, `error`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Sent => "sent",
            Self::Error => "error",
        }
    }

    /// The state of that word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Queued, Self::Running, Self::Sent, Self::Error]
            .into_iter()
            .find(|s| s.as_str() == word)
    }

    /// Whether the delivery has ended and may be removed by retention.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Sent | Self::Error)
    }
}

/// A delivery: one message on its way to one webhook.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// The row number, in order of creation.
    pub id: DeliveryId,
    /// What the receiver sees as the id.
    pub message_id: MessageId,
    /// The webhook that says where and how to send.
    pub webhook: WebhookId,
    /// The owner of that webhook.
    pub owner: OwnerId,
    /// The tenant in which it was made, whose administrators may see it.
    pub tenant: Option<TenantId>,
    /// The task that made it, which may be gone by now; `None` for a message sent by hand.
    pub task: Option<TaskId>,
    /// What it was made by; `None` for a message sent by hand, and for what was stored before
    /// causes were.
    pub cause: Option<Cause>,
    /// The rendered message: all attempts carry these bytes. Empty where it was not kept.
    pub body: Arc<str>,
    /// Whether the message was kept when the delivery ended.
    pub message_kept: bool,
    /// Its state.
    pub state: DeliveryState,
    /// The class of the last attempt ([`AttemptRecord::class`]); empty before the first.
    pub class: String,
    /// Why it is in that state, in words for the user: `200 OK`, `timeout while connecting`; empty
    /// at first.
    pub status_info: String,
    /// When it was enqueued.
    pub created: DateTime<Utc>,
    /// When the next attempt is due. Meaningful while `queued`.
    pub due: DateTime<Utc>,
    /// The end of the lease while `running`.
    pub lease_until: Option<DateTime<Utc>>,
    /// When the last attempt began.
    pub last_attempt: Option<DateTime<Utc>>,
    /// Attempts ever made; a lost claim does not count.
    pub attempts: u32,
    /// Attempts made since it was enqueued or replayed last: what the retries of its webhook
    /// bound.
    pub tries: u32,
    /// Claims that ended without a settlement after the first that did, since it was enqueued or
    /// replayed.
    pub lost_claims: u32,
    /// The status of the last response, if there was one.
    pub response_status: Option<u16>,
    /// How long the last attempt took.
    pub duration: Option<Duration>,
}

impl Delivery {
    /// After this many [lost claims](Self::lost_claims) it ends in `error`, so that a message that
    /// kills its sender does not circulate forever. The last of them was claimed alone.
    pub const MAX_LOST_CLAIMS: u32 = 3;
}

/// When the parts of an attempt were done, counted from its start; `None` for a part that was not
/// reached or not needed (a pooled connection needs no lookup, no connect, no TLS).
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Phases {
    /// The name was resolved.
    pub dns: Option<Duration>,
    /// The connection was established.
    pub connect: Option<Duration>,
    /// The TLS handshake was done.
    pub tls: Option<Duration>,
    /// The head of the response was read.
    pub first_byte: Option<Duration>,
}

/// One attempt, as the delivery log keeps it.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptRecord {
    /// 1 for the first attempt ever; a replay counts on. Given by the store when it is settled,
    /// so what a settlement holds here is not read.
    pub number: u32,
    /// When it began.
    pub started: DateTime<Utc>,
    /// How long it took in all.
    pub duration: Duration,
    /// When its parts were done.
    pub phases: Phases,
    /// The class of the outcome: `ok`, or a short word for the error (`timeout`, `tls`, `status`,
    /// …).
    pub class: String,
    /// The outcome in words for the user.
    pub info: String,
    /// The status of the response, if one arrived.
    pub status: Option<u16>,
    /// The address that was dialled.
    pub remote: Option<SocketAddr>,
    /// `HTTP/1.1` or `HTTP/2`, once a response arrived.
    pub protocol: Option<String>,
    /// The head of the request: method and URL, then the headers in their order, each line ended by
    /// CR LF. What may be a credential is hidden; one of more than 8 KiB ends with `(cut)`. Empty
    /// where nothing was sent or it was not kept. The body is the delivery's.
    pub request_head: Vec<u8>,
    /// The head of the response, as far as it was kept.
    pub response_head: Vec<u8>,
    /// The body of the response, as far as it was kept (16 KiB by default).
    pub response_body: Vec<u8>,
    /// Whether the response's body was longer than what was kept.
    pub truncated: bool,
    /// Whether request and response were kept: not if the owner's log was at its limit, nor if they
    /// are sealed under a key that the store lacks.
    pub kept: bool,
}

impl AttemptRecord {
    /// The bytes that are kept of request and response: what the attempt counts for in its owner's
    /// log.
    #[must_use]
    pub fn kept_bytes(&self) -> u64 {
        (self.request_head.len() + self.response_head.len() + self.response_body.len()) as u64
    }

    /// What is kept of request and response, with the name of each part.
    pub(crate) fn parts_mut(&mut self) -> [(&mut Vec<u8>, &'static str); 3] {
        [
            (&mut self.request_head, "request_head"),
            (&mut self.response_head, "response_head"),
            (&mut self.response_body, "response_body"),
        ]
    }

    /// Opens the parts that begin with `mark`, each for the place that `of_part` names. One that
    /// opens under none of `keys` is empty, and the attempt is not `kept`.
    pub(crate) fn open_parts(
        &mut self,
        keys: &SealingKeys,
        mark: &[u8],
        of_part: impl Fn(&str) -> String,
    ) {
        let mut kept = self.kept;
        for (part, name) in self.parts_mut() {
            let Some(sealed) = part.strip_prefix(mark) else {
                continue;
            };
            match keys.open(sealed, &of_part(name)) {
                Ok(opened) => *part = opened.to_vec(),
                Err(_) => {
                    part.clear();
                    kept = false;
                }
            }
        }
        self.kept = kept;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn message_ids_rise_with_time_whatever_is_random_and_are_valid() {
        let first: DateTime<Utc> = "2026-01-01T00:00:00Z".parse().unwrap();
        let mut last = MessageId::new(DateTime::UNIX_EPOCH - TimeDelta::days(1), u128::MAX);
        for n in 0..2_000 {
            let now = first + TimeDelta::milliseconds(n);
            let id = MessageId::new(now, u128::MAX - u128::from(n.unsigned_abs()));
            assert!(id.as_str() > last.as_str(), "{id} after {last}");
            assert_eq!(id.as_str().parse(), Ok(id.clone()));
            last = id;
        }
        assert_ne!(MessageId::new(first, 1), MessageId::new(first, 1 << 127));
        let test = MessageId::of_test(first, 1);
        assert!(test.is_test() && !last.is_test(), "{test}");
        assert_eq!(test.as_str().parse(), Ok(test));
        assert_eq!(last.as_str().len(), 40);
    }

    #[test]
    fn the_beginning_of_a_message_id_says_when_it_was_made() {
        let now: DateTime<Utc> = "2026-11-22T18:30:00.123Z".parse().unwrap();
        let id = MessageId::new(now, 7);
        for length in 9..=40 {
            let (from, before) = MessageId::made_between(&id.as_str()[..length]).unwrap();
            assert!(from < now && now < before, "{length}");
            let most = if length < 10 { 600 } else { 20 };
            assert!(before - from < TimeDelta::minutes(most), "{length}");
        }
        for other in [
            "",
            "msg_",
            "msg_01h2",
            "msg_01H2KWPBgLlA",
            "order-4711",
            "msg_lllllllll",
        ] {
            assert_eq!(MessageId::made_between(other), None, "{other}");
        }
        let far = MessageId::made_between("msg_zzzzzzzzzz");
        assert!(far.is_none_or(|(from, before)| from < before));
    }
}
