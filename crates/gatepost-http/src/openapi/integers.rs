//! The sizes of integers. Generators assume 32 bits for an integer without a format, and lose row
//! numbers, sizes and times after 2038.

use serde_json::{Map, Value};

/// Members that contain values, not schemas.
const VALUES: [&str; 4] = ["const", "default", "enum", "examples"];

/// Adds `int64` to every integer without a smaller bound.
pub(super) fn say_their_size(document: &mut Value) {
    match document {
        Value::Array(items) => items.iter_mut().for_each(say_their_size),
        Value::Object(members) => {
            if may_be_large(members) {
                members.insert("format".to_owned(), "int64".into());
            }
            let schemas = members.iter_mut();
            let schemas = schemas.filter(|(name, _)| !VALUES.contains(&name.as_str()));
            schemas.for_each(|(_, member)| say_their_size(member));
        }
        _ => {}
    }
}

fn may_be_large(schema: &Map<String, Value>) -> bool {
    let is_integer = match schema.get("type") {
        Some(Value::Array(types)) => types.iter().any(|of| of == "integer"),
        of => of.is_some_and(|of| of == "integer"),
    };
    let most = schema.get("maximum").and_then(Value::as_i64);
    is_integer && most.is_none_or(|most| most > i32::MAX.into())
}
