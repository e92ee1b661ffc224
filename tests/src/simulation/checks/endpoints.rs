//! The engine's actions on failing webhooks, and its notices about them, compared with the results
//! of their attempts.
//!
//! The promises rest on counters that are written two seconds after an attempt, by the hour. So no
//! attempt counts around which a process was killed or the store was unreachable, and nothing
//! counts after a clock was set.

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use gatepost_storage::webhooks::{Delivery, DeliveryState, EndReason};
use webhook_model::Activity;

use super::{Judge, Promise};
use crate::simulation::edits::{Edit, disablings};
use crate::simulation::ledger::Hook;
use crate::simulation::notices::{Notice, Said};

/// The time after which all processes know a count and have acted on it.
const KNOWN: TimeDelta = TimeDelta::seconds(60);
/// The unit of the counts.
const HOUR: TimeDelta = TimeDelta::hours(1);
/// The earliest time after which a failing webhook is examined.
const FIRST_LOOK: TimeDelta = TimeDelta::minutes(1);

/// A recorded attempt.
#[derive(Clone, Copy, Debug)]
struct Tried {
    started: DateTime<Utc>,
    ended: DateTime<Utc>,
    success: bool,
}

/// The evidence about a webhook.
struct Endpoint {
    hook: Hook,
    /// The attempts, in the order in which they began.
    tried: Vec<Tried>,
    edits: Vec<Edit>,
    /// The notices, in the order in which they were stored.
    notices: Vec<Notice>,
    /// The times at which deliveries were given up after all their attempts.
    given_up: Vec<DateTime<Utc>>,
    /// The times at which attempts began that the target accepted, recorded or not, in order.
    accepted: Vec<DateTime<Utc>>,
}

impl Endpoint {
    fn said(&self, said: Said) -> impl Iterator<Item = &Notice> {
        self.notices
            .iter()
            .filter(move |notice| notice.said == said)
    }

    fn accepted_before(&self, before: DateTime<Utc>) -> Option<DateTime<Utc>> {
        let count = self.accepted.partition_point(|at| *at < before);
        self.accepted.get(count.checked_sub(1)?).copied()
    }

    /// Returns the last edit until then.
    fn edited(&self, until: DateTime<Utc>) -> Option<Edit> {
        let before = self.edits.iter().rev();
        before.copied().find(|edit| edit.at <= until)
    }
}

