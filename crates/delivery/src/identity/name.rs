//! The name of a certificate's subject, for display.

use std::fmt::Write as _;

use super::der::{Der, OID, SEQUENCE, SET};

/// The maximum length in characters; longer names are truncated.
const LONGEST: usize = 256;

/// Attributes with a short name (RFC 4514 §3, and two other common ones).
const SHORT: [(&[u8], &str); 10] = [
    (&[0x55, 4, 3], "CN"),
    (&[0x55, 4, 5], "serialNumber"),
    (&[0x55, 4, 6], "C"),
    (&[0x55, 4, 7], "L"),
    (&[0x55, 4, 8], "ST"),
    (&[0x55, 4, 10], "O"),
    (&[0x55, 4, 11], "OU"),
    (&[0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 9, 1], "emailAddress"),
    (&[9, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 1], "UID"),
    (&[9, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 1, 25], "DC"),
];

/// Returns `C=DE, O=Example, CN=hooks`, in the order of the certificate; empty for a name without
/// parts.
pub(super) fn read(mut name: Der<'_>) -> Option<String> {
    let mut text = String::new();
    while !name.0.is_empty() {
        let mut set = name.inside(SET)?;
        while !set.0.is_empty() {
            let mut attribute = set.inside(SEQUENCE)?;
            let oid = attribute.inside(OID)?.0;
            let (tag, value) = attribute.next()?;
            if !text.is_empty() {
                text.push_str(", ");
            }
            text.push_str(&attribute_name(oid));
            text.push('=');
            value_into(&mut text, tag, value);
        }
    }
    if let Some((end, _)) = text.char_indices().nth(LONGEST) {
        text.truncate(end);
        text.push('…');
    }
    Some(text)
}

fn attribute_name(oid: &[u8]) -> String {
    let short = SHORT.iter().find(|(known, _)| *known == oid);
    short.map_or_else(|| dotted(oid), |(_, name)| (*name).to_owned())
}

/// Returns an object identifier in dotted decimal form.
fn dotted(oid: &[u8]) -> String {
    let (mut text, mut number) = (String::new(), 0u64);
    for byte in oid {
        number = (number << 7) | u64::from(byte & 0x7f);
        if byte & 0x80 != 0 {
            continue;
        }
        let written = if text.is_empty() {
            let first = (number / 40).min(2);
            write!(text, "{first}.{}", number - first * 40)
        } else {
            write!(text, ".{number}")
        };
        number = 0;
        if written.is_err() {
            break;
        }
    }
    text
}

/// Appends the text of a value. A comma is escaped, and invalid characters are replaced.
fn value_into(text: &mut String, tag: u8, value: &[u8]) {
    match tag {
        // BMPString: two bytes for each character.
        0x1e => {
            let pairs = value.chunks_exact(2);
            let units = pairs.filter_map(|pair| pair.try_into().ok());
            let units: Vec<u16> = units.map(u16::from_be_bytes).collect();
            push(text, &String::from_utf16_lossy(&units));
        }
        // TeletexString, which is Latin-1 in practice.
        0x14 => push(
            text,
            &value
                .iter()
                .map(|byte| char::from(*byte))
                .collect::<String>(),
        ),
        // The rest are texts of ASCII or UTF-8.
        0x0c | 0x12 | 0x13 | 0x16 | 0x1a => push(text, &String::from_utf8_lossy(value)),
        _ => text.push('?'),
    }
}

fn push(text: &mut String, value: &str) {
    for c in value.chars() {
        match c {
            ',' => text.push_str("\\,"),
            c if c.is_control() => text.push('\u{fffd}'),
            c => text.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Creates one attribute: object identifier, tag, value.
    fn named(oid: &[u8], tag: u8, value: &[u8]) -> Vec<u8> {
        let wrap = |tag: u8, content: &[u8]| {
            let length = u8::try_from(content.len()).unwrap();
            [&[tag, length], content].concat()
        };
        let attribute = [wrap(OID, oid), wrap(tag, value)].concat();
        wrap(SET, &wrap(SEQUENCE, &attribute))
    }

    fn shown(name: &[Vec<u8>]) -> Option<String> {
        read(Der(&name.concat()))
    }

    #[test]
    fn certificate_name_keeps_order_and_escapes_misleading_characters() {
        let name = [
            named(&[0x55, 4, 6], 0x13, b"DE"),
            named(&[0x55, 4, 10], 0x0c, "Müller, Söhne\n".as_bytes()),
            named(&[0x55, 4, 3], 0x1e, &[0, b'h', 0x26, 0x03]),
            named(&[0x55, 4, 11], 0x14, &[b'a', 0xe9]),
            named(&[0x2a, 0x86, 0x48, 0x86, 0xf7, 13, 1, 9, 2], 0x30, b""),
        ];
        assert_eq!(
            shown(&name).unwrap(),
            "C=DE, O=Müller\\, Söhne\u{fffd}, CN=h☃, OU=aé, 1.2.840.113549.1.9.2=?"
        );
        assert_eq!(shown(&[]).unwrap(), "");
        let long = vec![named(&[0x55, 4, 3], 0x0c, &[b'a'; 100]); 3];
        assert_eq!(shown(&long).unwrap().chars().count(), LONGEST + 1);
    }
}
