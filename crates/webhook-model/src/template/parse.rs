//! Splits a message into literals and variables.

use serde::de::IgnoredAny;

use super::segment::{Kind, Place, Segment, Variable};

/// Longer words between the brackets are no variable.
const MAX_NAME: usize = 64;
/// Longer paths into data are none.
const MAX_PATH: usize = 256;
/// Begins a path into what the occurrence brings along.
const DATA: &str = "data";
/// Begins a path into what the event has for its task.
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
            // An escape in a JSON string: the character behind it ends no string. Outside of one a
            // backslash is no JSON.
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

/// The variable that begins at the `$` at `at`, and where it ends: `${NAME}` or `$<NAME>`, a name
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

/// Whether this is the name of a variable.
pub(super) fn is_name(word: &str) -> bool {
    (1..=MAX_NAME).contains(&word.len())
        && word.bytes().all(|b| in_name(&b))
        && !word.starts_with(|c: char| c.is_ascii_digit())
}

fn in_name(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// How long a path is, each part with the dot before it: letters, digits, `_` and `-`.
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

/// Whether the text is meant as JSON and is JSON once its variables are filled in. A lone variable
/// or number is text as much as it is JSON: only what begins with a bracket or a quote is meant.
///
/// Each variable is filled in by what behaves as its values will: inside a string by a space, which
/// no escape takes in (`"\\${NAME}n"` is therefore no JSON); elsewhere a number by `1`
/// (`${TIMESTAMP}000` is a number, `0${TIMESTAMP}` is none), text by an empty string, so that it
/// may also stand as the name of a member, and data, which may be any value, by `null`.
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
