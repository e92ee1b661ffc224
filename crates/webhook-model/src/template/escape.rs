//! Puts values into JSON.

/// Appends text as the content of a JSON string, with quotes around it if it stands outside of one.
pub(super) fn push_json(out: &mut String, value: &str, quoted: bool) {
    if quoted {
        out.push('"');
    }
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
    if quoted {
        out.push('"');
    }
}

/// Appends a number in decimal digits.
pub(super) fn push_number(out: &mut String, number: i64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = number.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + u8::try_from(rest % 10).unwrap_or(0);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push('-');
    }
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}
