//! Escaping values in JSON.

use super::segment::Place;

/// A text value, with its length in the result.
#[derive(Clone, Copy)]
pub(super) struct Text<'a> {
    raw: &'a str,
    /// The length of the escaped text, without quotes: longer than `raw` exactly if something must
    /// be escaped.
    len: usize,
}

impl<'a> Text<'a> {
    pub(super) fn new(raw: &'a str, json: bool) -> Self {
        let len = if json && needs_escape(raw) {
            raw.bytes().map(escaped_len).sum()
        } else {
            raw.len()
        };
        Self { raw, len }
    }

    pub(super) fn len(self) -> usize {
        self.len
    }

    /// Appends it. In JSON it has quotes if it is outside of a string.
    pub(super) fn push(self, out: &mut String, json: bool, place: Place) {
        let quoted = json && place == Place::Bare;
        if quoted {
            out.push('"');
        }
        if self.len == self.raw.len() {
            out.push_str(self.raw);
        } else {
            push_escaped(out, self.raw);
        }
        if quoted {
            out.push('"');
        }
    }
}

/// Checks all bytes without an early exit, so that the compiler can vectorize it.
fn needs_escape(value: &str) -> bool {
    value
        .bytes()
        .fold(false, |any, byte| any | is_special(byte))
}

/// Returns whether a JSON string cannot contain this byte (RFC 8259 §7).
fn is_special(byte: u8) -> bool {
    (byte < b' ') | (byte == b'"') | (byte == b'\\')
}

fn escaped_len(byte: u8) -> usize {
    match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 2,
        0..b' ' => 6,
        _ => 1,
    }
}

fn push_escaped(out: &mut String, value: &str) {
    let mut clean = 0;
    for (at, byte) in value.bytes().enumerate() {
        if !is_special(byte) {
            continue;
        }
        out.push_str(value.get(clean..at).unwrap_or_default());
        clean = at + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            control => {
                let hex = |nibble: u8| char::from(b"0123456789abcdef"[usize::from(nibble & 15)]);
                out.push_str("\\u00");
                out.push(hex(control >> 4));
                out.push(hex(control));
            }
        }
    }
    out.push_str(value.get(clean..).unwrap_or_default());
}

/// Appends a number in decimal digits.
pub(super) fn push_number(out: &mut String, number: u32) {
    out.push_str(itoa::Buffer::new().format(number));
}
