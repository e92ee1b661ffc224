//! Views and changes that return values, and changes that run again.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::thread;
use std::time::Duration;

use crate::contract::{Change, Kv, View};
use crate::error::KvError;

const MAX_RUNS: u32 = 16;
const FIRST_WAIT: Duration = Duration::from_millis(1);
const LONGEST_WAIT: Duration = Duration::from_millis(50);

/// Views and changes with a result, for each [`Kv`].
///
/// A panic of the callback ends its change like an error, so that nothing of it is kept, and then
/// continues: an adapter never sees one.
pub trait KvExt: Kv {
    /// Calls `f` with one snapshot; returns its result. `f` may run more than once.
    ///
    /// # Errors
    /// The callback's, and the database's.
    fn read<R>(&self, mut f: impl FnMut(&dyn View) -> Result<R, KvError>) -> Result<R, KvError> {
        let mut run = Run::default();
        let ended = self.view(&mut |view| run.guard(|| f(view)));
        run.result(ended)
    }

    /// Calls `f` with a change, stores what it wrote and returns its result. After a conflict the
    /// change runs again, up to 16 times, with growing waits of up to 50 milliseconds.
    ///
    /// # Errors
    /// The callback's, and the database's. [`KvError::Conflict`] after the last run.
    fn write<R>(
        &self,
        mut f: impl FnMut(&mut dyn Change) -> Result<R, KvError>,
    ) -> Result<R, KvError> {
        let mut wait = Duration::ZERO;
        for _ in 1..MAX_RUNS {
            match once(self, &mut f) {
                Err(KvError::Conflict) => thread::sleep(wait),
                ended => return ended,
            }
            wait = (wait * 2).clamp(FIRST_WAIT, LONGEST_WAIT);
        }
        once(self, &mut f)
    }
}

impl<K: Kv + ?Sized> KvExt for K {}

/// The result of a callback's last run, or its panic.
struct Run<R>(Option<thread::Result<R>>);

impl<R> Default for Run<R> {
    fn default() -> Self {
        Self(None)
    }
}

impl<R> Run<R> {
    /// Runs the callback; its panic becomes an error, and is kept.
    fn guard(&mut self, f: impl FnOnce() -> Result<R, KvError>) -> Result<(), KvError> {
        let (kept, ended) = match catch_unwind(AssertUnwindSafe(f)) {
            Ok(Ok(result)) => (Some(Ok(result)), Ok(())),
            Ok(Err(error)) => (None, Err(error)),
            Err(panic) => (Some(Err(panic)), Err(KvError::Abandoned)),
        };
        self.0 = kept;
        ended
    }

    /// Returns the result if the call succeeded; continues a panic.
    fn result(self, ended: Result<(), KvError>) -> Result<R, KvError> {
        match self.0 {
            Some(Err(panic)) => resume_unwind(panic),
            Some(Ok(result)) => ended.map(|()| result),
            None => Err(ended.err().unwrap_or_else(not_run)),
        }
    }
}

fn once<K: Kv + ?Sized, R>(
    kv: &K,
    f: &mut impl FnMut(&mut dyn Change) -> Result<R, KvError>,
) -> Result<R, KvError> {
    let mut run = Run::default();
    let ended = kv.change(&mut |change| run.guard(|| f(change)));
    run.result(ended)
}

fn not_run() -> KvError {
    KvError::corrupt("the adapter returned without a run of the callback")
}
