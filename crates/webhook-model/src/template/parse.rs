//! Splitting a message into literals and variables.

use serde::de::IgnoredAny;

use super::segment::{Kind, Place, Segment, Variable};

/// The maximum length of a variable's name; longer text between the brackets is not a variable.
const MAX_NAME: usize = 64;
/// The maximum length of a path into data.
const MAX_PATH: usize = 256;
/// The beginning of a path into the occurrence's data.
const DATA: &str = "data";
/// The beginning of a path into the event's context.
pub(super) const CONTEXT: &str = "context";

pub(super) fn segments(text: &str) -> Vec<Segment> {
    let bytes = text.as_bytes();
    let mut segments = Vec::new();
    let mut literal = 0;
    let mut in_string = false;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'"' => in_string = !in_string,
            // An escape in a JSON string: the next character does not end the string. Outside of a
            // string a backslash is not JSON.
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

/// Returns the variable that begins at the `$` at `at`, and its end: `${NAME}` or `$<NAME>`, a name
/// of letters, digits and `_` that does not begin with a digit, or a path into `data` or `context`.
fn variable(text: &str, at: usize) -> Option<(usize, Variable)> {
    let rest = text.get(at + 1..)?;
    let close = match rest.as_bytes().first()? {
        b'{' => b'}',
        b'<' => b'>',
        _ => return None,
    };
    let name = rest.get(1..)?;
    let length = name.bytes().take(MAX_NAME + 1).take_while(in_name).count();
    let word = name.get(..length)?;
    if !is_name(word) {
        return None;
    }
    let path = match word {
        DATA | CONTEXT => path_length(name.get(length..)?),
        _ => 0,
    };
    let length = length + path;
    if name.as_bytes().get(length) != Some(&close) {
        return None;
    }
    let variable = match word {
        "DATE" => Variable::Date,
        "TIMESTAMP" => Variable::Timestamp,
        "RANDOM" => Variable::Random,
        "NAME" => Variable::Name,
        DATA => Variable::Data,
        CONTEXT => Variable::Context,
        _ => Variable::Other,
    };
    Some((at + 1 + 1 + length + 1, variable))
}

/// Returns whether this is a valid name of a variable.
pub(super) fn is_name(word: &str) -> bool {
    (1..=MAX_NAME).contains(&word.len())
        && word.bytes().all(|b| in_name(&b))
        && !word.starts_with(|c: char| c.is_ascii_digit())
}

fn in_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// Returns the length of a path, each part with its preceding dot: letters, digits, `_` and `-`.
fn path_length(rest: &str) -> usize {
    let mut length = 0;
    while let Some(part) = rest.get(length..).and_then(|rest| rest.strip_prefix('.')) {
        let word = |b: &u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        let word = part
            .as_bytes()
            .iter()
            .take(MAX_PATH)
            .take_while(|b| word(b))
            .count();
        if word == 0 || length + 1 + word > MAX_PATH {
            break;
        }
        length += 1 + word;
    }
    length
}

/// Returns whether the text is intended as JSON and is JSON with its variables filled in. A single
/// variable or number could be text as well as JSON: only text that begins with a bracket or a
/// quote is intended as JSON.
///
/// Each variable is replaced by a value that behaves like its real values. Inside a string it is a
/// space, which no escape includes (`"\\${NAME}n"` is therefore not JSON). Elsewhere a number is
/// `1` (`${TIMESTAMP}000` is a number, `0${TIMESTAMP}` is not), text is an empty string, so that it
/// may also be the name of a member, and data, which may be any value, are `null`.
pub(super) fn is_json(text: &str, segments: &[Segment]) -> bool {
    if !text.trim_start().starts_with(['{', '[', '"']) {
        return false;
    }
    let mut filled = String::with_capacity(text.len());
    for segment in segments {
        filled.push_str(match segment.kind {
            Kind::Literal => text.get(segment.start..segment.end).unwrap_or_default(),
            Kind::Variable(_, Place::InString) => " ",
            Kind::Variable(Variable::Timestamp | Variable::Random, Place::Bare) => "1",
            Kind::Variable(Variable::Data | Variable::Context, Place::Bare) => "null",
            Kind::Variable(_, Place::Bare) => "\"\"",
        });
    }
    serde_json::from_str::<IgnoredAny>(&filled).is_ok()
}
