//! Pauses, resumptions and cancellations by users, with the times from which they are certain.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::DeliveryId;

use super::ledger::{Hook, Ledger};

/// The kind of switch of a webhook.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Switched {
    /// It keeps its order, or does not.
    Order,
    /// It is paused or deleted, or resumed.
    Rest,
}

/// A call that switches something on or off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Switch {
    pub on: bool,
    /// The number of the process that received it.
    pub process: u64,
    /// The time of the request.
    pub began: DateTime<Utc>,
    /// The time of the answer, and whether the switch is stored for certain. `None`: it never was
    /// answered.
    pub ended: Option<(DateTime<Utc>, bool)>,
}

/// A call that cancels deliveries.
#[derive(Clone, Debug)]
pub(super) struct Cancel {
    pub asked: Vec<DeliveryId>,
    /// The time of the answer that all of them have ended by it.
    pub done: Option<DateTime<Utc>>,
}

/// The identity of such a call, to find it again when it is answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    hook: usize,
    what: Switched,
    number: usize,
}

/// Returns the periods in which it was certainly on; one that ends before it begins is none.
pub(super) fn surely_on(all: &[Switch]) -> Vec<(DateTime<Utc>, DateTime<Utc>)> {
    let on = all.iter().filter(|switch| switch.on);
    let spans = on.filter_map(|switch| {
        let (from, stored) = switch.ended?;
        let off = all
            .iter()
            .filter(|other| !other.on && !other.is_before(switch));
        let until = off.map(|off| off.began).min();
        stored.then_some((from, until.unwrap_or(DateTime::<Utc>::MAX_UTC)))
    });
    spans.collect()
}

/// Ends the calls that processes had not answered when they were killed.
pub(super) fn end_killed(hooks: &mut [Hook], killed: &BTreeMap<u64, DateTime<Utc>>) {
    for hook in hooks {
        for switch in hook.rests.iter_mut().chain(&mut hook.orders) {
            switch.end_killed(killed);
        }
    }
}

impl Switch {
    /// It may be stored, but not later than the death of its process.
    fn end_killed(&mut self, killed: &BTreeMap<u64, DateTime<Utc>>) {
        let killed = killed.get(&self.process).copied();
        self.ended = self.ended.or(killed.map(|at| (at, false)));
    }

    /// Returns whether it certainly ended before the other began.
    fn is_before(&self, other: &Self) -> bool {
        self.ended.is_some_and(|(ended, _)| ended < other.began)
    }
}

impl Hook {
    fn switches(&mut self, what: Switched) -> &mut Vec<Switch> {
        match what {
            Switched::Order => &mut self.orders,
            Switched::Rest => &mut self.rests,
        }
    }
}

impl Ledger {
    /// Records that a process is asked to switch a webhook.
    pub(super) fn switches(&self, process: u64, hook: usize, what: Switched, on: bool) -> Call {
        let began = self.now();
        let mut hooks = self.hooks.lock().unwrap();
        let all = hooks[hook].switches(what);
        all.push(Switch {
            on,
            process,
            began,
            ended: None,
        });
        Call {
            hook,
            what,
            number: all.len() - 1,
        }
    }

    /// Records that it is switched, for certain or perhaps.
    pub(super) fn switched(&self, call: Call, stored: bool) {
        let Call { hook, what, number } = call;
        let ended = Some((self.now(), stored));
        self.note(hook, |hook| hook.switches(what)[number].ended = ended);
    }

    /// Records a request to cancel deliveries of a webhook; returns the number of the call.
    pub(super) fn cancels(&self, hook: usize, asked: &[DeliveryId]) -> usize {
        let mut hooks = self.hooks.lock().unwrap();
        let all = &mut hooks[hook].cancels;
        all.push(Cancel {
            asked: asked.to_vec(),
            done: None,
        });
        all.len() - 1
    }

    /// Records that all of them are cancelled.
    pub(super) fn cancelled(&self, hook: usize, number: usize) {
        let done = Some(self.now());
        self.note(hook, |hook| hook.cancels[number].done = done);
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn unanswered_switch_of_killed_process_spares_later_span() {
        let at = |seconds| DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds);
        let mut off = Switch {
            on: false,
            process: 7,
            began: at(1),
            ended: None,
        };
        let on = Switch {
            on: true,
            process: 8,
            began: at(3),
            ended: Some((at(4), true)),
        };
        assert_eq!(surely_on(&[off, on]), [(at(4), at(1))], "it may come yet");
        off.end_killed(&BTreeMap::from([(8, at(2))]));
        assert_eq!(off.ended, None, "that is another process");
        off.end_killed(&BTreeMap::from([(7, at(2))]));
        let until = DateTime::<Utc>::MAX_UTC;
        assert_eq!(surely_on(&[off, on]), [(at(4), until)]);
    }
}
