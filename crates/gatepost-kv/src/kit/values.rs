//! Keys and values are stored unchanged.

use super::fixture::Fixture;
use super::rows::{T, get, put, put_keys, scan};
use crate::key_range::KeyRange;
use crate::run::KvExt;
use crate::table::{MAX_CHANGE, MAX_KEY, MAX_VALUE};

const PIECE: usize = 64 * 1024;

/// A key that does not exist has no value, even if keys next to it do; deleting it is no error.
pub(super) fn absent_keys_have_no_value(fixture: &Fixture) {
    let kv = fixture.open();
    assert_eq!(get(&*kv, T, b"b"), None, "in an empty table");
    put_keys(&*kv, &["a", "bb", "c"]);
    assert_eq!(get(&*kv, T, b"b"), None, "next to longer keys");
    assert_eq!(get(&*kv, T, b"bbb"), None, "next to shorter keys");
    kv.write(|change| change.delete(T, b"b")).unwrap();
}

/// A value without bytes is a value.
pub(super) fn empty_values_exist(fixture: &Fixture) {
    let kv = fixture.open();
    put(&*kv, T, &[(b"a", b"")]);
    assert_eq!(get(&*kv, T, b"a"), Some(Vec::new()), "by its key");
    assert_eq!(
        scan(&*kv, T, &KeyRange::all()),
        [(b"a".to_vec(), Vec::new())],
        "in a scan"
    );
}

/// A `put` replaces the whole value, in one change and in another.
pub(super) fn puts_replace_the_whole_value(fixture: &Fixture) {
    let kv = fixture.open();
    put(
        &*kv,
        T,
        &[(b"a", b"a long value"), (b"b", b"before"), (b"b", b"now")],
    );
    put(&*kv, T, &[(b"a", b"short")]);
    assert_eq!(
        get(&*kv, T, b"a"),
        Some(b"short".to_vec()),
        "of an earlier change"
    );
    assert_eq!(
        get(&*kv, T, b"b"),
        Some(b"now".to_vec()),
        "of the same change"
    );
}

/// A deleted key no longer appears in reads and scans, and can be stored again.
pub(super) fn deleted_keys_are_gone(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &["a", "b", "c"]);
    kv.write(|change| change.delete(T, b"b")).unwrap();
    assert_eq!(get(&*kv, T, b"b"), None, "by its key");
    assert_eq!(scan(&*kv, T, &KeyRange::all()).len(), 2, "in a scan");
    put_keys(&*kv, &["b"]);
    assert_eq!(scan(&*kv, T, &KeyRange::all()).len(), 3, "stored again");
}

/// Keys of the greatest length differ by their last byte.
pub(super) fn longest_keys_are_whole(fixture: &Fixture) {
    let kv = fixture.open();
    let (mut one, mut two) = (vec![b'k'; MAX_KEY], vec![b'k'; MAX_KEY]);
    (one[MAX_KEY - 1], two[MAX_KEY - 1]) = (1, 2);
    put(&*kv, T, &[(&one, b"one"), (&two, b"two")]);
    assert_eq!(get(&*kv, T, &one), Some(b"one".to_vec()));
    assert_eq!(get(&*kv, T, &two), Some(b"two".to_vec()));
    let found = scan(&*kv, T, &KeyRange::all().after(&one));
    assert_eq!(found, [(two, b"two".to_vec())], "after the first");
}

/// A value of the greatest length is kept whole.
pub(super) fn largest_value_is_whole(fixture: &Fixture) {
    let kv = fixture.open();
    let mut large = vec![b'x'; MAX_VALUE];
    large[MAX_VALUE - 1] = b'y';
    put(&*kv, T, &[(b"a", &large)]);
    assert!(
        get(&*kv, T, b"a").as_ref() == Some(&large),
        "8 MiB are as they were stored"
    );
}

/// Keys and values may hold every byte.
pub(super) fn every_byte_is_kept(fixture: &Fixture) {
    let kv = fixture.open();
    let all: Vec<_> = (0..=u8::MAX).collect();
    let (low, high) = all.split_at(128);
    put(&*kv, T, &[(low, high), (high, low), (&low[..1], b"\0one")]);
    assert_eq!(
        get(&*kv, T, low).as_deref(),
        Some(high),
        "bytes from 0 to 127 in a key"
    );
    assert_eq!(
        get(&*kv, T, high).as_deref(),
        Some(low),
        "bytes from 128 to 255 in a key"
    );
    assert_eq!(
        get(&*kv, T, &[0]).as_deref(),
        Some(&b"\0one"[..]),
        "a key of a zero byte"
    );
}

/// A change of the greatest size is stored whole.
pub(super) fn largest_change_is_whole(fixture: &Fixture) {
    let kv = fixture.open();
    let value = vec![b'x'; PIECE];
    let count = MAX_CHANGE / (PIECE + 3);
    kv.write(|change| {
        (0..count).try_for_each(|n| change.put(T, format!("{n:03}").as_bytes(), &value))
    })
    .unwrap();
    let found = kv.read(|view| {
        (0..count)
            .map(|n| view.get(T, format!("{n:03}").as_bytes()))
            .collect::<Result<Vec<_>, _>>()
    });
    for (n, found) in found.unwrap().into_iter().enumerate() {
        assert!(
            found.is_some_and(|found| found == value),
            "row {n} of {count}"
        );
    }
}
