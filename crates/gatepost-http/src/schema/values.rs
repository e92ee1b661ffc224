//! The number of values in a JSON text, before they are created.

/// The maximum number of values in a body, or in a JSON text in it: each takes many times the
/// memory of its text.
pub(crate) const MOST_VALUES: usize = 100_000;

/// Returns an upper bound for the number of values in a JSON text, without creating them.
pub(crate) fn values(json: &[u8]) -> usize {
    let (mut count, mut in_text, mut escaped) = (1, false, false);
    for byte in json {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_text => escaped = true,
            b'"' => in_text = !in_text,
            b',' | b'[' | b'{' if !in_text => count += 1,
            _ => {}
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_one_value() {
        assert_eq!(values(br#"{"a": [1, "x,\",y"], "b": {}}"#), 6);
    }
}
