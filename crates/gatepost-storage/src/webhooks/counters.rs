//! Counters: outcomes of deliveries, rejected deliveries, and the usage of owners.

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use gatepost_ids::OwnerId;
use webhook_model::WebhookId;

use super::rejected::RejectedCount;
use crate::page::Scope;

/// Counters of webhooks and owners, or increments for them.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Counters {
    /// The outcomes of deliveries, by webhook and hour.
    pub hourly: Vec<HourlyCount>,
    /// Deliveries that were rejected instead of stored, by webhook, reason and bucket.
    pub rejected: Vec<RejectedCount>,
    /// Increments for owners' [`LogUsage`](super::LogUsage). Queries never return them.
    pub usage: Vec<UsageDelta>,
}

/// The counters that a [`CounterQuery`] reads.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum CounterKind {
    /// [`Counters::hourly`].
    Hourly,
    /// [`Counters::rejected`].
    Rejected,
}

/// A filter for counters. The order is newest first, then by webhook.
#[derive(Clone, Debug, PartialEq)]
pub struct CounterQuery {
    /// The kind.
    pub kind: CounterKind,
    /// The owners of the webhooks.
    pub scope: Scope,
    /// Only counters of these webhooks.
    pub webhooks: Option<Vec<WebhookId>>,
    /// Only hours or buckets at or after this time.
    pub from: DateTime<Utc>,
    /// Only hours or buckets before this time.
    pub before: DateTime<Utc>,
    /// The maximum number of counters.
    pub limit: u32,
}

/// An increment of an owner's [`LogUsage`](super::LogUsage), added by an engine.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct UsageDelta {
    /// The owner.
    pub owner: OwnerId,
    /// Deliveries that have not ended.
    pub waiting: i64,
    /// Bytes of their messages.
    pub waiting_bytes: i64,
    /// Bytes of the messages, heads of requests and responses of all deliveries.
    pub log_bytes: i64,
}

/// The outcomes of a webhook's deliveries within one hour.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct HourlyCount {
    /// The webhook.
    pub webhook: WebhookId,
    /// The beginning of the hour in which the outcomes were recorded.
    pub hour: DateTime<Utc>,
    /// Deliveries that were sent.
    pub sent: u64,
    /// The start of the last attempt that a target accepted; `None` if there was none.
    pub last_sent: Option<DateTime<Utc>>,
    /// Deliveries that ended in `error`.
    pub failed: u64,
    /// Attempts after which another was to follow.
    pub retried: u64,
    /// The total duration of all attempts.
    pub milliseconds: u64,
    /// Bytes of the messages, heads of requests and responses that were stored.
    pub bytes: u64,
}

impl HourlyCount {
    /// Creates a zero counter for the hour of `now`.
    #[must_use]
    pub fn none(webhook: WebhookId, now: DateTime<Utc>) -> Self {
        Self {
            webhook,
            hour: now.duration_trunc(TimeDelta::hours(1)).unwrap_or(now),
            sent: 0,
            last_sent: None,
            failed: 0,
            retried: 0,
            milliseconds: 0,
            bytes: 0,
        }
    }

    /// Creates the counter for a delivery that ended in `error` without an attempt at `now`.
    #[must_use]
    pub fn failed(webhook: WebhookId, now: DateTime<Utc>) -> Self {
        Self {
            failed: 1,
            ..Self::none(webhook, now)
        }
    }

    /// Returns the sum of these counters of one webhook, with the newest of their hours; `None` for
    /// an empty list.
    #[must_use]
    pub fn sum(counts: &[Self]) -> Option<Self> {
        let (first, rest) = counts.split_first()?;
        let sum = rest.iter().fold(*first, |sum, more| Self {
            hour: sum.hour.max(more.hour),
            sent: sum.sent.saturating_add(more.sent),
            last_sent: sum.last_sent.max(more.last_sent),
            failed: sum.failed.saturating_add(more.failed),
            retried: sum.retried.saturating_add(more.retried),
            milliseconds: sum.milliseconds.saturating_add(more.milliseconds),
            bytes: sum.bytes.saturating_add(more.bytes),
            ..sum
        });
        Some(sum)
    }
}
