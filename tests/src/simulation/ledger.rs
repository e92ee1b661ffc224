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
    /// The user whose object it was about.
    pub user: u128,
    pub began: DateTime<Utc>,
    /// The time at which an emit of it first returned without an error.
    pub answered: Option<DateTime<Utc>>,
    /// Whether it was emitted through the outbox.
    pub later: bool,
    /// Whether it was emitted once more.
    pub repeated: bool,
    /// The time at which an emit of it returned without an error; in the far future, if its
    /// deliveries had to follow.
    pub accepted: Option<DateTime<Utc>>,
}

/// A one-time task.
#[derive(Clone, Copy, Debug)]
pub(super) struct Once {
    pub user: u128,
    /// The stored task; the event that matches, too.
    pub task: Option<TaskId>,
    pub began: DateTime<Utc>,
    /// The time at which an occurrence that matches it was accepted after that.
    pub reached: Option<DateTime<Utc>>,
}

/// A webhook.
#[derive(Clone, Debug)]
pub(super) struct Hook {
    pub id: WebhookId,
    pub owner: u128,
    /// The number of its host; `None` for that with an inner address.
    pub host: Option<usize>,
    /// Whether nobody edits, cancels or deletes it: every matching occurrence is sent.
    pub steady: bool,
    pub in_order: bool,
    /// The most retries that it ever had, and the fewest.
    pub retries: u32,
    pub fewest: u32,
    pub replayed: bool,
    pub hastened: bool,
    pub deleted: bool,
    /// Pauses and the deletion.
    pub rests: Vec<Switch>,
    /// The edits that switch its order.
    pub orders: Vec<Switch>,
    pub cancels: Vec<Cancel>,
    /// All tokens that ever authenticated it, and secrets that signed for it, by number.
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

/// The way in which an emit was accepted.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Accepted {
    /// All its deliveries are stored, or counted.
    Decided,
    /// It is stored, and its deliveries follow.
    Later,
}

/// All records of a run.
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

    /// Returns the true time.
    pub(super) fn now(&self) -> DateTime<Utc> {
        self.clock.now()
    }

    /// Returns a number that nobody else gets.
    pub(super) fn nth_creation(&self) -> u64 {
        self.made.fetch_add(1, Ordering::Relaxed)
    }

    /// Records an occurrence; returns its number.
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

    /// Records that an emit of it returned without an error.
    pub(super) fn accepted(&self, number: u64, accepted: Accepted) {
        if let Some(known) = self.happened.lock().unwrap().get_mut(&number) {
            known.answered.get_or_insert(self.now());
            known.accepted.get_or_insert(self.decided(accepted));
        }
    }

    /// Returns the time at which the deliveries of an accepted emit were decided.
    pub(super) fn decided(&self, accepted: Accepted) -> DateTime<Utc> {
        match accepted {
            Accepted::Decided => self.now(),
            Accepted::Later => DateTime::<Utc>::MAX_UTC,
        }
    }

    /// Records the request to change a webhook's credential; returns its number.
    pub(super) fn rotates(&self, index: usize, shown: Shown) -> usize {
        let began = self.now();
        let mut hooks = self.hooks.lock().unwrap();
        let changes = hooks[index].changes(shown);
        changes.push(Change { began, ended: None });
        changes.len() - 1
    }

    /// Records that the credential changed, for certain or perhaps.
    pub(super) fn rotated(&self, index: usize, shown: Shown, number: usize, stored: bool) {
        let ended = Some((self.now(), stored));
        self.hooks.lock().unwrap()[index].changes(shown)[number].ended = ended;
    }

    /// Changes the record of a one-time task.
    pub(super) fn note_once(&self, number: u64, note: impl FnOnce(&mut Once)) {
        self.once.lock().unwrap().get_mut(&number).map(note);
    }

    /// Returns some webhook: a number, taken modulo the number of webhooks.
    pub(super) fn some_hook(&self, number: u8) -> (usize, Hook) {
        let hooks = self.hooks.lock().unwrap();
        let index = usize::from(number) % hooks.len();
        (index, hooks[index].clone())
    }

    /// Changes the record of a webhook.
    pub(super) fn note(&self, index: usize, note: impl FnOnce(&mut Hook)) {
        note(&mut self.hooks.lock().unwrap()[index]);
    }
}
