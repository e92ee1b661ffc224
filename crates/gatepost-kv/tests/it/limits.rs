//! The adapter in memory refuses calls that break a rule of the caller.

use gatepost_kv::{
    Go, KeyRange, Kv, KvError, KvExt, MAX_CHANGE, MAX_KEY, MAX_VALUE, MemoryKv, Table, number_key,
};

const TEXTS: Table = Table::bytes("texts");
const NUMBERS: Table = Table::numbers("numbers");
const UNPREPARED: Table = Table::bytes("unprepared");

fn store() -> MemoryKv {
    let kv = MemoryKv::default();
    kv.prepare(&[TEXTS, NUMBERS]).unwrap();
    kv
}

/// Returns the rule that a key breaks in a `get`, a `put` and a `delete`.
fn refused_key(kv: &MemoryKv, table: Table, key: &[u8]) -> [Option<&'static str>; 3] {
    [
        rule(kv.read(|view| view.get(table, key).map(drop))),
        rule(kv.write(|change| change.put(table, key, b""))),
        rule(kv.write(|change| change.delete(table, key))),
    ]
}

/// Returns the rule that a range breaks.
fn refused_span(kv: &MemoryKv, table: Table, range: &KeyRange) -> Option<&'static str> {
    rule(kv.read(|view| view.scan(table, range, &mut |_, _| Go::On)))
}

fn rule(ended: Result<(), KvError>) -> Option<&'static str> {
    match ended {
        Err(KvError::Invalid { rule, .. }) => Some(rule),
        ended => ended.map(|()| None).unwrap(),
    }
}

#[test]
fn keys_beyond_the_limits_are_refused() {
    let kv = store();
    let longest = vec![b'x'; MAX_KEY];
    let longer = vec![b'x'; MAX_KEY + 1];
    assert_eq!(
        refused_key(&kv, TEXTS, b""),
        [Some("a key has at least one byte"); 3]
    );
    assert_eq!(refused_key(&kv, TEXTS, &longest), [None; 3]);
    assert_eq!(
        refused_key(&kv, TEXTS, &longer),
        [Some("a key has at most 480 bytes"); 3]
    );
}

#[test]
fn keys_that_are_no_numbers_are_refused() {
    let kv = store();
    let rule = Some("a number is below 2⁶³ and has eight bytes");
    assert_eq!(
        refused_key(&kv, NUMBERS, &number_key((1 << 63) - 1)),
        [None; 3]
    );
    assert_eq!(refused_key(&kv, NUMBERS, &number_key(1 << 63)), [rule; 3]);
    assert_eq!(refused_key(&kv, NUMBERS, b"1234567"), [rule; 3]);
    assert_eq!(refused_key(&kv, NUMBERS, b"123456789"), [rule; 3]);
}

#[test]
fn bounds_beyond_the_limits_are_refused() {
    let kv = store();
    let longer = vec![b'x'; MAX_KEY + 1];
    let too_long = vec![b'x'; MAX_KEY + 2];
    let rule = Some("a bound has at most 481 bytes");
    assert_eq!(
        refused_span(&kv, TEXTS, &KeyRange::since(longer.clone())),
        None
    );
    assert_eq!(
        refused_span(&kv, TEXTS, &KeyRange::since(too_long.clone())),
        rule
    );
    assert_eq!(
        refused_span(&kv, TEXTS, &KeyRange::between("", longer)),
        None
    );
    assert_eq!(
        refused_span(&kv, TEXTS, &KeyRange::between("", too_long)),
        rule
    );
    assert_eq!(refused_span(&kv, NUMBERS, &KeyRange::all()), None);
    assert!(refused_span(&kv, NUMBERS, &KeyRange::since("short")).is_some());
    assert!(refused_span(&kv, NUMBERS, &KeyRange::between("", "short")).is_some());
}

#[test]
fn values_and_changes_beyond_the_limits_are_refused() {
    let kv = store();
    let put = |sizes: &[usize]| {
        rule(kv.write(|change| {
            sizes
                .iter()
                .try_for_each(|size| change.put(TEXTS, b"key", &vec![0; *size]))
        }))
    };
    let half = MAX_CHANGE / 2 - 3;
    assert_eq!(put(&[MAX_VALUE]), None);
    assert_eq!(put(&[MAX_VALUE + 1]), Some("a value has at most 8 MiB"));
    assert_eq!(put(&[half, half]), None);
    assert_eq!(
        put(&[half, half + 1]),
        Some("a change writes at most 16 MiB")
    );
}

#[test]
fn tables_not_prepared_are_refused() {
    let kv = store();
    let rule = Some("a table is prepared before its use");
    assert_eq!(refused_key(&kv, UNPREPARED, b"key"), [rule; 3]);
    assert_eq!(refused_span(&kv, UNPREPARED, &KeyRange::all()), rule);
    kv.write(|change| change.put(TEXTS, b"key", b"kept"))
        .unwrap();
    kv.prepare(&[TEXTS, UNPREPARED]).unwrap();
    assert_eq!(refused_key(&kv, UNPREPARED, b"key"), [None; 3]);
    let kept = kv.read(|view| view.get(TEXTS, b"key")).unwrap();
    assert_eq!(kept.as_deref(), Some(&b"kept"[..]), "prepared twice");
}
