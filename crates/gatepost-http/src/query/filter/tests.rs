//! Tests of the filter language: against a naive evaluator, and with the mistakes of clients.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::pace::AtOnce;
use super::{Filter, Literal};
use crate::limits::Limits;
use crate::platform_table::PlatformTable;
use crate::schema::{Column, Kind, RowMap};

static REFERENCES: PlatformTable = PlatformTable::new(
    "rows",
    "row",
    "Rows.",
    &[
        Column::new("hook", Kind::Reference(Some("webhook_urls")), "null"),
        Column::new("owner", Kind::Reference(None), "null"),
        Column::text("name", "\"a\"", ""),
    ],
    &[],
);

fn passes(filter: &str, row: &Value) -> bool {
    let mut filter =
        Filter::parse(filter, &Limits::default()).unwrap_or_else(|e| panic!("{filter}: {e:?}"));
    filter.read_over(&REFERENCES.0);
    let row = RowMap::from(row.as_object().unwrap().clone());
    AtOnce::run(|mut at_once| async move { filter.passes(&row, &mut at_once).await }).unwrap()
}

fn refused(filter: &str) -> bool {
    Filter::parse(filter, &Limits::default()).is_err()
}

#[test]
fn every_operator() {
    let row = json!({"$key": 7, "name": "Web Hook", "on": true, "note": null});
    for (filter, expected) in [
        ("$key eq 7", true),
        ("$key eq '7'", true),
        ("$key ne 7", false),
        ("$key gt 6", true),
        ("$key ge 7", true),
        ("$key lt 7", false),
        ("$key le 7", true),
        ("name eq 'Web Hook'", true),
        ("name eq 'web hook'", false),
        ("name bw 'Web'", true),
        ("name ew 'Hook'", true),
        ("name cs 'hook'", false),
        ("name ct 'hook'", true),
        ("name rx '^W.*k$'", true),
        ("on eq true", true),
        ("on eq 1", true),
        ("on ne false", true),
        ("note eq null", true),
        ("name eq null", false),
        ("missing eq null", true),
        ("note gt 1", false),
        ("NAME eq 'x'", false),
        ("name EQ 'Web Hook'", true),
        ("$key bw 7", true),
    ] {
        assert_eq!(passes(filter, &row), expected, "{filter}");
    }
}

#[test]
fn and_and_or_have_no_precedence() {
    let row = json!({"a": 1});
    assert!(
        !passes("a eq 1 or a eq 1 and a eq 2", &row),
        "((t or t) and f)"
    );
    assert!(passes("a eq 1 or (a eq 1 and a eq 2)", &row));
    assert!(passes("(a eq 2 and a eq 2) or a eq 1", &row));
}

#[test]
fn quotes_and_backslashes_in_strings() {
    assert!(passes(
        r"name eq 'O\'Brien \\ son'",
        &json!({"name": r"O'Brien \ son"})
    ));
    assert!(passes("name eq 'a) and (b'", &json!({"name": "a) and (b"})));
    assert!(passes("name eq ''", &json!({"name": ""})));
}

#[test]
fn broken_expressions_are_refused() {
    for broken in [
        "",
        "name",
        "name eq",
        "eq 'x'",
        "name xx 'x'",
        "name eq 'x",
        "(name eq 'x'",
        "name eq 'x')",
        "name eq 'x' and",
        "name eq 'x' name eq 'y'",
        "and",
        "()",
        "name eq x",
        "name rx '('",
        "name eq 'x' xor a eq 1",
        "name ct null",
        r"name eq 'x\",
        "a eq 99999999999999999999",
        "name eq \"x\"",
        "'a' eq 'a'",
    ] {
        assert!(refused(broken), "{broken}");
    }
}

#[test]
fn large_and_deep_input_is_refused_not_suffered() {
    let many = vec!["a eq 1"; 10_000].join(" or ");
    assert!(refused(&many));
    assert!(refused(
        &("(".repeat(100_000) + "a eq 1" + &")".repeat(100_000))
    ));
    assert!(refused(&("(".repeat(33) + "a eq 1" + &")".repeat(33))));
    assert!(!refused(&("(".repeat(32) + "a eq 1" + &")".repeat(32))));
    assert!(!refused(&["a rx 'x'"; 8].join(" or ")));
    assert!(refused(&["a rx 'x'"; 9].join(" or ")));
    assert!(refused("a rx '((((a{100}){100}){100}){100})'"));
}

/// A class takes long to compile even if its result is unused.
#[test]
fn expensive_patterns_are_refused_before_compilation() {
    let dear = |classes: usize| format!("(?i)(?:{}){{0}}", r"[\\S]".repeat(classes));
    assert!(refused(&format!("a rx '{}'", dear(3_000))));
    let many = [dear(20), dear(20), dear(20)].map(|dear| format!("a rx '{dear}'"));
    assert!(refused(&many.join(" or ")));
    assert!(refused(&format!("a rx '{}'", "x".repeat(1_025))));
    assert!(!refused(&format!("a rx '{}'", "x".repeat(1_024))));
    let address = r"a rx '^(?i)[a-z0-9._%+-]+@[a-z0-9.-]+\\.[a-z]{2,}$'";
    assert!(passes(address, &json!({"a": "Me@Example.com"})));
}

