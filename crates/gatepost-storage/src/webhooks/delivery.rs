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
/// The number of digits that encode the time.
const TIME: usize = 10;
/// The maximum length of an id that is created here: the id of a test.
const LONGEST: usize = TEST.len() + TIME + 26;
/// The prefix of the id of a test. No other id begins like this, because the digits of the time
/// contain no `_`.
const TEST: &str = "msg_test_";

/// The row number of a delivery.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct DeliveryId(pub i64);

impl fmt::Display for DeliveryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id that a receiver sees in the `webhook-id` header. It is the same for all attempts and
/// replays, so that a receiver can recognize repeats. 1–64 characters of `[A-Za-z0-9_-]`.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct MessageId(Arc<str>);

impl MessageId {
    /// Creates an id: `msg_`, ten letters that encode the time, and 26 letters and digits that
    /// encode the random bits. Ids rise with time, to the millisecond.
    #[must_use]
    pub fn new(now: DateTime<Utc>, random: u128) -> Self {
        Self::with_prefix("msg_", now, random)
    }

    /// Creates the id of a task test: like [`new`](Self::new), but with the prefix `msg_test_`, so
    /// that receivers and readers of lists can recognize it.
    #[must_use]
    pub fn of_test(now: DateTime<Utc>, random: u128) -> Self {
        Self::with_prefix(TEST, now, random)
    }

    /// Returns whether it is the id of a task test.
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
        // On the stack, since every message has an id.
        let (mut text, mut length) = ([0; LONGEST], 0);
        for (place, letter) in text.iter_mut().zip(letters) {
            *place = letter;
            length += 1;
        }
        let text = text.get(..length).unwrap_or_default();
        Self(str::from_utf8(text).unwrap_or_default().into())
    }

    /// Returns the interval in which a message was created whose id begins with this text, extended
    /// by a minute on both sides. The text must begin as [`new`](Self::new) formats ids and must
    /// encode the time to ten hours or better. Returns `None` for any other text.
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

    /// Returns the text.
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
    /// Waits for its due time, for a free slot, or for its webhook to be active again.
    Queued,
    /// Leased by a worker that is making an attempt.
    Running,
    /// The target responded with 2xx.
    Sent,
    /// Ended without success; `status_info` says why.
    Error,
}

impl DeliveryState {
    /// Returns the word that is stored and shown: `queued`, `running`, `sent`, `error`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Sent => "sent",
            Self::Error => "error",
        }
    }

    /// Returns the state for this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        [Self::Queued, Self::Running, Self::Sent, Self::Error]
            .into_iter()
            .find(|s| s.as_str() == word)
    }

    /// Returns whether the delivery has ended and may be removed by retention.
    #[must_use]
    pub fn is_final(self) -> bool {
        matches!(self, Self::Sent | Self::Error)
    }
}

/// A delivery: one message to one webhook.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize, serde::Serialize))]
pub struct Delivery {
    /// The row number, in order of creation.
    pub id: DeliveryId,
    /// The id that the receiver sees.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::field"))]
    pub message_id: MessageId,
    /// The webhook, which defines the target and how to send.
    pub webhook: WebhookId,
    /// The owner of that webhook.
    pub owner: OwnerId,
    /// The tenant in which it was made, whose administrators may see it.
    pub tenant: Option<TenantId>,
    /// The task that made it, which may have been deleted since; `None` for a message that was sent
    /// manually.
    pub task: Option<TaskId>,
    /// Its cause; `None` for a message that was sent manually, and for deliveries stored by
    /// versions without causes.
    #[cfg_attr(feature = "serde", serde(default, with = "crate::stored::field"))]
    pub cause: Option<Cause>,
    /// The rendered message: all attempts send these bytes. Empty if it was not kept.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::field"))]
    pub body: Arc<str>,
    /// Whether the message was kept when the delivery ended.
    pub message_kept: bool,
    /// Its state.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::field"))]
    pub state: DeliveryState,
    /// The class of the last attempt ([`AttemptRecord::class`]); empty before the first.
    pub class: String,
    /// The reason for its state, as a text for the user: `200 OK`, `timeout while connecting`;
    /// empty at first.
    pub status_info: String,
    /// The time at which it was enqueued.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::field"))]
    pub created: DateTime<Utc>,
    /// The time at which the next attempt is due. Only meaningful while `queued`.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::field"))]
    pub due: DateTime<Utc>,
    /// The end of the lease while `running`.
    #[cfg_attr(feature = "serde", serde(default, with = "crate::stored::field"))]
    pub lease_until: Option<DateTime<Utc>>,
    /// The start of the last attempt.
    #[cfg_attr(feature = "serde", serde(default, with = "crate::stored::field"))]
    pub last_attempt: Option<DateTime<Utc>>,
    /// The number of all attempts; a lost claim does not count.
    pub attempts: u32,
    /// The number of attempts since it was last enqueued or replayed, which the retry limit of its
    /// webhook bounds.
    pub tries: u32,
    /// The number of claims that ended without a settlement after the first such claim, since it
    /// was enqueued or replayed.
    pub lost_claims: u32,
    /// The status of the last response, if there was one.
    pub response_status: Option<u16>,
    /// The duration of the last attempt.
    #[cfg_attr(feature = "serde", serde(default, with = "crate::stored::field"))]
    pub duration: Option<Duration>,
}

