//! The members of a JSON object as texts, in which numbers keep their digits.

use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::Deserializer;

/// Returns the names and the texts of the members, in order; none if the text is not a JSON object.
/// It takes linear time and creates no values.
pub(crate) fn members(json: &str) -> Vec<(String, &str)> {
    let mut members = Vec::new();
    let mut rest = json.trim_start().strip_prefix('{').unwrap_or_default();
    while let Some((name, after)) = first::<String>(rest)
        && let Some(value) = after.trim_start().strip_prefix(':')
        && let Some((IgnoredAny, after)) = first(value)
    {
        let text = value.strip_suffix(after).unwrap_or(value);
        members.push((name, text.trim_start()));
        rest = after.trim_start().strip_prefix(',').unwrap_or_default();
    }
    members
}

/// Returns the texts of the items of a JSON array, in order; none if the text is not one.
pub(crate) fn items(json: &str) -> Vec<&str> {
    let mut items = Vec::new();
    let mut rest = json.trim_start().strip_prefix('[').unwrap_or_default();
    while let Some((IgnoredAny, after)) = first(rest) {
        let text = rest.strip_suffix(after).unwrap_or(rest);
        items.push(text.trim_start());
        rest = after.trim_start().strip_prefix(',').unwrap_or_default();
    }
    items
}

/// Returns the value at the beginning of a text, and the rest.
fn first<T: DeserializeOwned>(json: &str) -> Option<(T, &str)> {
    let mut values = Deserializer::from_str(json).into_iter();
    let value = values.next()?.ok()?;
    Some((value, json.get(values.byte_offset()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_texts_as_they_are_written() {
        let json = "\t{ \"a\" :1.10, \"b\\\"\\u0063\":\n[ 1e400 ,{\"x\":\"},\\\"\"}] ,\"a\": \"2\",\"n\":null }\n";
        let expected = [
            ("a", "1.10"),
            ("b\"c", "[ 1e400 ,{\"x\":\"},\\\"\"}]"),
            ("a", "\"2\""),
            ("n", "null"),
        ];
        let found = members(json);
        let found: Vec<_> = found.iter().map(|(name, text)| (&**name, *text)).collect();
        assert_eq!(found, expected);
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        assert_eq!(members(&deep).len(), 1);
        for none in ["", "{}", "null", " { } ", "[1.10]", "\"{\""] {
            assert_eq!(members(none), [], "{none}");
        }
        let listed = items(" [ 1.10 ,{\"a\":[2]}\n, \"],\"] ");
        assert_eq!(listed, ["1.10", "{\"a\":[2]}", "\"],\""]);
        for none in ["", "[]", " [ ] ", "null", "{\"a\":1}"] {
            assert_eq!(items(none), [""; 0], "{none}");
        }
    }
}
