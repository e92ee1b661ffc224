//! Tests of the values that a request may write into a column.

use serde_json::{Value, json};

use webhook_model::ObjectId;

use super::{Column, Input, Kind, MOST_VALUES, members};
use crate::error::{ApiError, Result};

const COLUMNS: &[Column] = &[
    Column::new("hook", Kind::Reference(Some("webhook_urls")), "null"),
    Column::new("owner", Kind::Reference(None), "null"),
    Column::new("context", Kind::Object, "{}"),
    Column::new("name", Kind::Text(1, 4), "\"\""),
    Column::new("on", Kind::Bool, "true"),
];

fn read(body: &Value) -> Result<Input> {
    Input::params(COLUMNS, body)
}

#[test]
fn reference_may_be_a_bare_row_number() {
    for number in [json!(3), json!("3"), json!(3.0)] {
        let input = read(&json!({"hook": number, "owner": number})).unwrap();
        assert_eq!(
            input.reference("hook"),
            Some(("webhook_urls", ObjectId::from(3)))
        );
        assert_eq!(
            input.reference("owner"),
            None,
            "whose row it is, is not said"
        );
        assert_eq!(input.int("owner"), Some(3));
    }
    let whole = read(&json!({"owner": "vms/3"})).unwrap();
    assert_eq!(whole.reference("owner"), Some(("vms", ObjectId::from(3))));
    for wrong in [
        json!(0),
        json!("-3"),
        json!("vms/"),
        json!("/3"),
        json!(1.5),
    ] {
        assert!(read(&json!({"owner": wrong})).is_err(), "{wrong}");
    }
}

/// This includes an object that is sent as a text; of two members with one name the last counts.
#[test]
fn digits_are_those_of_the_value_that_counts() {
    for (body, expected) in [
        (r#"{"context": {"a" :1.10}}"#, r#"{"a":1.10}"#),
        (r#"{"context": " {\"a\": 1.10}\n"}"#, r#"{"a":1.10}"#),
        (r#"{"context": {"a": 1.10}, "context": null}"#, "{}"),
        (r#"{"context": 2.50, "context": {"a": -0}}"#, r#"{"a":-0}"#),
    ] {
        let input = read(&serde_json::from_str(body).unwrap()).unwrap();
        let input = input.with_texts(members(body));
        assert_eq!(input.json("context").unwrap(), expected, "{body}");
    }
    let input = read(&json!({"context": {"a": 1}})).unwrap();
    let other = input.with_texts(members(r#"{"name": 1.10}"#));
    assert_eq!(other.json("context").unwrap(), r#"{"a":1}"#);
    assert_eq!(other.json("name"), None);
}

/// The limit is that of the body around it.
#[test]
fn json_text_with_too_many_values_is_refused() {
    let text = |count: usize| format!("{{\"a\":[{}0]}}", "0,".repeat(count));
    let context = |text: String| read(&json!({"context": text}));
    assert!(context(text(MOST_VALUES - 10)).is_ok());
    let refused = context(text(MOST_VALUES)).map(|_| ());
    assert_eq!(refused, Err(ApiError::too_large()));
}

/// The limits apply to the text itself; the field's own type removes what surrounds it.
#[test]
fn pasted_value_is_read_without_its_surroundings() {
    for around in [" ", "\r\n", "\u{feff}", "\u{200b}"] {
        let of = |text: &str| json!(format!("{around}{text}{around}"));
        let input = read(&json!({"owner": of("3"), "hook": of("webhook_urls/3")})).unwrap();
        assert_eq!(input.int("owner"), Some(3), "{around:?}");
        assert_eq!(
            input.reference("hook"),
            Some(("webhook_urls", ObjectId::from(3)))
        );
        assert!(read(&json!({"name": of("abcd")})).is_ok(), "{around:?}");
        assert!(read(&json!({"name": of("")})).is_err(), "{around:?}");
        let input = read(&json!({"context": of("{\"a\":1}"), "on": of("true")})).unwrap();
        assert_eq!(input.object("context").unwrap()["a"], 1, "{around:?}");
        assert_eq!(input.bool("on"), Some(true));
    }
}