impl Delivery {
    /// The number of [lost claims](Self::lost_claims) after which it ends in `error`, so that a
    /// message that crashes its sender does not circulate forever. The last of these claims is made
    /// for this delivery only.
    pub const MAX_LOST_CLAIMS: u32 = 3;
}

/// The end times of the phases of an attempt, relative to its start; `None` for a phase that was
/// not reached or not needed (a pooled connection needs no lookup, no connect, no TLS).
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

/// An attempt as the delivery log stores it.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptRecord {
    /// The number of the attempt, from 1; a replay continues the numbering. The store assigns it at
    /// the settlement and ignores the value in a settlement.
    pub number: u32,
    /// The time at which it began.
    pub started: DateTime<Utc>,
    /// Its total duration.
    pub duration: Duration,
    /// The end times of its phases.
    pub phases: Phases,
    /// The class of the outcome: `ok`, or a short word for the error (`timeout`, `tls`, `status`,
    /// …).
    pub class: String,
    /// The outcome as a text for the user.
    pub info: String,
    /// The status of the response, if one arrived.
    pub status: Option<u16>,
    /// The address that was dialled.
    pub remote: Option<SocketAddr>,
    /// `HTTP/1.1` or `HTTP/2`, once a response arrived.
    pub protocol: Option<String>,
    /// The head of the request: method and URL, then the headers in their order, each line ended by
    /// CR LF. Possible credentials are masked; a head of more than 8 KiB ends with `(cut)`. Empty
    /// if nothing was sent or it was not kept. The body is in the delivery.
    pub request_head: Vec<u8>,
    /// The stored part of the response's head.
    pub response_head: Vec<u8>,
    /// The stored part of the response's body (16 KiB by default).
    pub response_body: Vec<u8>,
    /// Whether the response's body was longer than the stored part.
    pub truncated: bool,
    /// Whether request and response are stored: not if the owner's log was at its limit, nor if
    /// they are sealed under a key that the store lacks.
    pub kept: bool,
}

impl AttemptRecord {
    /// Returns the bytes that count for the owner's log: those of request and response, and 512
    /// for the row of the attempt and its part of the delivery's row.
    #[must_use]
    pub fn kept_bytes(&self) -> u64 {
        const ROW: usize = 512;
        let kept = self.request_head.len() + self.response_head.len() + self.response_body.len();
        (ROW + kept) as u64
    }

    /// Returns the stored parts of request and response, with the name of each.
    pub(crate) fn parts_mut(&mut self) -> [(&mut Vec<u8>, &'static str); 3] {
        [
            (&mut self.request_head, "request_head"),
            (&mut self.response_head, "response_head"),
            (&mut self.response_body, "response_body"),
        ]
    }

    /// Opens the parts that begin with `mark`, each for the context that `of_part` returns. A part
    /// that opens under none of `keys` becomes empty, and the attempt is not `kept`.
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
    fn message_ids_rise_with_time_and_are_valid() {
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
    fn message_id_prefix_gives_creation_time_range() {
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
