//! What a request may write into a column.

use serde_json::{Value, json};

use super::{Column, Input, Kind, MOST_VALUES};
use crate::error::ApiError;

const COLUMNS: &[Column] = &[
    Column::new("context", Kind::Object, "{}", ""),
];

fn read(body: &Value) -> Result<Input, ApiError> {
    Input::params(COLUMNS, body)
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
