//! The times of attempts, compared with their due times.

use std::collections::HashMap;

use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::AttemptRecord;
use webhook_model::WebhookId;

use super::{Judge, Promise};
use crate::simulation::edits::disablings;
use crate::simulation::ledger::Hook;

/// The seconds from each attempt to the next, and from all further ones, before jitter.
const DELAYS: [i64; 5] = [5, 30, 120, 600, 1_800];
const FURTHER: i64 = 3_600;
/// The smallest and the largest length of a second with jitter, in milliseconds.
const JITTER: (i64, i64) = (800, 1_200);
/// The difference of correct clocks, as they are compared, by which they may be corrected: half a
/// second.
const CLOCKS: TimeDelta = TimeDelta::seconds(2);
/// The time within which a process finds out that its clock was set, even if the store was
/// unreachable.
const COMPARED: TimeDelta = TimeDelta::seconds(600);
/// The time within which a webhook with a due delivery makes an attempt: a few polls, an open
/// circuit breaker's pause, turns of a backlog, timeouts of others.
const IDLE: TimeDelta = TimeDelta::seconds(300);

/// An attempt, and the next one of the same delivery.
#[derive(Clone, Copy, Debug)]
struct Pair<'a> {
    made: &'a AttemptRecord,
    next: &'a AttemptRecord,
}

impl Judge<'_> {
    /// Checks that an attempt follows a failed one not sooner than the schedule and the target say;
    /// nor much later, if nothing delays it.
    pub(super) fn schedule(&mut self) {
        let (attempts, jumps) = (self.evidence.attempts, self.evidence.jumps);
        let mut came: HashMap<&str, Vec<DateTime<Utc>>> = HashMap::new();
        for request in self.evidence.seen {
            came.entry(&request.id).or_default().push(request.at);
        }
        let mut of_webhooks: HashMap<WebhookId, Vec<&AttemptRecord>> = HashMap::new();
        for delivery in self.evidence.deliveries {
            let all = of_webhooks.entry(delivery.webhook).or_default();
            all.extend(attempts[&delivery.id].iter());
        }
        for hook in self.hooks.clone() {
            // A delivery retried by its user is due immediately, and a replayed one starts its
            // schedule again.
            if hook.hastened || hook.replayed {
                continue;
            }
            let is_disabled = !disablings(&self.evidence.edits.of(hook.id)).is_empty();
            let is_free = self.evidence.calm && is_never_held(&hook) && !is_disabled;
            let all = self.evidence.deliveries.iter();
            for delivery in all.filter(|delivery| delivery.webhook == hook.id) {
                let came = came.get(delivery.message_id.as_str());
                let came = came.map_or(&[][..], Vec::as_slice);
                for two in attempts[&delivery.id].windows(2) {
                    let pair = Pair {
                        made: &two[0],
                        next: &two[1],
                    };
                    let is_late = is_free && pair.is_late(&of_webhooks[&hook.id]);
                    if is_late || pair.is_early(jumps, came) {
                        let what = format!("{}: {}", delivery.message_id, pair.told());
                        self.breach(Promise::ScheduleIsKept, what);
                    }
                }
            }
        }
    }
}

/// Returns whether it was neither paused nor switched to keep the order: otherwise something else
/// may delay a due delivery.
fn is_never_held(hook: &Hook) -> bool {
    hook.orders.is_empty() && !hook.rests.iter().any(|rest| rest.on)
}

