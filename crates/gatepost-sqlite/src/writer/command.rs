//! The commands of the writer's thread.

use std::panic::{AssertUnwindSafe, catch_unwind};

use gatepost_storage::{ErrorKind, StoreError};
use rusqlite::Connection;
use tokio::sync::oneshot;

use crate::batch::Batch;
use crate::error::{Answer, Failure, Result, unavailable};

pub(super) trait Command: Send {
    /// Returns whether it needs a savepoint, and tables without delayed changes.
    fn alone(&self) -> bool;
    fn run(&mut self, connection: &Connection, batch: &mut Batch) -> Ran;
    /// Sends the answer; `lost` is the reason why the commit failed.
    fn answer(self: Box<Self>, lost: Option<Lost<'_>>);
}

/// The reason why a commit failed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lost<'a> {
    pub(super) kind: ErrorKind,
    pub(super) context: &'static str,
    pub(super) cause: &'a str,
}

impl<'a> Lost<'a> {
    /// Returns the reason of a commit that may succeed when it is repeated.
    pub(super) fn failed(cause: &'a str) -> Self {
        Self {
            kind: ErrorKind::Unavailable,
            context: "the commit failed",
            cause,
        }
    }
}

/// The result of running a command.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Ran {
    /// It succeeded.
    Done,
    /// It refused.
    Refused,
    /// SQLite failed, or the command panicked, at some point.
    Broken,
}

pub(super) struct Once<T, F> {
    alone: bool,
    work: Option<F>,
    outcome: Option<Answer<T>>,
    reply: oneshot::Sender<Answer<T>>,
}

impl<T, F> Once<T, F> {
    pub(super) fn new(alone: bool, work: F, reply: oneshot::Sender<Answer<T>>) -> Self {
        Self {
            alone,
            work: Some(work),
            outcome: None,
            reply,
        }
    }
}

impl<T: Send, F: FnOnce(&Connection, &mut Batch) -> Result<T> + Send> Command for Once<T, F> {
    fn alone(&self) -> bool {
        self.alone
    }

    fn run(&mut self, connection: &Connection, batch: &mut Batch) -> Ran {
        let Some(work) = self.work.take() else {
            return Ran::Refused;
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| work(connection, batch)));
        let ran = match &outcome {
            Ok(Ok(_)) => Ran::Done,
            Ok(Err(Failure::Store(_))) => Ran::Refused,
            Ok(Err(Failure::Sql(_))) | Err(_) => Ran::Broken,
        };
        let outcome = outcome
            .unwrap_or_else(|_| Err(unavailable("the command panicked; see the log").into()));
        self.outcome = Some(outcome.map_err(StoreError::from));
        ran
    }

    fn answer(self: Box<Self>, lost: Option<Lost<'_>>) {
        let answer = match (self.outcome, lost) {
            // Its own error is more specific than that of the group.
            (Some(Err(error)), _) => Err(error),
            (Some(outcome), None) => outcome,
            (None, None) => Err(unavailable("the command was not run")),
            (_, Some(lost)) => {
                Err(StoreError::new(lost.kind, lost.context).with_source(lost.cause))
            }
        };
        // The caller may no longer wait.
        let _ = self.reply.send(answer);
    }
}
