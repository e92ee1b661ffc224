//! Puts values into JSON.

/// Appends text as the content of a JSON string, with quotes around it if it stands outside of one.
pub(super) fn push_json(out: &mut String, value: &str, quoted: bool) {
    if quoted {
        out.push('"');
    }
    if !needs_escape(value) {
        out.push_str(value);
    } else {
        push_escaped(out, value);
    }
    if quoted {
        out.push('"');
    }
}

/// Looks at all bytes without stopping at the first, which lets the compiler look at many at a time.
fn needs_escape(value: &str) -> bool {
    value.bytes().fold(false, |any, byte| {
        any | (byte < b' ') | (byte == b'"') | (byte == b'\\')
    })
}

fn push_escaped(out: &mut String, value: &str) {
    let mut clean = 0;
    for (at, byte) in value.bytes().enumerate() {
        if byte >= b' ' && byte != b'"' && byte != b'\\' {
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
pub(super) fn push_number(out: &mut String, number: i64) {
    out.push_str(itoa::Buffer::new().format(number));
}
