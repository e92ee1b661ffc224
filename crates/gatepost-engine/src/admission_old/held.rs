//! What is sent of backlogs, and how they are noticed: by what is claimed first.

use std::collections::BTreeSet;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::Lane;
use tokio::time::Instant;
use webhook_model::WebhookId;

use super::lanes::{HELD, Lanes};
use super::lot::Lot;
use crate::routes::Route;

impl Lanes {
    /// Whether it has to be seen first whether this lane has a backlog: then one delivery is
    /// claimed, and shows it.
    pub(crate) fn is_unseen(&self, lane: Lane, route: &Route) -> bool {
        if route.has_no_backlog(lane.class) {
            return false;
        }
        let backlogs = &self.lock().backlogs;
        backlogs.are_bounded() && !backlogs.has(lane)
    }

    /// Something was claimed from this lane that was due then. It was held if its webhook has been
    /// changed since, or if nobody sent it for long: the webhook was resumed, or nobody was there,
    /// whoever queued it, whichever process sends it.
    pub(crate) fn claimed(
        &self,
        lane: Lane,
        route: &Route,
        due: DateTime<Utc>,
        now: DateTime<Utc>,
    ) {
        let mut state = self.lock();
        state.board.claimed(lane, due);
        let backlogs = &mut state.backlogs;
        let is_known = backlogs.has(lane) || route.has_no_backlog(lane.class);
        if !is_known && due < route.changed.max(now - HELD) {
            backlogs.begin(lane, now, Instant::now());
            backlogs.sends(lane.webhook, Instant::now());
        } else if !backlogs.is_of(lane, due) {
            route.set_no_backlog(lane.class);
        }
    }

    /// Nothing more could be claimed from this lane.
    pub(crate) fn emptied(&self, lane: Lane, route: &Route) {
        self.lock().backlogs.end(lane);
        route.set_no_backlog(lane.class);
    }

    /// One of a backlog is to be sent.
    pub(crate) fn sends(&self, webhook: WebhookId, now: Instant) {
        self.lock().backlogs.sends(webhook, now);
    }

    /// It was not sent.
    pub(crate) fn unsent(&self, webhook: WebhookId) {
        self.lock().backlogs.unsent(webhook);
    }

    /// Lots in which there are backlogs.
    pub(crate) fn lots(&self) -> BTreeSet<Lot> {
        self.lock().backlogs.lots()
    }
}
