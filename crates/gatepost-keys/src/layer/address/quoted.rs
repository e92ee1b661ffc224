//! Texts in which a quoted string may hold a separator (RFC 9110 §5.6.4).

/// The parts between separators that are in no quoted string, the last one first. It is read from
/// its end, which a proxy of ours wrote: what a stranger wrote before, such as a quote that nothing
/// ends, does not change the parts behind it. A part in which a quoted string has no beginning is
/// `None`.
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

/// Where the last separator is that is in no quoted string.
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

/// Whether what follows is behind a backslash that is itself behind none.
fn is_escaped(before: &[u8]) -> bool {
    let slashes = before.iter().rev().take_while(|byte| **byte == b'\\');
    slashes.count() % 2 == 1
}

/// A value as it is, or what is in its quotes; `None` for one that is quoted in part.
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
