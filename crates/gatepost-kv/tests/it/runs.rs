//! Tests of how `KvExt` runs callbacks.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind, panic_any};

use gatepost_kv::{Kv, KvError, KvExt, MemoryKv, Reading, Table, Writing};

const T: Table = Table::bytes("t");

/// Returns without a run of the callback.
struct Idle;

impl Kv for Idle {
    fn view(&self, _: &mut Reading<'_>) -> Result<(), KvError> {
        Ok(())
    }

    fn change(&self, _: &mut Writing<'_>) -> Result<(), KvError> {
        Ok(())
    }
}

/// Runs the callback on another store, and then fails.
struct FailsAtTheEnd(MemoryKv);

impl Kv for FailsAtTheEnd {
    fn view(&self, f: &mut Reading<'_>) -> Result<(), KvError> {
        self.0.view(f)?;
        Err(KvError::unavailable("the test's own"))
    }

    fn change(&self, f: &mut Writing<'_>) -> Result<(), KvError> {
        self.0.change(f)?;
        Err(KvError::CommitUnknown("the test's own".into()))
    }
}

fn store() -> MemoryKv {
    let kv = MemoryKv::default();
    kv.prepare(&[T]).unwrap();
    kv
}

#[test]
fn conflicting_change_runs_sixteen_times() {
    let runs = Cell::new(0);
    let ended = store().write::<()>(|_| {
        runs.set(runs.get() + 1);
        Err(KvError::Conflict)
    });
    assert!(matches!(ended, Err(KvError::Conflict)));
    assert_eq!(runs.get(), 16);
}

#[test]
fn other_error_ends_at_the_first_run() {
    let runs = Cell::new(0);
    let ended = store().write::<()>(|_| {
        runs.set(runs.get() + 1);
        Err(KvError::Abandoned)
    });
    assert!(matches!(ended, Err(KvError::Abandoned)));
    assert_eq!(runs.get(), 1);
}

#[test]
fn panic_undoes_the_change_and_continues() {
    let kv = store();
    let panic = catch_unwind(AssertUnwindSafe(|| {
        kv.write::<()>(|change| {
            change.put(T, b"key", b"")?;
            panic_any(7);
        })
    }));
    assert_eq!(panic.unwrap_err().downcast_ref(), Some(&7));
    assert_eq!(kv.read(|view| view.get(T, b"key")).unwrap(), None);
    let panic = catch_unwind(AssertUnwindSafe(|| kv.read::<()>(|_| panic_any(8))));
    assert_eq!(panic.unwrap_err().downcast_ref(), Some(&8));
}

#[test]
fn result_of_no_run_is_an_error() {
    assert!(matches!(Idle.read(|_| Ok(())), Err(KvError::Corrupt(_))));
    assert!(matches!(Idle.write(|_| Ok(())), Err(KvError::Corrupt(_))));
}

#[test]
fn failed_commit_is_an_error() {
    let kv = FailsAtTheEnd(store());
    assert!(matches!(kv.read(|_| Ok(7)), Err(KvError::Unavailable(_))));
    assert!(matches!(
        kv.write(|_| Ok(7)),
        Err(KvError::CommitUnknown(_))
    ));
}
