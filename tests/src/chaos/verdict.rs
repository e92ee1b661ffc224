//! The verdict: what must hold after every run, however chaotic.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::time::Duration;

use gatepost_storage::webhooks::{AttemptRecord, Delivery, DeliveryState};

use super::receiver::Seen;
use super::run::Told;

/// A rule that holds for every delivery, whatever dies.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Invariant {
    /// An accepted delivery is in the end `sent` or `error`, once.
    NothingIsLost,
    /// A receiver sees a delivery at most once for each attempt, each claim that was lost, and each
    /// reused connection that it reset instead of a response. The first loss is not counted in the
    /// store, because another delivery of the same batch may have killed the sender; an attempt
    /// follows it, or the loss that ends the delivery, and the number of such losses is at most
    /// that of the deliveries under way in processes that died.
    RepeatsAreAccountedFor,
    /// All requests of a delivery carry the same bytes.
    BytesAreTheSame,
    /// `sent` means a 2xx response; `error` says why.
    StatesTellTheTruth,
    /// The log has no response that the receiver did not give, and a 2xx once, as the last.
    LogAgreesWithReceiver,
    /// Nothing leaves before its time.
    NothingIsEarly,
    /// The number of concurrent requests does not exceed the limit.
    AtOnceIsBounded,
    /// A one-time task runs once, and is deleted then.
    OnceIsOnce,
    /// When the trouble is over, the queue is empty soon.
    QueueEmpties,
}

/// The results of a run. It does not show that a settlement with an old token changes nothing, that
/// a deleted key is refused, that no secret leaks and that no forbidden address is dialled: other
/// tests check that.
#[derive(Clone, Debug)]
pub struct Evidence {
    /// The lines that the children printed.
    pub told: Told,
    /// The requests that arrived.
    pub seen: Vec<Seen>,
    /// The largest number of concurrent requests.
    pub most_at_once: usize,
    /// All deliveries and their attempts.
    pub deliveries: Vec<(Delivery, Vec<AttemptRecord>)>,
    /// One-time tasks that have not run.
    pub once_waiting: HashSet<i64>,
    /// The time in which the queue emptied after the trouble.
    pub drained_in: Duration,
    /// The limit of that time.
    pub drain_bound: Duration,
    /// Attempts after the first.
    pub retries: u32,
    /// The limit of concurrent requests.
    pub at_once_bound: usize,
    /// The number of killed processes.
    pub kills: usize,
    /// Whether the clocks of processes were set: then send times are not checked.
    pub clock_jumped: bool,
}

/// The result of the checks.
#[derive(Debug, Default)]
pub struct Verdict {
    /// The broken rules, each with its evidence.
    pub violations: Vec<(Invariant, String)>,
}

impl Verdict {
    /// Returns whether this one was violated.
    pub fn violates(&self, invariant: Invariant) -> bool {
        self.violations.iter().any(|(found, _)| *found == invariant)
    }

    fn add(&mut self, invariant: Invariant, what: impl Into<String>) {
        self.violations.push((invariant, what.into()));
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (invariant, what) in self.violations.iter().take(20) {
            writeln!(f, "{invariant:?}: {what}")?;
        }
        writeln!(f, "{} violations", self.violations.len())
    }
}

impl Evidence {
    /// Checks all rules.
    pub fn judge(&self) -> Verdict {
        let mut verdict = Verdict::default();
        self.lost_or_doubled(&mut verdict);
        self.each_delivery(&mut verdict);
        if self.most_at_once > self.at_once_bound {
            verdict.add(
                Invariant::AtOnceIsBounded,
                format!("{} at once", self.most_at_once),
            );
        }
        if self.drained_in > self.drain_bound {
            verdict.add(
                Invariant::QueueEmpties,
                format!("after {:?}", self.drained_in),
            );
        }
        verdict
    }

    /// Returns the number of requests without a recorded attempt: their claims were lost.
    pub fn repeats(&self) -> usize {
        let attempts: usize = self.deliveries.iter().map(|(_, made)| made.len()).sum();
        let arrived = self.seen.iter().filter(|r| !r.repeated).count();
        arrived.saturating_sub(attempts)
    }

