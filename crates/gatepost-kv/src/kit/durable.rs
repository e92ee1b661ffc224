//! Durability: after a store is opened again, after its process is killed, and for other handles.

use std::io::{BufRead, BufReader, Write, stdout};
use std::process::abort;
use std::thread;

use super::fixture::Fixture;
use super::rows::{T, get, number, put, put_keys};
use crate::contract::{Kv, Shared};
use crate::error::KvError;
use crate::run::KvExt;

const ACKNOWLEDGED: &str = "stored ";
const BEFORE_KILL: usize = 20;
const INCREMENTS: u64 = 25;

/// A store that is closed and opened again has everything.
pub(super) fn reopened_stores_have_everything(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &["a", "b"]);
    kv.write(|change| change.delete(T, b"a")).unwrap();
    put(&*kv, T, &[(b"b", b"new")]);
    drop(kv);
    let kv = fixture.open();
    assert_eq!(get(&*kv, T, b"a"), None, "deleted");
    assert_eq!(
        get(&*kv, T, b"b"),
        Some(b"new".to_vec()),
        "replaced by the last change"
    );
}

/// A failed change does not come back when the store is opened again.
pub(super) fn failed_changes_stay_away(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &["a"]);
    let failed = kv.write::<()>(|change| {
        change.put(T, b"a", b"failed")?;
        change.put(T, b"b", b"failed")?;
        Err(KvError::Abandoned)
    });
    assert!(failed.is_err(), "the change failed");
    drop(kv);
    let kv = fixture.open();
    assert_eq!(get(&*kv, T, b"a"), Some(b"a".to_vec()));
    assert_eq!(get(&*kv, T, b"b"), None);
}

/// A process that is killed leaves every change that had returned.
pub(super) fn returned_changes_survive_a_kill(fixture: &Fixture) {
    if fixture.is_child() {
        let kv = fixture.open();
        for n in 0_u64.. {
            put(&*kv, T, &[(format!("{n:08}").as_bytes(), b"stored")]);
            let line = format!("\n{ACKNOWLEDGED}{n}\n");
            stdout().write_all(line.as_bytes()).unwrap();
        }
    }
    drop(fixture.open());
    let mut child = fixture.child().spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap())
        .lines()
        .map_while(Result::ok);
    let mut acknowledged: Vec<u64> = Vec::new();
    for line in lines {
        acknowledged.extend(
            line.strip_prefix(ACKNOWLEDGED)
                .and_then(|n| n.parse::<u64>().ok()),
        );
        if acknowledged.len() == BEFORE_KILL {
            child.kill().unwrap();
        }
    }
    child.wait().unwrap();
    assert!(
        acknowledged.len() >= BEFORE_KILL,
        "only {acknowledged:?} before the kill"
    );
    let kv = fixture.open();
    for n in acknowledged {
        assert!(
            get(&*kv, T, format!("{n:08}").as_bytes()).is_some(),
            "change {n} is lost"
        );
    }
}

/// A process that ends in the middle of a change leaves nothing of the change, and blocks no other.
pub(super) fn unfinished_changes_vanish(fixture: &Fixture) {
    if fixture.is_child() {
        let kv = fixture.open();
        kv.write::<()>(|change| {
            change.put(T, b"a", b"unfinished")?;
            change.put(T, b"b", b"unfinished")?;
            abort()
        })
        .unwrap();
    }
    let kv = fixture.open();
    put_keys(&*kv, &["a"]);
    drop(kv);
    let ended = fixture.child().spawn().unwrap().wait().unwrap();
    assert!(!ended.success(), "the second process aborts");
    let kv = fixture.open();
    assert_eq!(get(&*kv, T, b"a"), Some(b"a".to_vec()));
    assert_eq!(get(&*kv, T, b"b"), None);
    put_keys(&*kv, &["b"]);
}

/// Two handles of a shared store see each other's changes, and lose none.
pub(super) fn handles_of_a_shared_store_agree(fixture: &Fixture) {
    let one = fixture.open();
    if one.shared() == Shared::OneProcess {
        return;
    }
    let two = fixture.open();
    put(&*one, T, &[(b"n", b"0")]);
    assert_eq!(
        get(&*two, T, b"n"),
        Some(b"0".to_vec()),
        "what the other handle stored"
    );
    let increment = |kv: &dyn Kv| {
        for _ in 0..INCREMENTS {
            while let Err(error) = kv.write(|change| {
                let next = number(change, b"n")? + 1;
                change.put(T, b"n", next.to_string().as_bytes())
            }) {
                assert!(matches!(error, KvError::Conflict), "{error}");
            }
        }
    };
    thread::scope(|scope| {
        scope.spawn(|| increment(&*one));
        scope.spawn(|| increment(&*two));
    });
    let counted = [&one, &two].map(|kv| kv.read(|view| number(view, b"n")).unwrap());
    assert_eq!(counted, [2 * INCREMENTS; 2], "increments by two handles");
}