#[test]
fn a_catastrophic_pattern_is_linear() {
    let row = json!({"a": "a".repeat(16_000) + "!"});
    assert!(!passes("a rx '^(a+)+$'", &row));
    assert!(passes("a rx '^(a+)+!$'", &row));
    let long = json!({"a": "a".repeat(16_385)});
    assert!(
        !passes("a rx 'a'", &long),
        "a longer text matches no pattern"
    );
    assert!(passes("a ct 'a'", &long));
}

#[test]
fn filter_must_equal_finds_only_mandatory_equalities() {
    let filter = |text: &str| Filter::parse(text, &Limits::default()).unwrap();
    assert_eq!(
        filter("name eq 'x' and user eq 1").must_equal("user"),
        Some(&Literal::Int(1))
    );
    assert_eq!(filter("name eq 'x' or user eq 1").must_equal("user"), None);
    assert_eq!(
        filter("(user eq 1 or a eq 2) and b eq 3").must_equal("user"),
        None
    );
    assert_eq!(
        filter("(user eq 1 and a eq 2) and b eq 3").must_equal("user"),
        Some(&Literal::Int(1))
    );
    assert_eq!(filter("user ne 1").must_equal("user"), None);
}

/// WIRE 1: a reference may be sent as an integer or as a string of digits.
#[test]
fn a_reference_equals_its_row_number() {
    let row = json!({"hook": "webhook_urls/2", "owner": "vms/8", "name": "vms/8"});
    for (filter, expected) in [
        ("hook eq 2", true),
        ("hook eq '2'", true),
        ("hook eq 'webhook_urls/2'", true),
        ("hook eq 'vms/2'", false),
        ("hook eq 22", false),
        ("hook ne 2", false),
        ("hook ne '3'", true),
        ("owner eq 8", true),
        ("owner eq '8'", true),
        ("owner eq 'vms/8'", true),
        ("owner ne 8", false),
        ("owner ne 18", true),
        ("(name eq 'x' or owner eq 8) and hook eq 2", true),
        ("name eq 8", false),
        ("hook bw 2", false),
    ] {
        assert_eq!(passes(filter, &row), expected, "{filter}");
    }
    let none = json!({"hook": null, "owner": null});
    assert!(!passes("owner eq 8", &none) && !passes("hook eq 2", &none));
    assert!(passes("owner ne 8 and hook ne 2", &none));
    let mut filter = Filter::parse("(hook eq 2)", &Limits::default()).unwrap();
    filter.read_over(&REFERENCES.0);
    let whole = Literal::Text("webhook_urls/2".to_owned());
    assert_eq!(
        filter.must_equal("hook"),
        Some(&whole),
        "a store looks it up"
    );
}

/// A filter for the naive evaluator: the text to parse, and the answer of the evaluator.
#[derive(Clone, Debug)]
struct Naive {
    text: String,
    answer: bool,
}

fn comparison() -> impl Strategy<Value = Naive> {
    (0..3usize, 0..6usize, -2..3i64).prop_map(|(field, op, literal)| {
        let value = [-1, 0, 1][field];
        let (op, answer) = [
            ("eq", value == literal),
            ("ne", value != literal),
            ("gt", value > literal),
            ("ge", value >= literal),
            ("lt", value < literal),
            ("le", value <= literal),
        ][op];
        Naive {
            text: format!("f{field} {op} {literal}"),
            answer,
        }
    })
}

fn expression() -> impl Strategy<Value = Naive> {
    comparison().prop_recursive(4, 40, 4, |inner| {
        (
            inner.clone(),
            prop::collection::vec((any::<bool>(), inner), 0..4),
        )
            .prop_map(|(first, rest)| {
                let mut all = Naive {
                    text: format!("({}", first.text),
                    answer: first.answer,
                };
                for (and, term) in rest {
                    all.text += if and { " and " } else { " or " };
                    all.text += &term.text;
                    all.answer = if and {
                        all.answer & term.answer
                    } else {
                        all.answer | term.answer
                    };
                }
                all.text += ")";
                all
            })
    })
}

proptest! {
    #[test]
    fn agrees_with_a_naive_evaluation(naive in expression()) {
        prop_assert_eq!(passes(&naive.text, &json!({"f0": -1, "f1": 0, "f2": 1})), naive.answer, "{}", naive.text);
    }

    #[test]
    fn never_panics(text in "[a-z '()\\\\$#0-9]{0,200}", any in ".{0,100}") {
        let _ = Filter::parse(&text, &Limits::default());
        let _ = Filter::parse(&any, &Limits::default());
    }
}
