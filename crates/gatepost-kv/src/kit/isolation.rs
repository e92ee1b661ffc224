//! Views and changes at the same time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex};
use std::thread;
use std::time::Duration;

use super::fixture::Fixture;
use super::rows::{T, get, number, put, rows, value};
use crate::contract::{Change, Kv};
use crate::error::KvError;
use crate::key_range::KeyRange;
use crate::run::KvExt;

const MOVES: u64 = 40;
const INCREMENTS: u64 = 25;
const WORKERS: u64 = 4;
const LONGEST_MEETING: Duration = Duration::from_millis(250);

/// A barrier where two callbacks wait for each other, so that they overlap if the store lets them.
/// In a store that runs one after the other the wait times out.
#[derive(Default)]
pub(super) struct Meeting {
    arrived: Mutex<u32>,
    all: Condvar,
}

impl Meeting {
    /// Waits for the other callback.
    pub(super) fn wait(&self) {
        let mut arrived = self.arrived.lock().unwrap();
        *arrived += 1;
        self.all.notify_all();
        let both = self
            .all
            .wait_timeout_while(arrived, LONGEST_MEETING, |arrived| *arrived < 2);
        drop(both.unwrap());
    }
}

/// Runs two changes at the same time. Each gets its number, and a meeting for between its reads and
/// its writes.
fn two_changes(
    kv: &dyn Kv,
    f: impl Fn(&mut dyn Change, usize, &Meeting) -> Result<bool, KvError> + Sync,
) -> [bool; 2] {
    let meeting = Meeting::default();
    let run = |n| kv.write(|change| f(change, n, &meeting)).unwrap();
    thread::scope(|scope| {
        let both = [scope.spawn(|| run(0)), scope.spawn(|| run(1))];
        both.map(|one| one.join().unwrap())
    })
}

/// Reads in a change, in which every store must show the newest state.
fn settled<R>(kv: &dyn Kv, f: impl Fn(&mut dyn Change) -> Result<R, KvError>) -> R {
    kv.write(|change| f(change)).unwrap()
}

/// All reads of one view show the same state, even if a change comes in between.
pub(super) fn views_show_one_moment(fixture: &Fixture) {
    let kv = fixture.open();
    put(&*kv, T, &[(b"x", b"1"), (b"y", b"1")]);
    let (begun, changed) = (Meeting::default(), Meeting::default());
    let seen = thread::scope(|scope| {
        scope.spawn(|| {
            begun.wait();
            put(&*kv, T, &[(b"x", b"2"), (b"y", b"2")]);
            changed.wait();
        });
        kv.read(|view| {
            let x = value(view, T, b"x")?;
            begun.wait();
            changed.wait();
            let all = rows(view, T, &KeyRange::all())?;
            Ok([
                x,
                value(view, T, b"y")?,
                all.first().map(|(_, value)| value.clone()),
            ])
        })
        .unwrap()
    });
    assert!(
        seen.iter().all(|value| *value == seen[0]),
        "of two moments: {seen:?}"
    );
}

/// A scan shows all of a change or nothing of it.
pub(super) fn scans_show_whole_changes(fixture: &Fixture) {
    let kv = fixture.open();
    put(&*kv, T, &[(b"x", b"0"), (b"y", b"0")]);
    let ended = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for n in 1..=MOVES {
                let text = n.to_string();
                put(&*kv, T, &[(b"x", text.as_bytes()), (b"y", text.as_bytes())]);
            }
            ended.store(true, Ordering::Release);
        });
        while !ended.load(Ordering::Acquire) {
            let seen = kv.read(|view| rows(view, T, &KeyRange::all())).unwrap();
            assert_eq!(seen[0].1, seen[1].1, "half of a change is shown");
        }
    });
}

/// No increment is lost if two run at the same time.
pub(super) fn concurrent_increments_all_count(fixture: &Fixture) {
    let kv = fixture.open();
    put(&*kv, T, &[(b"n", b"0")]);
    two_changes(&*kv, |change, _, meeting| {
        let next = number(change, b"n")? + 1;
        meeting.wait();
        change.put(T, b"n", next.to_string().as_bytes())?;
        Ok(true)
    });
    assert_eq!(
        settled(&*kv, |change| number(change, b"n")),
        2,
        "after two increments"
    );
    let increment = || {
        (0..INCREMENTS).for_each(|_| {
            // A busy store may give up; the caller then calls again.
            while let Err(error) = kv.write(|change| {
                let next = number(change, b"n")? + 1;
                change.put(T, b"n", next.to_string().as_bytes())
            }) {
                assert!(matches!(error, KvError::Conflict), "{error}");
            }
        });
    };
    thread::scope(|scope| {
        for _ in 0..WORKERS {
            scope.spawn(increment);
        }
    });
    let expected = 2 + WORKERS * INCREMENTS;
    assert_eq!(
        settled(&*kv, |change| number(change, b"n")),
        expected,
        "after all increments"
    );
}

/// If two changes store a key because it does not exist, one of them finds it.
pub(super) fn concurrent_inserts_only_one_succeeds(fixture: &Fixture) {
    let kv = fixture.open();
    let inserted = two_changes(&*kv, |change, n, meeting| {
        let absent = change.get(T, b"unique name")?.is_none();
        meeting.wait();
        if absent {
            change.put(T, b"unique name", n.to_string().as_bytes())?;
        }
        Ok(absent)
    });
    assert_ne!(
        inserted[0], inserted[1],
        "exactly one of two inserts finds no row"
    );
    let winner = inserted.iter().position(|inserted| *inserted).unwrap();
    let stored = settled(&*kv, |change| value(change, T, b"unique name"));
    assert_eq!(
        stored,
        Some(winner.to_string().into_bytes()),
        "the row is the winner's"
    );
}

/// If two changes each read the key that the other writes, one sees the other's write.
pub(super) fn write_skew_is_prevented(fixture: &Fixture) {
    let kv = fixture.open();
    put(&*kv, T, &[(b"0", b"1"), (b"1", b"1")]);
    two_changes(&*kv, |change, n, meeting| {
        let both = number(change, b"0")? + number(change, b"1")? == 2;
        meeting.wait();
        if both {
            change.put(T, n.to_string().as_bytes(), b"0")?;
        }
        Ok(both)
    });
    let left = settled(&*kv, |change| {
        Ok(number(change, b"0")? + number(change, b"1")?)
    });
    assert_eq!(left, 1, "one of the two must remain");
}

/// If two changes store a row because a range is empty, one finds the other's row, in either
/// direction.
pub(super) fn phantoms_are_prevented(fixture: &Fixture) {
    let kv = fixture.open();
    put(&*kv, T, &[(b"a", b"x"), (b"e", b"x")]);
    for range in [KeyRange::prefix("b"), KeyRange::prefix("c").backward()] {
        two_changes(&*kv, |change, n, meeting| {
            let none = rows(change, T, &range)?.is_empty();
            meeting.wait();
            if none {
                let key = [&range.from[..], n.to_string().as_bytes()].concat();
                change.put(T, &key, b"x")?;
            }
            Ok(none)
        });
        let found = settled(&*kv, |change| rows(change, T, &range));
        assert_eq!(
            found.len(),
            1,
            "only one of the two stores a row: {range:?}"
        );
    }
    assert!(
        get(&*kv, T, b"a").is_some(),
        "rows next to the range remain"
    );
}
