//! Backlogs: what waited while its webhook was paused, or while nobody was there to send it. It is
//! sent at a bounded rate, by one process at a time: webhooks are in sixteen lots, and who sends
//! the backlogs of a lot holds a lease of it.

use std::collections::{BTreeSet, HashMap};
use std::num::NonZeroU32;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Lane, LaneClass};
use tokio::time::Instant;
use webhook_model::WebhookId;

use super::lot::Lot;
use super::pace::Pace;
use super::room::Wait;

/// Webhooks of which it is known that they have one; of more it is seen again.
const MOST: usize = 200_000;
#[derive(Debug)]
struct Backlog {
    pace: Pace,
    /// What was due before that is part of it.
    before: DateTime<Utc>,
    /// Lanes that may still have something of it.
    classes: BTreeSet<LaneClass>,
}

#[derive(Debug)]
pub(super) struct Backlogs {
    /// `None`: what was held is sent as fast as all else, by everybody.
    per_second: Option<NonZeroU32>,
    webhooks: HashMap<WebhookId, Backlog>,
    /// Until when this process may send those of a lot.
    lots: HashMap<Lot, Instant>,
}

impl Backlogs {
    pub(super) fn new(per_second: u32) -> Self {
        Self {
            per_second: NonZeroU32::new(per_second),
            webhooks: HashMap::new(),
            lots: HashMap::new(),
        }
    }

    pub(super) fn are_bounded(&self) -> bool {
        self.per_second.is_some()
    }

    pub(super) fn has(&self, lane: Lane) -> bool {
        let backlog = self.webhooks.get(&lane.webhook);
        backlog.is_some_and(|backlog| backlog.classes.contains(&lane.class))
    }

    /// What was due in this lane before that has been held.
    pub(super) fn begin(&mut self, lane: Lane, before: DateTime<Utc>, now: Instant) {
        let Some(per_second) = self.per_second else {
            return;
        };
        if self.webhooks.len() >= MOST {
            self.webhooks.clear();
        }
        let backlog = self
            .webhooks
            .entry(lane.webhook)
            .or_insert_with(|| Backlog {
                pace: Pace::new(per_second, now),
                before,
                classes: BTreeSet::new(),
            });
        backlog.classes.insert(lane.class);
    }

    /// Nothing of it is left in this lane.
    pub(super) fn end(&mut self, lane: Lane) {
        if let Some(backlog) = self.webhooks.get_mut(&lane.webhook) {
            backlog.classes.remove(&lane.class);
            if backlog.classes.is_empty() {
                self.webhooks.remove(&lane.webhook);
            }
        }
    }

    /// Whether something that was due then, and was claimed from this lane, is of a backlog. If
    /// not, there is none any more: what is due first is claimed first.
    pub(super) fn is_of(&mut self, lane: Lane, due: DateTime<Utc>) -> bool {
        let backlog = self.webhooks.get(&lane.webhook);
        let is_of_it = backlog.is_some_and(|backlog| due < backlog.before);
        if !is_of_it {
            self.end(lane);
        }
        is_of_it
    }

    /// Whether one may be sent from this lane now; `true`: of a backlog, and it has to be
    /// [counted](Self::sends).
    ///
    /// # Errors
    /// What there is to wait for.
    pub(super) fn may_send(&self, lane: Lane, now: Instant) -> Result<bool, Wait> {
        if !self.has(lane) {
            return Ok(false);
        }
        let lot = Lot::of(lane.webhook);
        if self.lots.get(&lot).is_none_or(|until| *until <= now) {
            return Err(Wait::Lot(lot));
        }
        let pace = self
            .webhooks
            .get(&lane.webhook)
            .map(|backlog| &backlog.pace);
        pace.map_or(Ok(()), |pace| pace.check(now))
            .map_err(Wait::Until)?;
        Ok(true)
    }

    /// One of a backlog is to be sent.
    pub(super) fn sends(&mut self, webhook: WebhookId, now: Instant) {
        if let Some(backlog) = self.webhooks.get_mut(&webhook) {
            backlog.pace.take(now);
        }
    }

    /// It was not sent.
    pub(super) fn unsent(&mut self, webhook: WebhookId) {
        if let Some(backlog) = self.webhooks.get_mut(&webhook) {
            backlog.pace.give_back();
        }
    }

    /// Of the backlogs in this lot, only those lanes are remembered.
    pub(super) fn forget_unless(&mut self, lot: Lot, is_known: impl Fn(Lane) -> bool) {
        self.webhooks.retain(|webhook, backlog| {
            let (webhook, classes) = (*webhook, &mut backlog.classes);
            if Lot::of(webhook) == lot {
                classes.retain(|class| {
                    is_known(Lane {
                        webhook,
                        class: *class,
                    })
                });
            }
            !classes.is_empty()
        });
    }

    /// Lots in which there are backlogs.
    pub(super) fn lots(&self) -> BTreeSet<Lot> {
        self.webhooks
            .keys()
            .map(|webhook| Lot::of(*webhook))
            .collect()
    }

    /// This process may send those of this lot until then. Whether it could not before.
    pub(super) fn hold(&mut self, lot: Lot, until: Instant, now: Instant) -> bool {
        let before = self.lots.insert(lot, until);
        before.is_none_or(|before| before <= now)
    }
}
