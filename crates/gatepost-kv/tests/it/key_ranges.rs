//! Ranges, and keys for databases that have one order for all tables.

use gatepost_kv::{KeyRange, MAX_KEY, Table};

const A: Table = Table::bytes("a");
const AB: Table = Table::bytes("a_b");

#[test]
fn prefix_ends_at_the_next_prefix() {
    for (prefix, to) in [
        (&b"a"[..], Some(&b"b"[..])),
        (b"az", Some(b"a{")),
        (b"a\xff", Some(b"b")),
        (b"a\xff\xff", Some(b"b")),
        (b"\xff", None),
        (b"", None),
    ] {
        let range = KeyRange::prefix(prefix);
        assert_eq!(
            (&*range.from, range.to.as_deref(), range.back),
            (prefix, to, false)
        );
    }
}

#[test]
fn next_page_begins_after_the_last_key() {
    let (all, key) = (KeyRange::between("a", "z"), b"k");
    let forward = KeyRange {
        from: b"k\0".to_vec(),
        ..all.clone()
    };
    let back = KeyRange {
        to: Some(b"k".to_vec()),
        back: true,
        ..all.clone()
    };
    assert_eq!(all.clone().after(key), forward);
    assert_eq!(all.backward().after(key), back);
}

#[test]
fn span_is_empty_unless_its_end_is_above() {
    let empty = |from, to| KeyRange::between(from, to).is_empty();
    assert_eq!(
        [empty("a", "b"), empty("a", "a"), empty("b", "a")],
        [false, true, true]
    );
    assert!(!KeyRange::all().is_empty());
}

#[test]
fn prefixed_bounds_stay_in_their_table() {
    let (from, to) = A.prefixed_bounds(&KeyRange::all());
    let inside = |key: &[u8]| *from <= *key && *key < *to;
    assert!(inside(&A.prefixed_key(&[0])) && inside(&A.prefixed_key(&[0xff; MAX_KEY])));
    assert!(!inside(&AB.prefixed_key(b"k")));
    assert_eq!(
        A.prefixed_bounds(&KeyRange::between("k", "m")),
        (b"a\0k".into(), b"a\0m".into())
    );
    assert_eq!(
        A.prefixed_bounds(&KeyRange::between("m", "k")),
        (b"a\0m".into(), b"a\0m".into())
    );
    assert_eq!(AB.unprefixed(&AB.prefixed_key(b"key")), b"key");
}

#[test]
fn longest_prefixed_bound_fits_lmdb() {
    let longest = Table::bytes("a_name_of_as_many_as_possible");
    assert_eq!(longest.prefixed_key(&[0; MAX_KEY + 1]).len(), 511);
}

#[test]
fn table_names_are_checked() {
    for name in [
        "",
        "thirty_characters_are_too_many",
        "Upper",
        "a1",
        "a-b",
        "a\0",
    ] {
        let made = std::panic::catch_unwind(|| Table::bytes(name));
        assert!(made.is_err(), "{name:?}");
    }
}
