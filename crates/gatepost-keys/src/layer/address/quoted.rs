//! Texts in which a quoted string may contain a separator (RFC 9110 §5.6.4).

/// Returns the parts between separators outside of quoted strings, the last one first. The text is
/// read from its end, which a trusted proxy wrote: an earlier part from a stranger, such as an
/// unterminated quote, cannot change the parts behind it. A part in which a quoted string has no
/// beginning is `None`.
pub(super) fn parts_from_the_end(text: &str, separator: u8) -> impl Iterator<Item = Option<&str>> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest.take()?;
        let Ok(at) = last(text, separator) else {
            return Some(None);
        };
        let (before, part) = match at {
            Some(at) => (text.get(..at), text.get(at + 1..)),
            None => (None, Some(text)),
        };
        rest = before;
        Some(part)
    })
}

/// A quoted string ends before it begins.
struct NoBeginning;

/// Returns the position of the last separator outside of quoted strings.
fn last(text: &str, separator: u8) -> Result<Option<usize>, NoBeginning> {
    let bytes = text.as_bytes();
    let mut in_quotes = false;
    for (at, byte) in bytes.iter().enumerate().rev() {
        if *byte == b'"' && !(in_quotes && is_escaped(&bytes[..at])) {
            in_quotes = !in_quotes;
        } else if *byte == separator && !in_quotes {
            return Ok(Some(at));
        }
    }
    if in_quotes {
        Err(NoBeginning)
    } else {
        Ok(None)
    }
}

/// Returns whether the text ends with a backslash that is not escaped itself.
fn is_escaped(before: &[u8]) -> bool {
    let slashes = before.iter().rev().take_while(|byte| **byte == b'\\');
    slashes.count() % 2 == 1
}

/// Returns an unquoted value as it is, and the content of a quoted one; `None` for one that is
/// partly quoted.
pub(super) fn unquoted(value: &str) -> Option<&str> {
    let Some(rest) = value.strip_prefix('"') else {
        return (!value.contains('"')).then_some(value);
    };
    let inner = rest.strip_suffix('"')?;
    let mut escaped = false;
    for byte in inner.bytes() {
        escaped = match byte {
            _ if escaped => false,
            b'"' => return None,
            other => other == b'\\',
        };
    }
    (!escaped).then_some(inner)
}