impl Pair<'_> {
    fn is_early(self, jumps: &[DateTime<Utc>], came: &[DateTime<Utc>]) -> bool {
        let (made, next) = (end(self.made), self.next.started);
        next + CLOCKS < made + self.waits().0 && self.is_timed_right(jumps, came)
    }

    /// Returns whether all clocks were right between the two. Before any was set they were. Later a
    /// recorded time may be wrong by as much as a clock was: it is right if requests `came`.
    fn is_timed_right(self, jumps: &[DateTime<Utc>], came: &[DateTime<Utc>]) -> bool {
        let from = self.made.started - COMPARED;
        let until = end(self.made).max(self.next.started) + CLOCKS;
        let is_before_all = jumps.iter().all(|jump| until < *jump);
        let is_undisturbed = jumps.iter().all(|jump| !(from..=until).contains(jump));
        let mut both = [self.made, self.next].into_iter();
        is_before_all || (is_undisturbed && both.all(|attempt| was_seen(attempt, came)))
    }

    /// Returns whether the next attempt is late. `all` attempts of the webhook are known: while
    /// there are others, it waits for its turn.
    fn is_late(self, all: &[&AttemptRecord]) -> bool {
        let (made, next) = (end(self.made), self.next.started);
        let due = made + self.waits().1;
        let mut before = all.iter().filter(|other| other.started < next);
        next > due + IDLE && before.all(|other| next > end(other) + IDLE)
    }

    /// Returns the shortest and the longest time from the end of the one to the other. Without a
    /// replay its number is that of the attempts made.
    fn waits(self) -> (TimeDelta, TimeDelta) {
        let nth = (self.made.number as usize).saturating_sub(1);
        let delay = DELAYS.get(nth).copied().unwrap_or(FURTHER);
        let head = String::from_utf8_lossy(&self.made.response_head);
        let wanted = head
            .lines()
            .find_map(|line| line.strip_prefix("retry-after: ")?.parse::<i64>().ok());
        let wanted = TimeDelta::seconds(wanted.unwrap_or_default());
        let wait = |jitter: i64| TimeDelta::milliseconds(delay * jitter).max(wanted);
        (wait(JITTER.0), wait(JITTER.1))
    }

    fn told(self) -> String {
        let (least, most) = self.waits();
        format!(
            "attempt {} ended at {}, the next began at {}, and not {least} to {most} later",
            self.made.number,
            end(self.made),
            self.next.started,
        )
    }
}

/// Returns whether a request came in the recorded time of the attempt.
fn was_seen(attempt: &AttemptRecord, came: &[DateTime<Utc>]) -> bool {
    let (from, until) = (attempt.started - CLOCKS, end(attempt) + CLOCKS);
    came.iter().any(|at| (from..=until).contains(at))
}

fn end(attempt: &AttemptRecord) -> DateTime<Utc> {
    attempt.started + attempt.duration
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::simulation::furnish::HOSTS;
    use crate::simulation::script::{Act, Mood, Script, Step};
    use crate::simulation::{Sabotage, run, run_sabotaged};

    /// Returns a script in which a clock is set; when that is known, all requests fail, for longer
    /// than two delays.
    fn script() -> Script {
        let step = |seconds, act| Step {
            after: Duration::from_secs(seconds),
            act,
        };
        let jump = Act::Jump {
            process: 1,
            seconds: 20,
        };
        let nothing = Act::Lift { user: 0 };
        let emit = Act::Emit {
            process: 0,
            user: 1,
            times: 1,
        };
        let mut steps = vec![step(1, jump), step(900, nothing)];
        let mood = Mood::Status(500);
        let hosts = 0..u8::try_from(HOSTS).unwrap();
        steps.extend(hosts.map(|host| step(0, Act::Target { host, mood })));
        steps.extend([step(0, emit), step(100, nothing)]);
        Script {
            seed: 1,
            processes: 3,
            disable_after: Duration::from_secs(86_400),
            steps,
        }
    }

    #[test]
    fn halved_delays_are_detected_after_clock_change() {
        let right = run(&script()).breaches;
        assert!(right.is_empty(), "{right:#?}");
        let halved = run_sabotaged(&script(), Sabotage::HalvesDelays).breaches;
        let mut promises = halved.iter().map(|breach| breach.promise);
        assert!(promises.any(|promise| promise == Promise::ScheduleIsKept));
    }
}
