//! A fault in one field of the rows of one table.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};

use gatepost_testkit::fields::{Field, Rule};

/// The kind of fault in a field.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Kind {
    /// It has the value of a plain row.
    Dropped,
    /// It has the value of another row.
    Swapped,
    /// It keeps its old value through a change.
    Old,
    /// It has the value that the caller passed, though the store must not take it.
    Caller,
    /// It has a value close to the right one.
    Near,
}

/// The call in which a field is broken.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(super) enum Site {
    /// A call that stores the row: from then on it is read so in every way.
    Stored,
    /// A call that returns the row.
    Returned,
}

/// One fault.
#[derive(Debug)]
pub(super) struct Fault<R> {
    pub(super) method: &'static str,
    pub(super) site: Site,
    pub(super) kind: Kind,
    pub(super) field: Arc<Field<R>>,
    pub(super) plain: R,
}

impl<R> Fault<R> {
    pub(super) fn name(&self) -> String {
        let field = self.field.name();
        format!("{} {:?} {:?} {field}", self.method, self.site, self.kind)
    }
}

/// The fault of the rows of a table, if this mutant breaks that table.
#[derive(Debug)]
pub(super) struct Breaker<R> {
    fault: Option<Arc<Fault<R>>>,
    state: Mutex<State<R>>,
}

#[derive(Debug)]
struct State<R> {
    /// The correct rows, by number.
    seen: BTreeMap<i128, R>,
    /// The rows that are stored with a wrong field.
    wrong: BTreeMap<i128, R>,
}

impl<R> Default for Breaker<R> {
    fn default() -> Self {
        Self {
            fault: None,
            state: Mutex::new(State {
                seen: BTreeMap::new(),
                wrong: BTreeMap::new(),
            }),
        }
    }
}

impl<R: Clone> Breaker<R> {
    pub(super) fn of(fault: Arc<Fault<R>>) -> Self {
        Self {
            fault: Some(fault),
            ..Self::default()
        }
    }

    fn at(&self, method: &str, site: Site) -> Option<&Fault<R>> {
        let fault = self.fault.as_deref();
        fault.filter(|fault| fault.method == method && fault.site == site)
    }

    /// Returns whether this call stores a broken row.
    pub(super) fn breaks(&self, method: &str) -> bool {
        self.at(method, Site::Stored).is_some()
    }

    /// Returns the row that the store has after a call that stores it.
    pub(super) fn written(
        &self,
        method: &str,
        id: impl Into<i128>,
        asked: Option<&R>,
        row: R,
    ) -> R {
        let id = id.into();
        let mut state = self.state();
        if let Some(fault) = self.at(method, Site::Stored) {
            let mut wrong = state.shown(fault, id, row.clone());
            let old = state.seen.get(&id).cloned();
            state.apply(fault, id, asked, old.as_ref(), &mut wrong);
            state.wrong.insert(id, wrong);
        } else if self
            .fault
            .as_ref()
            .is_some_and(|f| f.field.rule() == Rule::Edited)
        {
            state.wrong.remove(&id);
        }
        state.seen.insert(id, row.clone());
        drop(state);
        self.read(method, id, row)
    }

    /// Returns the row that a call shows.
    pub(super) fn read(&self, method: &str, id: impl Into<i128>, row: R) -> R {
        let id = id.into();
        let Some(fault) = self.fault.as_deref() else {
            return row;
        };
        let mut state = self.state();
        state.seen.insert(id, row.clone());
        let mut shown = state.shown(fault, id, row);
        if self.at(method, Site::Returned).is_some() {
            state.apply(fault, id, None, None, &mut shown);
        }
        shown
    }

    /// Records that the row exists.
    pub(super) fn there_is(&self, id: impl Into<i128>, row: R) {
        self.state().seen.insert(id.into(), row);
    }

    /// Returns the row that a call stores for a new row without a number.
    pub(super) fn given(&self, method: &str, mut row: R) -> R {
        let mut state = self.state();
        let id = -i128::try_from(state.seen.len()).unwrap_or_default();
        state.seen.insert(id, row.clone());
        if let Some(fault) = self.at(method, Site::Stored) {
            state.apply(fault, id, None, None, &mut row);
        }
        row
    }

    fn state(&self) -> MutexGuard<'_, State<R>> {
        self.state
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

impl<R: Clone> State<R> {
    /// Returns the row with the field that is stored wrong.
    fn shown(&self, fault: &Fault<R>, id: i128, mut row: R) -> R {
        if let Some(wrong) = self.wrong.get(&id) {
            fault.field.copy(wrong, &mut row);
        }
        row
    }

    fn apply(&self, fault: &Fault<R>, id: i128, asked: Option<&R>, old: Option<&R>, row: &mut R) {
        let field = &fault.field;
        let from = match fault.kind {
            Kind::Near => return field.nudge(row),
            Kind::Dropped => Some(&fault.plain),
            Kind::Old => old,
            Kind::Caller => asked,
            Kind::Swapped => {
                let others = self.seen.iter().rev().filter(|(other, _)| **other != id);
                let mut others = others.map(|(_, other)| other);
                others.find(|other| !field.is_same(other, row))
            }
        };
        if let Some(from) = from {
            field.copy(from, row);
        }
    }
}
