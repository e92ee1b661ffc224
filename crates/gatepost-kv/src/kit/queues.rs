//! The heads of queues, which several consumers take from.

use std::thread;

use super::fixture::Fixture;
use super::isolation::Meeting;
use super::rows::{T, put_keys};
use crate::contract::{Change, Kv};
use crate::error::KvError;
use crate::key_range::{Go, KeyRange};
use crate::run::KvExt;

const HEADS: [&str; 8] = ["q0", "q1", "q2", "q3", "q4", "q5", "q6", "q7"];
const AT_A_TIME: usize = 4;

/// Returns the keys of a range, as `peek` shows them.
fn peeked(change: &dyn Change, range: &KeyRange, at_most: usize) -> Result<Vec<Vec<u8>>, KvError> {
    let mut keys = Vec::new();
    change.peek(T, range, &mut |key, _| {
        if keys.len() < at_most {
            keys.push(key.to_vec());
        }
        if keys.len() < at_most {
            Go::On
        } else {
            Go::Stop
        }
    })?;
    Ok(keys)
}

/// `peek` shows all rows of earlier changes, in both directions, until it is stopped.
pub(super) fn peek_shows_rows_of_earlier_changes(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &HEADS);
    let peek =
        |range: KeyRange, at_most| kv.write(|change| peeked(change, &range, at_most)).unwrap();
    assert_eq!(
        peek(KeyRange::prefix("q"), usize::MAX),
        HEADS.map(|key| key.as_bytes().to_vec())
    );
    assert_eq!(peek(KeyRange::since("q").backward(), 2), [b"q7", b"q6"]);
    put_keys(&*kv, &["q8"]);
    assert_eq!(peek(KeyRange::since("q8"), usize::MAX), [b"q8"]);
}

/// If two changes peek at the same heads and take those that `get` still finds, each takes others.
pub(super) fn peeked_heads_are_taken_once(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &HEADS);
    let meeting = Meeting::default();
    let take_all = || {
        let mut taken = Vec::new();
        loop {
            let mut some = take(&*kv, &meeting);
            if some.is_empty() {
                return taken;
            }
            taken.append(&mut some);
        }
    };
    let mut taken = thread::scope(|scope| {
        let both = [scope.spawn(take_all), scope.spawn(take_all)];
        both.map(|one| one.join().unwrap()).concat()
    });
    taken.sort();
    assert_eq!(
        taken,
        HEADS.map(|key| key.as_bytes().to_vec()),
        "each head is taken once"
    );
}

/// Takes some heads in one change.
fn take(kv: &dyn Kv, meeting: &Meeting) -> Vec<Vec<u8>> {
    let taken = kv.write(|change| {
        let mut taken = Vec::new();
        for key in peeked(change, &KeyRange::prefix("q"), AT_A_TIME)? {
            if change.get(T, &key)?.is_some() {
                taken.push(key);
            }
        }
        meeting.wait();
        taken.iter().try_for_each(|key| change.delete(T, key))?;
        Ok(taken)
    });
    taken.unwrap()
}