    fn lost_or_doubled(&self, verdict: &mut Verdict) {
        let mut made: HashMap<&str, u32> = HashMap::new();
        for (delivery, _) in &self.deliveries {
            *made.entry(&delivery.body).or_default() += 1;
            if !delivery.state.is_final() {
                verdict.add(
                    Invariant::NothingIsLost,
                    format!("{} is still open", delivery.message_id),
                );
            }
        }
        for n in &self.told.accepted {
            let count = made
                .get(format!(r#"{{"n":"{n}"}}"#).as_str())
                .copied()
                .unwrap_or(0);
            if count != 1 {
                verdict.add(
                    Invariant::NothingIsLost,
                    format!("{n} was accepted and has {count} deliveries"),
                );
            }
        }
        for n in &self.told.ran {
            let count = made
                .get(format!(r#"{{"once":"{n}"}}"#).as_str())
                .copied()
                .unwrap_or(0);
            if count != 1 || self.once_waiting.contains(n) {
                verdict.add(
                    Invariant::OnceIsOnce,
                    format!("{n} ran and has {count} deliveries"),
                );
            }
        }
        for (body, count) in made.iter().filter(|(body, _)| body.contains("once")) {
            let number = body
                .bytes()
                .filter(u8::is_ascii_digit)
                .map(char::from)
                .collect::<String>();
            let waits = number.parse().is_ok_and(|n| self.once_waiting.contains(&n));
            if *count != 1 || waits {
                verdict.add(
                    Invariant::OnceIsOnce,
                    format!("{body}: {count} deliveries, waits: {waits}"),
                );
            }
        }
    }

    fn each_delivery(&self, verdict: &mut Verdict) {
        let mut seen: HashMap<&str, Vec<&Seen>> = HashMap::new();
        for request in &self.seen {
            seen.entry(&request.id).or_default().push(request);
        }
        let mut uncounted = 0;
        for (delivery, attempts) in &self.deliveries {
            let id = delivery.message_id.as_str();
            let requests = seen.remove(id).unwrap_or_default();
            let counted = attempts.len() + delivery.lost_claims as usize;
            let arrived = requests.iter().filter(|r| !r.repeated).count();
            let repeats = arrived.saturating_sub(counted);
            uncounted += repeats;
            let ended_by_loss = delivery.lost_claims >= Delivery::MAX_LOST_CLAIMS;
            let followed = attempts.len() + usize::from(ended_by_loss);
            if repeats > followed || attempts.len() > 1 + self.retries as usize {
                let what = format!(
                    "{id}: {arrived} requests, {} attempts, {} lost claims",
                    attempts.len(),
                    delivery.lost_claims
                );
                verdict.add(Invariant::RepeatsAreAccountedFor, what);
            }
            if requests.iter().any(|r| *r.body != *delivery.body) {
                verdict.add(Invariant::BytesAreTheSame, id);
            }
            let accepted = requests.iter().any(|r| r.answered == Some(200));
            let told = match delivery.state {
                DeliveryState::Sent => accepted,
                DeliveryState::Error => {
                    !delivery.status_info.is_empty() && (!accepted || arrived > attempts.len())
                }
                _ => true,
            };
            if !told {
                let what = format!(
                    "{id}: {:?} {:?}, accepted: {accepted}",
                    delivery.state, delivery.status_info
                );
                verdict.add(Invariant::StatesTellTheTruth, what);
            }
            self.log_of(delivery, attempts, &requests, verdict);
            // The engine's clock is corrected by the server's, which is measured within a round
            // trip of at most a second: on a slow machine the error is up to half of that.
            let created = delivery.created - chrono::TimeDelta::milliseconds(500);
            let early = !self.clock_jumped && requests.iter().any(|r| r.at < created);
            // The schedule of a run begins with 100 ms; a fifth of it is jitter.
            let hurried = !self.clock_jumped
                && attempts.windows(2).any(|two| {
                    two[1].started - two[0].started < chrono::TimeDelta::milliseconds(80)
                });
            if early || hurried {
                let what = format!("{id}: before its time: {early}, retried in haste: {hurried}");
                verdict.add(Invariant::NothingIsEarly, what);
            }
        }
        if uncounted > self.kills * self.at_once_bound {
            let what = format!("{uncounted} repeats, {} kills", self.kills);
            verdict.add(Invariant::RepeatsAreAccountedFor, what);
        }
        for id in seen.keys() {
            verdict.add(
                Invariant::NothingIsLost,
                format!("{id} arrived and is not stored"),
            );
        }
    }
    fn log_of(
        &self,
        delivery: &Delivery,
        attempts: &[AttemptRecord],
        requests: &[&Seen],
        verdict: &mut Verdict,
    ) {
        let logged = |status| attempts.iter().filter(|a| a.status == Some(status)).count();
        let given = |status| {
            requests
                .iter()
                .filter(|r| r.answered == Some(status))
                .count()
        };
        let invented = [200, 500].into_iter().find(|s| logged(*s) > given(*s));
        let earlier = attempts.iter().rev().skip(1);
        let went_on = earlier.filter(|a| a.status == Some(200)).count();
        if invented.is_some() || went_on > 0 {
            let what = format!(
                "{}: logged more often than given: {invented:?}, attempts after a 200: {went_on}",
                delivery.message_id
            );
            verdict.add(Invariant::LogAgreesWithReceiver, what);
        }
    }
}

#[cfg(test)]
mod tests {
    use gatepost_storage::webhooks::{Claim, ClaimToken, DeliveryId};

    use super::*;
    use crate::chaos::now;

    /// Returns sound evidence: one ordinary delivery and one of a one-time task, both sent.
    fn sound() -> Evidence {
        let now = now();
        let delivery = |id: i64, body: &str| Delivery {
            id: DeliveryId(id),
            message_id: format!("msg{id}").parse().unwrap(),
            webhook: webhook_model::WebhookId(1),
            owner: webhook_model::OwnerId(1),
            tenant: None,
            task: None,
            cause: None,
            body: body.into(),
            message_kept: true,
            state: DeliveryState::Sent,
            class: "ok".to_owned(),
            status_info: "200 OK".to_owned(),
            created: now,
            due: now,
            lease_until: None,
            last_attempt: Some(now),
            attempts: 1,
            tries: 1,
            lost_claims: 0,
            response_status: Some(200),
            duration: None,
        };
        let claim = Claim {
            delivery: DeliveryId(1),
            token: ClaimToken(1),
        };
        let attempt = crate::powercut::records::sent(claim, now).attempt.unwrap();
        let bodies = [(1, r#"{"n":"7"}"#), (2, r#"{"once":"8"}"#)];
        let seen = |(id, body): (i64, &str)| Seen {
            id: format!("msg{id}"),
            body: body.to_owned(),
            at: now,
            answered: Some(200),
            repeated: false,
            authorization: String::new(),
        };
        Evidence {
            told: Told {
                accepted: vec![7],
                ran: vec![8],
            },
            seen: bodies.map(seen).to_vec(),
            most_at_once: 2,
            deliveries: bodies
                .map(|(id, body)| (delivery(id, body), vec![attempt.clone()]))
                .to_vec(),
            once_waiting: HashSet::new(),
            drained_in: Duration::from_secs(1),
            drain_bound: Duration::from_secs(8),
            retries: 2,
            at_once_bound: 64,
            kills: 0,
            clock_jumped: false,
        }
    }

    #[test]
    fn a_sound_run_violates_nothing() {
        let verdict = sound().judge();
        assert!(verdict.violations.is_empty(), "{verdict}");
    }

    #[test]
    fn each_violation_is_found() {
        use Invariant as I;
        type Fault = fn(&mut Evidence);
        let faults: [(Invariant, Fault); 18] = [
            (I::NothingIsLost, |e| e.told.accepted.push(9)),
            (I::NothingIsLost, |e| {
                e.deliveries[0].0.state = DeliveryState::Queued;
            }),
            (I::NothingIsLost, |e| drop(e.deliveries.remove(0))),
            (I::RepeatsAreAccountedFor, |e| {
                e.seen.push(e.seen[0].clone());
            }),
            (I::RepeatsAreAccountedFor, |e| {
                e.kills = 1;
                e.seen.extend([e.seen[0].clone(), e.seen[0].clone()]);
            }),
            (I::RepeatsAreAccountedFor, |e| {
                let again = e.deliveries[0].1[0].clone();
                e.deliveries[0]
                    .1
                    .extend([again.clone(), again.clone(), again]);
            }),
            // One loss that is not counted, and three that are: the fifth request is one too many.
            (I::RepeatsAreAccountedFor, |e| {
                let (delivery, attempts) = &mut e.deliveries[0];
                attempts.clear();
                (delivery.lost_claims, delivery.state) =
                    (Delivery::MAX_LOST_CLAIMS, DeliveryState::Error);
                "the sender died".clone_into(&mut delivery.status_info);
                e.seen[0].answered = None;
                e.kills = 10;
                let again = e.seen[0].clone();
                e.seen.extend(std::iter::repeat_n(again, 4));
            }),
            (I::BytesAreTheSame, |e| e.seen[0].body.push(' ')),
            (I::StatesTellTheTruth, |e| e.seen[0].answered = Some(500)),
            (I::StatesTellTheTruth, |e| {
                e.deliveries[0].0.state = DeliveryState::Error;
            }),
            // A request that the receiver does not have, and one too many.
            (I::LogAgreesWithReceiver, |e| drop(e.seen.remove(0))),
            (I::LogAgreesWithReceiver, |e| {
                let again = e.deliveries[0].1[0].clone();
                e.deliveries[0].1.push(again);
                e.seen.push(e.seen[0].clone());
            }),
            (I::NothingIsEarly, |e| {
                e.seen[0].at -= chrono::TimeDelta::seconds(1);
            }),
            (I::NothingIsEarly, |e| {
                let again = e.deliveries[0].1[0].clone();
                e.deliveries[0].1.push(again);
            }),
            (I::AtOnceIsBounded, |e| e.most_at_once = 65),
            (I::OnceIsOnce, |e| {
                e.deliveries.push(e.deliveries[1].clone());
            }),
            (I::OnceIsOnce, |e| {
                e.once_waiting.insert(8);
            }),
            (I::QueueEmpties, |e| e.drained_in = Duration::from_secs(9)),
        ];
        for (number, (invariant, fault)) in faults.into_iter().enumerate() {
            let mut evidence = sound();
            fault(&mut evidence);
            let verdict = evidence.judge();
            assert!(
                verdict.violates(invariant),
                "fault {number}: {invariant:?} was not found: {verdict}"
            );
        }
    }
}
