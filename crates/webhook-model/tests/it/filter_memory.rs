//! The memory of a filter: its text bounds it, whatever its form.

use allocation_counter::measure;
use webhook_model::Filter;

/// The memory in bytes for each byte of text, and for every filter; the engine counts by them.
const EACH: u64 = 20;
const ALL: u64 = 192;

/// Repeats `part` between two texts as often as a filter of 4 KiB and 100 values allows.
fn filled(before: &str, part: impl Fn(usize) -> String, after: &str) -> String {
    let mut text = before.to_owned();
    for n in 0..100 {
        let part = part(n);
        let comma = if n == 0 { "" } else { "," };
        if text.len() + comma.len() + part.len() + after.len() > 4_096 {
            break;
        }
        text = text + comma + &part;
    }
    text + after
}

fn worst() -> Vec<(&'static str, String)> {
    let long = "x".repeat(3_000);
    let deep = ["a"; 32].join(".");
    vec![
        ("one condition", r#"{"a":1}"#.to_owned()),
        (
            "a long path of many conditions",
            filled(
                &format!(r#"{{"{long}":{{"$or":["#),
                |n| format!(r#"{{"$eq":{n}}}"#),
                "]}}",
            ),
        ),
        (
            "a long path of many paths",
            filled(
                &format!(r#"{{"{long}":{{"#),
                |n| format!(r#""{n}":1"#),
                "}}",
            ),
        ),
        (
            "a deep path of many conditions",
            filled(
                &format!(r#"{{"{deep}":{{"$or":["#),
                |n| format!(r#"{{"$eq":{n}}}"#),
                "]}}",
            ),
        ),
        (
            "many deep paths",
            filled("{", |n| format!(r#""{n}.{}":1"#, ["a"; 31].join(".")), "}"),
        ),
        (
            "many short paths",
            filled("{", |n| format!(r#""{n}":1"#), "}"),
        ),
        (
            "many values",
            filled(r#"{"a":{"$in":["#, |n| n.to_string(), "]}}"),
        ),
        (
            "many choices",
            filled(r#"{"$or":["#, |n| format!(r#"{{"{n}":1}}"#), "]}"),
        ),
        (
            "choices in choices",
            filled(
                r#"{"$or":["#,
                |n| {
                    let (open, close) = (r#"{"$or":["#.repeat(6), "]}".repeat(6));
                    format!(r#"{open}{{"{n}":1}}{close}"#)
                },
                "]}",
            ),
        ),
        (
            "objects in objects",
            filled(
                "{",
                |n| format!(r#""{n}":{}1{}"#, r#"{"a":"#.repeat(7), "}".repeat(7)),
                "}",
            ),
        ),
    ]
}

#[test]
fn filter_memory_is_bounded_by_its_text() {
    for (form, text) in worst() {
        let mut filter = Filter::default();
        let taken = measure(|| filter = text.parse().unwrap()).bytes_current;
        let most = ALL + EACH * filter.as_str().len() as u64;
        assert!(taken > 0, "{form}: nothing was counted");
        assert!(
            taken <= i64::try_from(most).unwrap(),
            "{form}: {taken} of {most}"
        );
    }
}
