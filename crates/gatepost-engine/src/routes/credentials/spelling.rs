//! The ways in which a target may escape a character of a credential: in JSON, URLs, forms and
//! HTML.

use std::ops::Range;

/// The length of the longest escape: a pair of JSON's.
const LONGEST: usize = 12;

/// The format of a text's escapes.
#[derive(Clone, Copy, Debug)]
pub(super) enum Spelling {
    Json,
    Percent,
    Form,
    Html,
}

/// A text without its escapes.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub text: Vec<u8>,
    /// The positions of the escapes, in order.
    pub escapes: Vec<Range<usize>>,
    /// The original position of each byte of `text`; then the length of the original.
    starts: Vec<usize>,
}

impl Spelling {
    pub(super) const ALL: [Self; 4] = [Self::Json, Self::Percent, Self::Form, Self::Html];

    /// Returns the text without escapes of this kind; `None` if it has none. With `cut`, without a
    /// partial escape at its end.
    pub(super) fn read(self, text: &[u8], cut: bool) -> Option<Reading> {
        let mark = match self {
            Self::Json => b'\\',
            Self::Percent => b'%',
            Self::Form => b'+',
            Self::Html => b'&',
        };
        if !text.contains(&mark) {
            return None;
        }
        let mut reading = Reading::default();
        let mut at = 0;
        while let Some((first, after)) = text.get(at..).and_then(<[u8]>::split_first) {
            let length = match self.escape(*first, after, &mut reading.text) {
                Some(length) => length,
                None if cut && *first != b'+' && is_begun(*first, after) => break,
                None => {
                    reading.text.push(*first);
                    1
                }
            };
            reading.starts.resize(reading.text.len(), at);
            if length > 1 {
                reading.escapes.push(at..at + length);
            }
            at += length;
        }
        reading.starts.push(text.len());
        Some(reading)
    }

    /// Adds the character that an escape represents, and returns the length of the escape.
    fn escape(self, first: u8, after: &[u8], out: &mut Vec<u8>) -> Option<usize> {
        match (self, first) {
            (Self::Json, b'\\') => json(after, out),
            (Self::Percent | Self::Form, b'%') => {
                out.push(u8::try_from(hex(after.get(..2)?)?).ok()?);
                Some(3)
            }
            (Self::Form, b'+') => {
                out.push(b' ');
                Some(1)
            }
            (Self::Html, b'&') => html(after, out),
            _ => None,
        }
    }
}

impl Reading {
    /// Returns the part of the original that became this part of the text.
    pub(super) fn original(&self, part: &Range<usize>) -> Range<usize> {
        let start = |at| self.starts.get(at).copied().unwrap_or_default();
        start(part.start)..start(part.end)
    }
}

/// Whether the end of a text may be the beginning of an escape.
fn is_begun(mark: u8, after: &[u8]) -> bool {
    let may_follow = |byte: &u8| byte.is_ascii_alphanumeric() || b"#\\".contains(byte);
    b"\\%&".contains(&mark) && after.len() + 1 < LONGEST && after.iter().all(may_follow)
}

/// RFC 8259 §7. Some also escape an apostrophe.
fn json(after: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let character = match after.first()? {
        b'u' => return json_number(after, out),
        b'b' => 0x08,
        b'f' => 0x0c,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        itself @ (b'"' | b'\\' | b'/' | b'\'') => *itself,
        _ => return None,
    };
    out.push(character);
    Some(2)
}

fn json_number(after: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let high = hex(after.get(1..5)?)?;
    if !(0xd800..0xdc00).contains(&high) {
        push(high, out)?;
        return Some(6);
    }
    let low = hex(after.get(5..11)?.strip_prefix(b"\\u")?)?;
    let low = low.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
    push(0x1_0000 + ((high - 0xd800) << 10) + low, out)?;
    Some(12)
}

fn html(after: &[u8], out: &mut Vec<u8>) -> Option<usize> {
    let end = after
        .iter()
        .take(LONGEST - 1)
        .position(|byte| *byte == b';')?;
    let code = match after.get(..end)? {
        b"amp" => u32::from(b'&'),
        b"lt" => u32::from(b'<'),
        b"gt" => u32::from(b'>'),
        b"quot" => u32::from(b'"'),
        b"apos" => u32::from(b'\''),
        [b'#', b'x' | b'X', digits @ ..] => hex(digits)?,
        [b'#', digits @ ..] => parsed(digits, 10)?,
        _ => return None,
    };
    push(code, out)?;
    Some(end + 2)
}

fn push(code: u32, out: &mut Vec<u8>) -> Option<()> {
    let character = char::from_u32(code)?;
    out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
    Some(())
}

fn hex(digits: &[u8]) -> Option<u32> {
    parsed(digits, 16)
}

/// Parses a number without the sign that the standard library accepts.
fn parsed(digits: &[u8], radix: u32) -> Option<u32> {
    let digits = std::str::from_utf8(digits).ok()?;
    let is_number = digits.chars().all(|digit| digit.is_digit(radix));
    u32::from_str_radix(digits, radix)
        .ok()
        .filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(spelling: Spelling, text: &str, cut: bool) -> String {
        let reading = spelling.read(text.as_bytes(), cut).unwrap();
        let whole = reading.original(&(0..reading.text.len()));
        assert_eq!(whole, 0..text.len());
        String::from_utf8(reading.text).unwrap()
    }

    #[test]
    fn escapes_stand_for_their_characters() {
        for (spelling, text, expected) in [
            (
                Spelling::Json,
                r#"\"\\\/\b\f\n\r\t\'"#,
                "\"\\/\u{8}\u{c}\n\r\t'",
            ),
            (Spelling::Json, r"\u002f\u00E9\ud83d\ude00", "/é😀"),
            (
                Spelling::Json,
                r"\\u002f \q \u12 \u+123 \ud83d \ude00",
                r"\u002f \q \u12 \u+123 \ud83d \ude00",
            ),
            (Spelling::Percent, "%2f%2F+%C3%a9%2%zz%", "//+é%2%zz%"),
            (Spelling::Form, "a+b%2Bc", "a b+c"),
            (Spelling::Html, "&amp;&lt;&gt;&quot;&apos;", "&<>\"'"),
            (
                Spelling::Html,
                "&#39;&#x27;&#X2f;&#0047;&#x1F600;",
                "''//😀",
            ),
            (
                Spelling::Html,
                "&amp &; &#; &#x; &nbsp; &#x110000;",
                "&amp &; &#; &#x; &nbsp; &#x110000;",
            ),
        ] {
            assert_eq!(read(spelling, text, false), expected);
        }
        assert!(Spelling::Json.read(b"plain % & +", false).is_none());
    }

    #[test]
    fn incomplete_escape_at_the_end_is_dropped() {
        for (spelling, text, expected) in [
            (Spelling::Json, "ab\\", "ab"),
            (Spelling::Json, "ab\\u00", "ab"),
            (Spelling::Json, "ab\\ud83d\\ude0", "ab"),
            (Spelling::Percent, "ab%2", "ab"),
            (Spelling::Html, "ab&am", "ab"),
            (Spelling::Html, "ab&#x2", "ab"),
            (Spelling::Html, "ab & co", "ab & co"),
        ] {
            assert_eq!(read(spelling, text, true), expected, "{text}");
            assert_eq!(read(spelling, text, false), text);
        }
    }
}
