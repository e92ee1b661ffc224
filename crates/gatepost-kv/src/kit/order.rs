//! Order, bounds, directions, pages, tables.

use super::fixture::Fixture;
use super::rows::{N, T, U, get, keys, put, put_keys, rows, scan};
use crate::key_range::{Go, KeyRange};
use crate::run::KvExt;
use crate::table::number_key;

const PAGE: usize = 256;
const ROWS: usize = 1_500;
const NUMBERS: [u64; 9] = [0, 1, 127, 128, 255, 256, 65_536, 1 << 31, (1 << 63) - 1];

/// Keys are ordered by their bytes: as unsigned numbers, the shorter first, with case and spaces.
pub(super) fn keys_are_scanned_in_byte_order(fixture: &Fixture) {
    let kv = fixture.open();
    let expected: [&[u8]; 10] = [
        &[0],
        &[0, 0],
        b"A",
        b"B",
        b"a",
        b"a ",
        b"aa",
        &[0x7f],
        &[0x80],
        &[0xfe],
    ];
    let mut mixed = expected.map(|key| (key, key));
    mixed.reverse();
    mixed.swap(2, 7);
    put(&*kv, T, &mixed);
    let found: Vec<_> = scan(&*kv, T, &KeyRange::all())
        .into_iter()
        .map(|(key, _)| key)
        .collect();
    assert_eq!(found, expected, "keys are ordered by their bytes");
}

/// Keys that are numbers are ordered as numbers, to 2⁶³ − 1.
pub(super) fn numbers_are_scanned_in_numeric_order(fixture: &Fixture) {
    let kv = fixture.open();
    for number in NUMBERS.iter().rev() {
        put(
            &*kv,
            N,
            &[(&number_key(*number), number.to_string().as_bytes())],
        );
    }
    let expected: Vec<_> = NUMBERS
        .iter()
        .map(|n| (number_key(*n).to_vec(), n.to_string().into_bytes()))
        .collect();
    assert_eq!(scan(&*kv, N, &KeyRange::all()), expected, "all numbers");
    let some = KeyRange::between(number_key(128), number_key(65_536));
    assert_eq!(
        scan(&*kv, N, &some),
        expected[3..6],
        "128 included, 65,536 excluded"
    );
    assert_eq!(
        get(&*kv, N, &number_key(1 << 31)),
        Some(b"2147483648".to_vec())
    );
}

/// A range that goes back visits the same rows, the greatest key first.
pub(super) fn backward_scans_reverse_forward_scans(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &["a", "b1", "b2", "b3", "b4", "c"]);
    assert_eq!(
        keys(&*kv, &KeyRange::prefix("b").backward()),
        ["b4", "b3", "b2", "b1"]
    );
    assert_eq!(
        keys(&*kv, &KeyRange::all().backward()),
        ["c", "b4", "b3", "b2", "b1", "a"]
    );
}

/// A range includes its first key and excludes its end, in both directions, whether or not there
/// are such rows.
pub(super) fn spans_include_from_and_exclude_to(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &["a", "b", "c", "d", "e"]);
    for (from, to, expected) in [("b", "d", "bc"), ("aa", "dd", "bcd"), ("a", "aa", "a")] {
        for range in [
            KeyRange::between(from, to),
            KeyRange::between(from, to).backward(),
        ] {
            let mut found = keys(&*kv, &range);
            found.sort();
            assert_eq!(found.concat(), expected, "{range:?}");
        }
    }
}

/// A range without an end goes to the last key, whatever its bytes are.
pub(super) fn open_spans_reach_the_last_key(fixture: &Fixture) {
    let kv = fixture.open();
    put(
        &*kv,
        T,
        &[(b"a", b"1"), (&[0xff], b"2"), (&[0xff, 0xff, 0xff], b"3")],
    );
    assert_eq!(
        scan(&*kv, T, &KeyRange::since("b")).len(),
        2,
        "two keys from `b` on"
    );
    assert_eq!(
        scan(&*kv, T, &KeyRange::prefix([0xff])).len(),
        2,
        "two keys begin with 0xff"
    );
}

/// A range whose end is not above its beginning has no rows, and is no error.
pub(super) fn empty_spans_have_no_rows(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &["a", "b", "c"]);
    for range in [("b", "b"), ("c", "a"), ("bb", "bc")].map(|(a, b)| KeyRange::between(a, b)) {
        assert_eq!(keys(&*kv, &range), [""; 0], "{range:?}");
        assert_eq!(keys(&*kv, &range.clone().backward()), [""; 0], "{range:?}");
    }
}

/// After `Go::Stop` no further row is shown, in views and in changes, in both directions.
pub(super) fn stopped_scans_show_no_further_row(fixture: &Fixture) {
    let kv = fixture.open();
    put_keys(&*kv, &["a", "b", "c", "d"]);
    for range in [KeyRange::all(), KeyRange::all().backward()] {
        let mut steps = [0, 0];
        let count = |steps: &mut usize| {
            *steps += 1;
            if *steps < 2 { Go::On } else { Go::Stop }
        };
        kv.read(|view| {
            steps[0] = 0;
            view.scan(T, &range, &mut |_, _| count(&mut steps[0]))
        })
        .unwrap();
        kv.write(|change| {
            steps[1] = 0;
            change.scan(T, &range, &mut |_, _| count(&mut steps[1]))
        })
        .unwrap();
        assert_eq!(steps, [2, 2], "rows shown until the stop: {range:?}");
    }
}

/// Tables share no keys, even if the name of one begins with the name of the other.
pub(super) fn tables_share_no_keys(fixture: &Fixture) {
    let kv = fixture.open();
    put(&*kv, T, &[(b"k", b"of a"), (b"bk", b"of a")]);
    put(&*kv, U, &[(b"k", b"of ab")]);
    assert_eq!(get(&*kv, T, b"k"), Some(b"of a".to_vec()));
    assert_eq!(get(&*kv, U, b"k"), Some(b"of ab".to_vec()));
    assert_eq!(
        scan(&*kv, T, &KeyRange::all()).len(),
        2,
        "rows of the first table"
    );
    assert_eq!(
        scan(&*kv, U, &KeyRange::all()).len(),
        1,
        "rows of the second table"
    );
    assert_eq!(
        scan(&*kv, N, &KeyRange::all().backward()).len(),
        0,
        "rows of the third table"
    );
}

/// Pages, each of which continues after the last key of the one before, are the whole table, and so
/// is one scan.
pub(super) fn pages_join_to_the_whole_table(fixture: &Fixture) {
    let kv = fixture.open();
    let texts: Vec<_> = (0..ROWS).map(|n| format!("{n:05}")).collect();
    put_keys(&*kv, &texts.iter().map(String::as_str).collect::<Vec<_>>());
    for range in [KeyRange::all(), KeyRange::all().backward()] {
        let (mut all, mut rest) = (Vec::new(), range.clone());
        loop {
            let page = kv
                .read(|view| {
                    let mut page = Vec::new();
                    view.scan(T, &rest, &mut |key, _| {
                        if page.len() < PAGE {
                            page.push(String::from_utf8(key.to_vec()).unwrap());
                        }
                        if page.len() < PAGE { Go::On } else { Go::Stop }
                    })?;
                    Ok(page)
                })
                .unwrap();
            let Some(last) = page.last() else { break };
            rest = rest.after(last.as_bytes());
            all.extend(page);
        }
        if range.back {
            all.reverse();
        }
        assert_eq!(all, texts, "pages of {range:?}");
        assert_eq!(
            kv.read(|view| rows(view, T, &range)).unwrap().len(),
            ROWS,
            "one scan"
        );
    }
}
