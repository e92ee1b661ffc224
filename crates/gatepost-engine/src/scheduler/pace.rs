//! The time at which the next request to a webhook may begin.

use std::num::NonZeroU32;
use std::time::Duration;

use rand::Rng;
use tokio::time::Instant;

use crate::config::BreakerLimits;

pub(super) const MINUTE: Duration = Duration::from_secs(60);
const SECOND: Duration = Duration::from_secs(1);
/// The first pause of an open breaker; each further failure doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
/// The longest time for which no request is sent to a target, whatever it asks for.
const LONGEST_HOLD: Duration = Duration::from_secs(15 * 60);
/// The divisor of a hold that gives its maximum random extension.
const JITTER: u32 = 10;
/// The number of minutes after which a target's learned rate is forgotten.
const FORGOTTEN: u32 = 10;

/// The processes that share the webhooks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Processes {
    pub(super) live: u32,
    pub(super) own: u32,
}

/// The rates of a webhook.
#[derive(Clone, Copy, Debug)]
pub(super) struct PaceRates {
    pub(super) own: Option<NonZeroU32>,
    pub(super) resumed: Option<NonZeroU32>,
    pub(super) processes: Processes,
}

#[derive(Debug, Default)]
pub(super) struct Pace {
    /// The time before which no request begins: the breaker is open, or the target asked to wait.
    until: Option<Instant>,
    /// The end of the reserved time slots, one after the other.
    over: Option<Instant>,
    /// The number of backlog deliveries, which are sent at their own rate.
    backlog: u32,
    /// The time at which the webhook was resumed: earlier deliveries are backlog.
    resumed: Option<Instant>,
    learned: Option<Learned>,
}

/// The rate learned from a target that asked to wait.
#[derive(Clone, Copy, Debug)]
struct Learned {
    /// The gap between two requests of all processes; it is halved after each minute.
    gap: Duration,
    since: Instant,
}

impl Pace {
    /// Returns when the next request may begin.
    pub(super) fn opens(&self, rates: PaceRates, now: Instant) -> Option<Instant> {
        let ahead = SECOND.saturating_sub(self.gap(rates, now));
        let turn = self.over.and_then(|over| over.checked_sub(ahead));
        self.until.max(turn).filter(|opens| *opens > now)
    }

    /// Notes that a request begins.
    pub(super) fn take(&mut self, rates: PaceRates, now: Instant) {
        let gap = self.gap(rates, now);
        self.over = (!gap.is_zero()).then(|| self.over.map_or(now, |over| over.max(now)) + gap);
        self.backlog = self.backlog.saturating_sub(1);
    }

    /// Undoes `take` for a request that did not begin.
    pub(super) fn give_back(&mut self, rates: PaceRates, now: Instant) {
        let gap = self.gap(rates, now);
        self.over = self.over.and_then(|over| over.checked_sub(gap));
    }

    /// Notes that this number of deliveries was found in an empty queue. If they have been due for
    /// a minute, they are backlog.
    pub(super) fn found(&mut self, count: u32, due: Instant, now: Instant) {
        let held = self.resumed.max(now.checked_sub(MINUTE));
        if held.is_some_and(|held| due <= held) {
            self.backlog = count;
        }
    }

    /// Lets no request begin before then.
    pub(super) fn rest(&mut self, until: Instant) {
        self.until = self.until.max(Some(until));
    }

    /// Returns until when the breaker is open, or the target has asked to wait.
    pub(super) fn closed_until(&self, now: Instant) -> Option<Instant> {
        self.until.filter(|until| *until > now)
    }

    /// Makes all deliveries that are due backlog.
    pub(super) fn resume(&mut self, now: Instant) {
        self.resumed = Some(now);
    }

    /// Forgets all that the target asked for.
    pub(super) fn end_hold(&mut self) {
        (self.until, self.over, self.learned) = (None, None, None);
    }

    /// Opens the breaker, after this number of failures beyond its threshold.
    pub(super) fn open_breaker(&mut self, more: u32, breaker: &BreakerLimits, now: Instant) {
        let pause = FIRST_PAUSE.saturating_mul(1 << more.min(16));
        self.until = Some(now + pause.min(breaker.max_pause));
    }

    /// Notes that the target asks to wait until then: its rate becomes at most one request for that
    /// time, or half of the earlier rate. Processes begin one after the other.
    pub(super) fn hold(&mut self, until: Instant, processes: Processes, now: Instant) {
        let is_held = self.until.is_some_and(|until| until > now);
        let gap = match self.learned_gap(now) {
            Some(gap) if is_held => gap,
            Some(gap) => until.duration_since(now).max(gap * 2),
            None => until.duration_since(now),
        };
        let gap = gap.min(MINUTE);
        self.learned = Some(Learned { gap, since: now });
        let until = (until + gap * processes.own).min(now + LONGEST_HOLD);
        self.until = self.until.max(Some(until));
        self.over = None;
    }

    /// The gap between two requests of this process.
    fn gap(&self, rates: PaceRates, now: Instant) -> Duration {
        let live = rates.processes.live;
        let gap = |rate: NonZeroU32| (SECOND * live / rate.get()).min(SECOND);
        let resumed = rates.resumed.filter(|_| self.backlog > 0);
        let gaps = [
            rates.own.map(gap),
            resumed.map(gap),
            self.learned_gap(now).map(|gap| gap * live),
        ];
        gaps.into_iter().flatten().max().unwrap_or_default()
    }

    fn learned_gap(&self, now: Instant) -> Option<Duration> {
        let learned = self.learned?;
        let minutes = (now - learned.since).as_secs() / MINUTE.as_secs();
        let minutes = u32::try_from(minutes).unwrap_or(u32::MAX);
        (minutes < FORGOTTEN).then(|| learned.gap / (1 << minutes))
    }
}

/// Returns how long no request is sent to a target that asked to wait for this time.
pub(super) fn hold_for(asked: Duration, rng: &mut impl Rng) -> Duration {
    let asked = asked.min(LONGEST_HOLD * JITTER / (JITTER + 1));
    asked + asked / JITTER / 1000 * (rng.next_u32() % 1001)
}
