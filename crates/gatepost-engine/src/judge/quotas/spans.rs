//! The minute, or the hour, to which a count of drops belongs.

use std::collections::HashMap;
use std::time::Duration;

use chrono::{DateTime, DurationRound, TimeDelta, Utc};
use gatepost_ids::{OwnerId, WebhookId};
use gatepost_storage::webhooks::DropReason;
use tokio::time::Instant;

/// Owners with counts in this minute, or who are counted by the hour. For others there is the hour.
const MOST: usize = 65_536;
/// Counts of one owner in a minute. Who needs more is counted by the hour until it ends: the store
/// keeps a row for each webhook and hour anyway, of what was sent.
const IN_A_MINUTE: usize = 16;
/// Between two writes of what is counted by the hour: of 500 webhooks that is 1,000 rows.
const PAUSE: Duration = Duration::from_secs(60);

/// Bounds the rows that one owner makes, whatever the number of webhooks.
#[derive(Debug, Default)]
pub(super) struct Spans {
    minute: DateTime<Utc>,
    hour: DateTime<Utc>,
    owners: HashMap<OwnerId, Span>,
}

#[derive(Debug)]
enum Span {
    /// What has a count of this minute.
    Minute(Vec<(WebhookId, DropReason)>),
    /// Until the hour ends; and from when on it is written again.
    Hour(Instant),
}

impl Spans {
    /// Moves on to the minute and the hour of this moment.
    pub(super) fn turn(&mut self, now: DateTime<Utc>) {
        let begin = |span: TimeDelta| now.duration_trunc(span).unwrap_or(now);
        let (minute, hour) = (begin(TimeDelta::minutes(1)), begin(TimeDelta::hours(1)));
        if minute != self.minute {
            let same_hour = hour == self.hour;
            self.owners
                .retain(|_, span| same_hour && matches!(span, Span::Hour(_)));
            self.minute = minute;
            self.hour = hour;
        }
    }

    /// Whether what was counted of this owner is written now.
    pub(super) fn is_due(&self, owner: OwnerId, now: Instant) -> bool {
        !matches!(self.owners.get(&owner), Some(Span::Hour(next)) if *next > now)
    }

    /// All that was counted is written next.
    pub(super) fn hasten(&mut self) {
        for span in self.owners.values_mut() {
            if let Span::Hour(next) = span {
                *next = Instant::now();
            }
        }
    }

    /// The beginning of the minute or hour to whose count a drop is added, which is being written.
    pub(super) fn of(
        &mut self,
        owner: OwnerId,
        webhook: WebhookId,
        reason: DropReason,
    ) -> DateTime<Utc> {
        if self.owners.len() >= MOST && !self.owners.contains_key(&owner) {
            return self.hour;
        }
        let none = || Span::Minute(Vec::new());
        let span = self.owners.entry(owner).or_insert_with(none);
        if let Span::Minute(counts) = span {
            if counts.contains(&(webhook, reason)) {
                return self.minute;
            }
            if counts.len() < IN_A_MINUTE {
                counts.push((webhook, reason));
                return self.minute;
            }
        }
        *span = Span::Hour(Instant::now() + PAUSE);
        self.hour
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::noon;

    fn minute(minutes: i64) -> DateTime<Utc> {
        noon() + TimeDelta::minutes(minutes)
    }

    #[test]
    fn a_minute_has_16_counts_of_an_owner_and_what_is_over_is_of_the_hour_until_it_ends() {
        let mut spans = Spans::default();
        let of = |spans: &mut Spans, owner, webhook| {
            spans.of(OwnerId(owner), WebhookId(webhook), DropReason::Waiting)
        };
        for minutes in [5, 6] {
            spans.turn(minute(minutes));
            for webhook in (1..=16).chain(1..=16) {
                assert_eq!(of(&mut spans, 1, webhook), minute(minutes));
            }
        }
        assert_eq!(of(&mut spans, 1, 17), noon());
        assert_eq!(
            of(&mut spans, 1, 1),
            noon(),
            "all of the owner from here on"
        );
        assert_eq!(of(&mut spans, 2, 17), minute(6), "another owner");
        spans.turn(minute(59));
        assert_eq!(of(&mut spans, 1, 1), noon());
        assert_eq!(of(&mut spans, 2, 17), minute(59));
        spans.turn(minute(61));
        assert_eq!(of(&mut spans, 1, 1), minute(61));
    }

    #[test]
    fn a_hundred_thousand_owners_take_no_more_than_their_room_and_leave_it_after_the_minute() {
        let mut spans = Spans::default();
        let of = |spans: &mut Spans, owner: u32| {
            spans.of(owner.into(), WebhookId(owner.into()), DropReason::Waiting)
        };
        spans.turn(minute(5));
        for owner in 0..100_000 {
            of(&mut spans, owner);
        }
        assert_eq!(spans.owners.len(), MOST);
        assert_eq!(of(&mut spans, 0), minute(5));
        assert_eq!(of(&mut spans, 99_999), noon(), "without room: by the hour");
        spans.turn(minute(6));
        assert!(spans.owners.is_empty());
    }
}
