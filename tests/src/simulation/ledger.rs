//! What the engine accepted: the judge holds it to that.

use std::collections::BTreeMap;
use std::sync::Mutex;

use webhook_model::{TaskId, WebhookId};

/// An occurrence.
#[derive(Clone, Copy, Debug)]
pub(super) struct Happened {
    /// Whose object it was about.
    pub user: i64,
    /// An emit of it returned without an error.
    pub accepted: bool,
}

/// A one-time task.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Once {
    /// The task was stored; what reaches it, too.
    pub task: Option<TaskId>,
    /// An occurrence that reaches it was accepted after that.
    pub reached: bool,
}

/// A webhook.
#[derive(Clone, Debug)]
pub(super) struct Hook {
    pub id: WebhookId,
    pub owner: i64,
    /// The number of its host; `None`: that of an inner address.
    pub host: Option<usize>,
    /// Nobody edits, cancels or deletes: what matches it is sent.
    pub steady: bool,
    pub in_order: bool,
    /// The most retries that it ever had.
    pub retries: u32,
    pub replayed: bool,
    pub hastened: bool,
    pub deleted: bool,
}

/// All of it.
#[derive(Debug, Default)]
pub(super) struct Ledger {
    pub happened: Mutex<BTreeMap<u64, Happened>>,
    pub once: Mutex<BTreeMap<u64, Once>>,
    pub hooks: Mutex<Vec<Hook>>,
}

impl Ledger {
    /// Something happens; its number.
    pub(super) fn happens(&self, user: i64) -> u64 {
        let mut happened = self.happened.lock().unwrap();
        let number = happened.len() as u64 + 1;
        let new = Happened {
            user,
            accepted: false,
        };
        happened.insert(number, new);
        number
    }

    /// An emit of it returned without an error.
    pub(super) fn accepted(&self, number: u64) {
        if let Some(known) = self.happened.lock().unwrap().get_mut(&number) {
            known.accepted = true;
        }
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