impl Judge<'_> {
    pub(super) fn endpoints(&mut self) {
        // A deleted webhook took its log with it.
        let hooks = self.hooks.clone().into_iter();
        for hook in hooks.filter(|hook| !hook.deleted) {
            let endpoint = self.endpoint(hook);
            let mut wrong = self.disabled_wrongly(&endpoint);
            wrong.extend(self.left_enabled(&endpoint));
            wrong.extend(self.failing(&endpoint));
            wrong.extend(self.recovered(&endpoint));
            wrong.extend(self.disabled(&endpoint));
            wrong.extend(self.exhausted(&endpoint));
            for what in wrong {
                let what = format!("webhook {}: {what}", endpoint.hook.id.0);
                self.breach(Promise::EndpointStatesAreTrue, what);
            }
        }
    }

    fn endpoint(&self, hook: Hook) -> Endpoint {
        let all = self.evidence.deliveries.iter();
        let own = all.clone().filter(|delivery| delivery.webhook == hook.id);
        let (mut tried, mut given_up) = (Vec::new(), Vec::new());
        for delivery in own {
            let attempts = &self.evidence.attempts[&delivery.id];
            tried.extend(attempts.iter().map(|attempt| Tried {
                started: attempt.started,
                ended: attempt.started + attempt.duration,
                success: attempt.class == "ok",
            }));
            let last = tried.last().filter(|_| was_given_up(delivery));
            given_up.extend(last.map(|last| last.ended));
        }
        tried.sort_by_key(|tried| tried.started);
        let notices = all.filter_map(Notice::of);
        let accepted = self.accepted_requests(&hook, &tried);
        Endpoint {
            tried,
            edits: self.evidence.edits.of(hook.id),
            notices: notices.filter(|notice| notice.webhook == hook.id).collect(),
            given_up,
            accepted,
            hook,
        }
    }

    fn accepted_requests(&self, hook: &Hook, tried: &[Tried]) -> Vec<DateTime<Utc>> {
        let recorded = tried.iter().filter(|tried| tried.success);
        let recorded = recorded.map(|tried| tried.started);
        let seen = self.evidence.seen.iter();
        let own = seen.filter(|request| hook.host == Some(request.host));
        let accepted = own.filter(|request| {
            let status = request.answered.map(|(status, _)| status);
            status.is_some_and(|status| (200..300).contains(&status))
        });
        let mut all: Vec<_> = recorded.chain(accepted.map(|request| request.at)).collect();
        all.sort();
        all
    }

    /// Returns whether no process was killed, the store was well and all clocks had always been
    /// right. Entries of a clock that was set back seem to be earlier than that.
    fn is_quiet(&self, from: DateTime<Utc>, until: DateTime<Utc>) -> bool {
        let mut killed = self.evidence.killed.values();
        let mut troubles = self.evidence.store_troubles.iter();
        let mut jumps = self.evidence.jumps.iter();
        let wrong = TimeDelta::seconds(self.evidence.jumped.cast_signed());
        !killed.any(|at| (from..=until).contains(at))
            && !troubles.any(|(began, ended)| *began <= until && from <= *ended + KNOWN)
            && !jumps.any(|at| *at <= until + wrong)
    }

    /// Returns whether it is counted, from [`KNOWN`] after its end on.
    fn is_known(&self, tried: &Tried) -> bool {
        self.is_quiet(tried.started, tried.ended + KNOWN)
    }

    /// Returns whether all processes that ran then, or began since, ran until the other moment.
    fn none_ends(&self, from: DateTime<Utc>, until: DateTime<Utc>) -> bool {
        let mut lives = self.evidence.lives.values();
        !lives.any(|life| (from..=until).contains(&life.until))
    }

    /// Checks that a disabled webhook failed for the whole time, also since its last edit, and that
    /// nothing was delivered in that time.
    fn disabled_wrongly(&self, endpoint: &Endpoint) -> Vec<String> {
        let mut wrong = Vec::new();
        for at in disablings(&endpoint.edits) {
            let from = at - self.evidence.disable_after;
            if !self.is_quiet(at - KNOWN, at) {
                continue;
            }
            let known = |tried: &&Tried| tried.ended + KNOWN < at && self.is_known(tried);
            let since = endpoint.tried.iter().filter(|tried| tried.started > from);
            let mut sent = since.clone().filter(|tried| tried.success);
            if let Some(sent) = sent.find(known) {
                wrong.push(format!("disabled at {at}, delivered at {}", sent.started));
            }
            let mut edits = endpoint.edits.iter();
            if let Some(edit) = edits.find(|edit| edit.at > from && edit.at + KNOWN < at) {
                wrong.push(format!("disabled at {at}, edited at {}", edit.at));
            }
            let before = endpoint.tried.iter().filter(|tried| tried.started < at);
            let sent = before.clone().filter(|tried| tried.success && known(tried));
            let sent = sent.map(|sent| sent.started).max();
            let mut failed = before
                .filter(|tried| !tried.success && sent.is_none_or(|sent| tried.started > sent));
            let first = failed.next().map_or(at, |first| first.started);
            if first > from && self.is_quiet(from - KNOWN, first) {
                wrong.push(format!("disabled at {at}, it began to fail at {first}"));
            }
        }
        wrong
    }

    /// Checks that a webhook is disabled with the first attempt after the policy's time; but
    /// failures in an hour are known from the end of that hour on, and those of an hour with a
    /// delivery do not count.
    fn left_enabled(&self, endpoint: &Endpoint) -> Option<String> {
        let hour = |at: DateTime<Utc>| at.duration_trunc(HOUR).unwrap();
        let failed = endpoint.tried.iter().filter(|tried| !tried.success);
        for tried in failed.clone() {
            let until = tried.ended + KNOWN;
            if !self.is_quiet(tried.started - KNOWN, until) || until > self.evidence.ended {
                continue;
            }
            let edited = endpoint.edited(until);
            if edited.is_some_and(|edit| edit.activity != Activity::Active) {
                continue;
            }
            let sent = endpoint.accepted_before(tried.started);
            let mut since = failed.clone().filter(|other| {
                sent.is_none_or(|sent| other.started > sent) && self.is_known(other)
            });
            let Some(first) = since.next() else { continue };
            let mut counted = std::iter::once(first).chain(since);
            let counted = counted.find(|other| sent.is_none_or(|sent| hour(other.ended) > sent));
            let Some(counted) = counted else { continue };
            let from = (hour(counted.ended) + HOUR).max(first.started + HOUR);
            let from = edited.map_or(from, |edit| from.max(edit.at));
            if tried.started > from + self.evidence.disable_after + KNOWN {
                let (first, at) = (first.started, tried.started);
                return Some(format!("fails since {first}, and still enabled after {at}"));
            }
        }
        None
    }

    /// Checks that it has failed, and that nothing was delivered since the time in the notice.
    fn failing(&self, endpoint: &Endpoint) -> Vec<String> {
        let mut wrong = Vec::new();
        for notice in endpoint.said(Said::Failing) {
            let since = notice.since.unwrap_or(notice.at);
            let is_counted = |sent: &&Tried| {
                // The notice is precise to a second.
                let is_later = sent.started >= since + TimeDelta::seconds(1);
                is_later && sent.ended + KNOWN < notice.at && self.is_known(sent)
            };
            let mut sent = endpoint.tried.iter().filter(|tried| tried.success);
            let sent = sent.find(is_counted);
            if let Some(sent) = sent.filter(|_| self.is_quiet(notice.at - KNOWN, notice.at)) {
                let (at, sent) = (notice.at, sent.started);
                wrong.push(format!(
                    "said at {at} to fail since {since}, delivered at {sent}"
                ));
            }
            let mut failed = endpoint.tried.iter().filter(|tried| !tried.success);
            let has_failed = failed
                .any(|tried| since <= tried.ended + KNOWN && tried.started < notice.at + KNOWN);
            if !has_failed && self.is_quiet(since - KNOWN, notice.at) {
                let at = notice.at;
                wrong.push(format!(
                    "said at {at} to fail since {since}: no attempt did"
                ));
            }
        }
        wrong
    }

    /// Checks that each reported trouble ends with one notice; and, if something was delivered,
    /// within half of the time for which it failed.
    fn recovered(&self, endpoint: &Endpoint) -> Vec<String> {
        let mut wrong = Vec::new();
        for notice in endpoint.said(Said::Recovered) {
            let same = |other: &&Notice| other.once == notice.once;
            let failing = endpoint.said(Said::Failing).filter(same).count();
            let recovered = endpoint.said(Said::Recovered).filter(same).count();
            if (failing, recovered) != (1, 1) {
                let at = notice.at;
                wrong.push(format!(
                    "recovered at {at}: said {recovered} times, and {failing} times to fail"
                ));
            }
        }
        for notice in endpoint.said(Said::Failing) {
            let mut sent = endpoint
                .tried
                .iter()
                .filter(|tried| tried.success && tried.started > notice.at && self.is_known(tried));
            let Some(sent) = sent.next() else { continue };
            let failed = sent.started - notice.since.unwrap_or(notice.at);
            let look = (failed / 2).clamp(FIRST_LOOK, HOUR);
            let until = sent.ended + look + KNOWN * 2;
            let mut said = endpoint.said(Said::Recovered);
            let is_said = said.any(|other| other.once == notice.once && other.at <= until);
            let is_due = until <= self.evidence.ended
                && self.is_quiet(sent.started, until)
                && self.is_kept(endpoint, notice, until);
            if is_due && !is_said {
                let (at, sent) = (notice.at, sent.started);
                wrong.push(format!(
                    "said at {at} to fail, and not to recover after {sent}"
                ));
            }
        }
        wrong
    }

    /// Returns whether a process knows until then that the webhook was reported as failing: the one
    /// that reported it, or one that began later and found that in the last hour with requests
    /// something was given up and nothing delivered.
    fn is_kept(&self, endpoint: &Endpoint, notice: &Notice, until: DateTime<Utc>) -> bool {
        if self.is_quiet(notice.at - KNOWN, until) && self.none_ends(notice.at - KNOWN, until) {
            return true;
        }
        let since = self.evidence.lives.values().filter(|life| {
            notice.at + KNOWN < life.from && life.from + KNOWN < until && until < life.until
        });
        since.into_iter().any(|life| {
            self.is_quiet(life.from - KNOWN, life.from + KNOWN)
                && self.is_found(endpoint, life.from)
        })
    }

    fn is_found(&self, endpoint: &Endpoint, at: DateTime<Utc>) -> bool {
        let hour = |at: DateTime<Utc>| at.duration_trunc(HOUR).unwrap();
        let before = endpoint.tried.iter().filter(|tried| tried.started < at);
        let Some(last) = before.clone().map(|tried| hour(tried.ended)).max() else {
            return false;
        };
        // Attempts recorded around the full hour may be counted in either hour.
        let mut near = before.filter(|tried| tried.ended + KNOWN > last);
        let is_active = endpoint
            .edited(at)
            .is_none_or(|edit| edit.activity == Activity::Active);
        let mut given_up = endpoint.given_up.iter();
        let in_time = last + TimeDelta::hours(23) > at;
        let is_given_up = given_up.any(|given_up| {
            let tried = endpoint.tried.iter().find(|tried| tried.ended == *given_up);
            *given_up > last && *given_up + KNOWN < at && tried.is_some_and(|t| self.is_known(t))
        });
        in_time && is_active && is_given_up && !near.any(|tried| tried.success)
    }

    /// Checks that each disabling is reported, and nothing else.
    fn disabled(&self, endpoint: &Endpoint) -> Vec<String> {
        let disabled = disablings(&endpoint.edits);
        let mut wrong = Vec::new();
        let said = endpoint.said(Said::Disabled).count();
        if said > disabled.len() {
            wrong.push(format!(
                "disabled {} times, and said so {said} times",
                disabled.len()
            ));
        }
        for at in disabled {
            let until = at + KNOWN;
            let is_due = until <= self.evidence.ended
                && self.is_quiet(at - KNOWN, until)
                && self.none_ends(at - KNOWN, until);
            let mut said = endpoint.said(Said::Disabled);
            if is_due && !said.any(|notice| at <= notice.at && notice.at <= until) {
                wrong.push(format!("disabled at {at}, and never said so"));
            }
        }
        wrong
    }

    /// Checks that each hour in which a delivery was given up is reported, at most a moment later,
    /// and with no larger number.
    fn exhausted(&self, endpoint: &Endpoint) -> Vec<String> {
        let mut wrong = Vec::new();
        for at in &endpoint.given_up {
            let (from, until) = (at.duration_trunc(HOUR).unwrap(), *at + KNOWN);
            let is_due = until <= self.evidence.ended
                && self.is_quiet(*at - KNOWN, until)
                && self.none_ends(*at - KNOWN, until);
            let mut said = endpoint.said(Said::Exhausted);
            if is_due && !said.any(|notice| from <= notice.at && notice.at <= until) {
                wrong.push(format!("a delivery was given up at {at}, and nobody told"));
            }
        }
        let said: u64 = endpoint
            .said(Said::Exhausted)
            .map(|notice| notice.count)
            .sum();
        let is_sure = self.evidence.calm && !endpoint.hook.replayed;
        let given_up = endpoint.given_up.len() as u64;
        if is_sure && said > given_up {
            wrong.push(format!(
                "{given_up} deliveries were given up, {said} were told"
            ));
        }
        wrong
    }
}

/// Returns whether it ended after its attempts: neither by its user, nor because its senders died.
fn was_given_up(delivery: &Delivery) -> bool {
    let ended = [EndReason::Expired, EndReason::LostClaims].map(EndReason::as_str);
    let info = delivery.status_info.as_str();
    delivery.state == DeliveryState::Error && info != "cancelled" && !ended.contains(&info)
}
