//! What users switch on and off and what they cancel, and since when that is sure.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::DeliveryId;

use super::ledger::{Hook, Ledger};

/// What of a webhook is switched.
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
    /// When it was asked for.
    pub began: DateTime<Utc>,
    /// When it was answered, and whether it is stored for sure. `None`: it never was.
    pub ended: Option<(DateTime<Utc>, bool)>,
}

/// A call that cancels deliveries.
#[derive(Clone, Debug)]
pub(super) struct Cancel {
    pub asked: Vec<DeliveryId>,
    /// When it was answered that all of them have ended by it.
    pub done: Option<DateTime<Utc>>,
}

/// Such a call, to be found again when it is answered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Call {
    hook: usize,
    what: Switched,
    number: usize,
}

/// The spans of time in which it was on for sure; one that ends before it begins is none.
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

impl Switch {
    /// Whether it was over for sure before the other began.
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
    /// A webhook is to be switched.
    pub(super) fn switches(&self, hook: usize, what: Switched, on: bool) -> Call {
        let began = self.now();
        let mut hooks = self.hooks.lock().unwrap();
        let all = hooks[hook].switches(what);
        all.push(Switch {
            on,
            began,
            ended: None,
        });
        Call {
            hook,
            what,
            number: all.len() - 1,
        }
    }

    /// It is, for sure or perhaps.
    pub(super) fn switched(&self, call: Call, stored: bool) {
        let Call { hook, what, number } = call;
        let ended = Some((self.now(), stored));
        self.note(hook, |hook| hook.switches(what)[number].ended = ended);
    }

    /// Deliveries of a webhook are to be cancelled; the number of the call.
    pub(super) fn cancels(&self, hook: usize, asked: &[DeliveryId]) -> usize {
        let mut hooks = self.hooks.lock().unwrap();
        let all = &mut hooks[hook].cancels;
        all.push(Cancel {
            asked: asked.to_vec(),
            done: None,
        });
        all.len() - 1
    }

    /// All of them are.
    pub(super) fn cancelled(&self, hook: usize, number: usize) {
        let done = Some(self.now());
        self.note(hook, |hook| hook.cancels[number].done = done);
    }
}
