//! What a request may write into a column.

use serde_json::{Value, json};

use super::{Column, Input, Kind, MOST_VALUES};
use crate::error::ApiError;

const COLUMNS: &[Column] = &[
    Column::new("hook", Kind::Reference(Some("webhook_urls")), "null", ""),
    Column::new("owner", Kind::Reference(None), "null", ""),
    Column::new("context", Kind::Object, "{}", ""),
];

fn read(body: &Value) -> Result<Input, ApiError> {
    Input::params(COLUMNS, body)
}

#[test]
fn a_reference_may_be_a_row_number_alone() {
    for number in [json!(3), json!("3"), json!(3.0)] {
        let input = read(&json!({"hook": number, "owner": number})).unwrap();
        assert_eq!(input.reference("hook"), Some(("webhook_urls", 3)));
        assert_eq!(
            input.reference("owner"),
            None,
            "whose row it is, is not said"
        );
        assert_eq!(input.int("owner"), Some(3));
    }
    let whole = read(&json!({"owner": "vms/3"})).unwrap();
    assert_eq!(whole.reference("owner"), Some(("vms", 3)));
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

/// As in the body around it.
#[test]
fn a_text_that_is_json_of_too_many_values_is_refused_before_they_are_made() {
    let text = |count: usize| format!("{{\"a\":[{}0]}}", "0,".repeat(count));
    let context = |text: String| read(&json!({"context": text}));
    assert!(context(text(MOST_VALUES - 10)).is_ok());
    let refused = context(text(MOST_VALUES)).map(|_| ());
    assert_eq!(refused, Err(ApiError::too_large()));
}
