//! Splits a message into literals and variables.

use serde::de::IgnoredAny;

use super::{Kind, Place, Segment, Variable};

/// Longer words between the brackets are no variable.
const MAX_NAME: usize = 64;

pub(super) fn segments(text: &str) -> Vec<Segment> {
    let bytes = text.as_bytes();
    let mut segments = Vec::new();
    let mut literal = 0;
    let mut in_string = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => in_string = !in_string,
            // An escape in a JSON string: the character behind it ends no string. Outside of one a backslash is no JSON.
            b'\\' if in_string && bytes.get(at + 1).is_some_and(|b| matches!(b, b'"' | b'\\')) => {
                at += 1;
            }
            b'$' => {
                if let Some((end, variable)) = variable(text, at) {
                    push_literal(&mut segments, literal, at);
                    let place = if in_string {
                        Place::InString
                    } else {
                        Place::Bare
                    };
                    segments.push(Segment {
                        start: at,
                        end,
                        kind: Kind::Variable(variable, place),
                    });
                    literal = end;
                    at = end;
                    continue;
                }
            }
            _ => {}
        }
        at += 1;
    }
    push_literal(&mut segments, literal, bytes.len());
    segments
}

fn push_literal(segments: &mut Vec<Segment>, start: usize, end: usize) {
    if start < end {
        segments.push(Segment {
            start,
            end,
            kind: Kind::Literal,
        });
    }
}

/// The variable that begins at the `$` at `at`, and where it ends: `${NAME}` or `$<NAME>`, a name of letters,
/// digits and `_` that does not begin with a digit.
fn variable(text: &str, at: usize) -> Option<(usize, Variable)> {
    let rest = text.get(at + 1..)?;
    let close = match rest.as_bytes().first()? {
        b'{' => b'}',
        b'<' => b'>',
        _ => return None,
    };
    let name = rest.get(1..)?;
    let length = name
        .bytes()
        .take(MAX_NAME + 1)
        .take_while(|b| b.is_ascii_alphanumeric() || *b == b'_')
        .count();
    let ends = name.as_bytes().get(length) == Some(&close);
    let name = name.get(..length)?;
    if !ends || !(1..=MAX_NAME).contains(&length) || name.starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    let variable = match name {
        "DATE" => Variable::Date,
        "TIMESTAMP" => Variable::Timestamp,
        "RANDOM" => Variable::Random,
        "NAME" => Variable::Name,
        _ => Variable::Other,
    };
    Some((at + 1 + 1 + length + 1, variable))
}

/// Whether the text is JSON once its variables are filled in: inside a string by nothing, elsewhere by a number.
pub(super) fn is_json(text: &str, segments: &[Segment]) -> bool {
    let mut filled = String::with_capacity(text.len());
    for segment in segments {
        match segment.kind {
            Kind::Literal => {
                filled.push_str(text.get(segment.start..segment.end).unwrap_or_default());
            }
            Kind::Variable(_, Place::InString) => {}
            Kind::Variable(_, Place::Bare) => filled.push('0'),
        }
    }
    // A lone variable or number is text as much as it is JSON: only a document with brackets or quotes is meant as JSON.
    filled.trim_start().starts_with(['{', '[', '"'])
        && serde_json::from_str::<IgnoredAny>(&filled).is_ok()
}
