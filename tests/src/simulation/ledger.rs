//! The occurrences and changes that the engine accepted, for the checks.

use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use chrono::{DateTime, Utc};
use gatepost_storage::Clock as _;
use webhook_model::{TaskId, WebhookId};

use super::clock::VirtualClock;
use super::credentials::Change;
use super::keys::{Known, Use};
use super::plans::Creation;
use super::script::Shown;
use super::switches::{Cancel, Switch};

/// An occurrence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Happened {
    /// Whose object it was about.
    pub user: u128,
    pub began: DateTime<Utc>,
    /// When an emit of it returned without an error first.
    pub answered: Option<DateTime<Utc>>,
    /// It was emitted through the outbox.
    pub later: bool,
    /// It was emitted once more.
    pub repeated: bool,
    /// When an emit of it returned without an error; in the far future, if what it makes was to
    /// follow.
    pub accepted: Option<DateTime<Utc>>,
}

/// A one-time task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Once {
    pub user: u128,
    /// The task was stored; what reaches it, too.
    pub task: Option<TaskId>,
    pub began: DateTime<Utc>,
    /// When an occurrence that reaches it was accepted after that.
    pub reached: Option<DateTime<Utc>>,
}

/// A webhook.
#[derive(Clone, Debug)]
pub(super) struct Hook {
    pub id: WebhookId,
    pub owner: u128,
    /// The number of its host; `None`: that of an inner address.
    pub host: Option<usize>,
    /// Nobody edits, cancels or deletes: what matches it is sent.
    pub steady: bool,
    pub in_order: bool,
    /// The most retries that it ever had, and the fewest.
    pub retries: u32,
    pub fewest: u32,
    pub replayed: bool,
    pub hastened: bool,
    pub deleted: bool,
    /// It is paused, or deleted.
    pub rests: Vec<Switch>,
    /// It keeps the order, by an edit.
    pub orders: Vec<Switch>,
    pub cancels: Vec<Cancel>,
    /// All that ever authenticated it, and signed for it, by number.
    pub tokens: Vec<Change>,
    pub secrets: Vec<Change>,
}

impl Hook {
    fn changes(&mut self, shown: Shown) -> &mut Vec<Change> {
        match shown {
            Shown::Token => &mut self.tokens,
            Shown::Secret => &mut self.secrets,
        }
    }
}

/// How an emit was accepted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Accepted {
    /// All that it makes is stored, or counted.
    Decided,
    /// It is stored, and what it makes follows.
    Later,
}

/// All of it.
#[derive(Debug)]
pub(super) struct Ledger {
    clock: VirtualClock,
    /// The number of names made, for names that nobody has.
    made: AtomicU64,
    pub happened: Mutex<BTreeMap<u64, Happened>>,
    pub once: Mutex<BTreeMap<u64, Once>>,
    pub hooks: Mutex<Vec<Hook>>,
    pub creations: Mutex<Vec<Creation>>,
    pub keys: Mutex<Vec<Known>>,
    pub uses: Mutex<Vec<Use>>,
}

impl Ledger {
    pub(super) fn new(clock: VirtualClock) -> Self {
        Self {
            clock,
            made: AtomicU64::new(0),
            happened: Mutex::default(),
            once: Mutex::default(),
            hooks: Mutex::default(),
            creations: Mutex::default(),
            keys: Mutex::default(),
            uses: Mutex::default(),
        }
    }

    /// The true time.
    pub(super) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// A number that nobody else gets.
    pub(super) fn nth_creation(&self) -> u64 {
        self.made.fetch_add(1, Ordering::Relaxed)
    }

    /// Something happens; its number.
    pub(super) fn happens(&self, user: u128, later: bool) -> u64 {
        let mut happened = self.happened.lock().unwrap();
        let number = happened.len() as u64 + 1;
        let new = Happened {
            user,
            began: self.now(),
            answered: None,
            later,
            repeated: false,
            accepted: None,
        };
        happened.insert(number, new);
        number
    }

    /// An emit of it returned without an error.
    pub(super) fn accepted(&self, number: u64, accepted: Accepted) {
        if let Some(known) = self.happened.lock().unwrap().get_mut(&number) {
            known.answered.get_or_insert(self.now());
            known.accepted.get_or_insert(self.decided(accepted));
        }
    }

    /// When it was decided what an accepted emit makes.
    pub(super) fn decided(&self, accepted: Accepted) -> DateTime<Utc> {
        match accepted {
            Accepted::Decided => self.now(),
            Accepted::Later => DateTime::<Utc>::MAX_UTC,
        }
    }

    /// A webhook is to show something else; its number.
    pub(super) fn rotates(&self, index: usize, shown: Shown) -> usize {
        let began = self.now();
        let mut hooks = self.hooks.lock().unwrap();
        let changes = hooks[index].changes(shown);
        changes.push(Change { began, ended: None });
        changes.len() - 1
    }

    /// It does, for sure or perhaps.
    pub(super) fn rotated(&self, index: usize, shown: Shown, number: usize, stored: bool) {
        let ended = Some((self.now(), stored));
        self.hooks.lock().unwrap()[index].changes(shown)[number].ended = ended;
    }

    /// Notes something about a one-time task.
    pub(super) fn note_once(&self, number: u64, note: impl FnOnce(&mut Once)) {
        self.once.lock().unwrap().get_mut(&number).map(note);
    }

    /// Some webhook: a number, taken modulo what there is.
    pub(super) fn some_hook(&self, number: u8) -> (usize, Hook) {
        let hooks = self.hooks.lock().unwrap();
        let index = usize::from(number) % hooks.len();
        (index, hooks[index].clone())
    }

    /// Notes something about a webhook.
    pub(super) fn note(&self, index: usize, note: impl FnOnce(&mut Hook)) {
        note(&mut self.hooks.lock().unwrap()[index]);
    }
}
