//! Changes: their own writes, their errors, their runs.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use super::fixture::Fixture;
use super::rows::{T, get, keys, keys_of, put, put_keys, value};
use crate::error::KvError;
use crate::key_range::KeyRange;
use crate::run::KvExt;

/// In a change, `get` shows what the change wrote.
pub(super) fn changes_read_their_own_writes(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &["a", "b"]);
    let found = kv
        .write(|change| {
            change.put(T, b"a", b"new")?;
            change.delete(T, b"b")?;
            change.put(T, b"c", b"new")?;
            Ok([
                value(change, T, b"a")?,
                value(change, T, b"b")?,
                value(change, T, b"c")?,
            ])
        })
        .unwrap();
    assert_eq!(found, [Some(b"new".to_vec()), None, Some(b"new".to_vec())]);
}

/// In a change, `scan` shows what the change wrote, in both directions.
pub(super) fn changes_scan_their_own_writes(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &["a", "c", "e"]);
    let found = kv
        .write(|change| {
            change.put(T, b"b", b"")?;
            change.put(T, b"f", b"")?;
            change.delete(T, b"c")?;
            Ok([
                keys_of(change, &KeyRange::all())?,
                keys_of(change, &KeyRange::since("b").backward())?,
            ])
        })
        .unwrap();
    assert_eq!(found, [vec!["a", "b", "e", "f"], vec!["f", "e", "b"]]);
}

/// Nothing is kept of a change whose callback returns an error.
pub(super) fn failed_changes_leave_nothing(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &["a", "b"]);
    let failed = kv.write::<()>(|change| {
        change.put(T, b"a", b"new")?;
        change.put(T, b"a", b"newer")?;
        change.delete(T, b"b")?;
        change.put(T, b"c", b"new")?;
        Err(KvError::Abandoned)
    });
    assert!(failed.is_err(), "the change failed");
    assert_eq!(
        get(&*kv, T, b"a"),
        Some(b"a".to_vec()),
        "replaced by the failed change"
    );
    assert_eq!(
        keys(&*kv, &KeyRange::all()),
        ["a", "b"],
        "deleted and stored by the failed change"
    );
}

/// The callback's error is returned as it is, by views and by changes.
pub(super) fn callback_errors_are_returned(fixture: &Fixture) {
    let kv = fixture.open();
    let view = kv.read::<()>(|_| {
        Err(KvError::Invalid {
            table: "kit_a",
            rule: "the test's",
        })
    });
    assert!(
        matches!(
            view,
            Err(KvError::Invalid {
                rule: "the test's",
                ..
            })
        ),
        "{view:?}"
    );
    let change = kv.write::<()>(|_| Err(KvError::Abandoned));
    assert!(matches!(change, Err(KvError::Abandoned)), "{change:?}");
}

/// After a failed change, and after a panic in one, the next change is stored.
pub(super) fn failed_changes_block_nobody(fixture: &Fixture) {
    let kv = fixture.open();
    for n in 0..3 {
        let failed = kv.write::<()>(|change| {
            change.put(T, b"a", b"failed")?;
            Err(KvError::Abandoned)
        });
        assert!(failed.is_err(), "change {n} failed");
    }
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        kv.write::<()>(|change| {
            change.put(T, b"a", b"panicked")?;
            std::panic::panic_any("the test's own");
        })
    }));
    assert!(panicked.is_err(), "the panic reached the caller");
    put(&*kv, T, &[(b"b", b"stored")]);
    assert_eq!(get(&*kv, T, b"b"), Some(b"stored".to_vec()));
}

/// After a conflict the callback runs again, and nothing of its first run is kept or shown.
pub(super) fn conflicting_runs_leave_nothing(fixture: &Fixture) {
    let kv = fixture.open();
    let runs = Cell::new(0);
    let seen = kv
        .write(|change| {
            runs.set(runs.get() + 1);
            let seen = value(change, T, b"first")?;
            if runs.get() == 1 {
                change.put(T, b"first", b"1")?;
                return Err(KvError::Conflict);
            }
            change.put(T, b"second", b"2")?;
            Ok(seen)
        })
        .unwrap();
    assert_eq!(
        (runs.get(), seen),
        (2, None),
        "runs, and what the second saw of the first"
    );
    assert_eq!(keys(&*kv, &KeyRange::all()), ["second"]);
}

/// A change whose every run conflicts ends with `Conflict`, and nothing of it is kept.
pub(super) fn endless_conflicts_end(fixture: &Fixture) {
    let kv = fixture.open();
    let ended = kv.write::<()>(|change| {
        change.get(T, b"a")?;
        Err(KvError::Conflict)
    });
    assert!(matches!(ended, Err(KvError::Conflict)), "{ended:?}");
}

/// A view that begins after a change returned shows the change, on every thread.
pub(super) fn later_views_show_a_change(fixture: &Fixture) {
    let kv = fixture.open();
    for text in [&b"1"[..], b"2", b"3"] {
        put(&*kv, T, &[(b"a", text)]);
        let seen = thread::scope(|scope| scope.spawn(|| get(&*kv, T, b"a")).join().unwrap());
        assert_eq!(seen.as_deref(), Some(text), "on another thread");
    }
}
