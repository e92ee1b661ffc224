//! The variables of an occurrence as JSON.

use serde_json::{Value, json};

/// Returns an array of pairs. `jsonb` holds no U+0000: it becomes U+FFFD.
pub(super) fn text(variables: &[(String, String)]) -> String {
    let plain = |text: &String| text.replace('\0', "\u{fffd}");
    let pairs = variables.iter();
    let pairs = pairs.map(|(name, value)| [plain(name), plain(value)]);
    json!(pairs.collect::<Vec<_>>()).to_string()
}

/// Parses an object of strings, or an array of pairs of strings.
pub(super) fn pairs(json: &str) -> Result<Vec<(String, String)>, String> {
    let wrong =
        || "variables must be a JSON object of strings, or an array of pairs of strings".to_owned();
    match serde_json::from_str(json).map_err(|_| wrong())? {
        Value::Object(members) => members
            .into_iter()
            .map(|(name, value)| match value {
                Value::String(value) => Ok((name, value)),
                _ => Err(wrong()),
            })
            .collect(),
        pairs => serde_json::from_value(pairs).map_err(|_| wrong()),
    }
}
