//! Translations of the sentences with which the crates below describe a value or an attempt. These
//! crates word them in English, for the API and the log as well; the console recognizes them by
//! that English.

use std::borrow::Cow;
use std::sync::LazyLock;

use fluent_bundle::{FluentArgs, FluentValue};
use fluent_syntax::ast::{Entry, Expression, InlineExpression, PatternElement};
use fluent_syntax::parser;

use super::catalog::Texts;

/// The English of these sentences.
const SOURCE: &str = include_str!("../../../locales/en/rules.ftl");
/// The variable whose value is such a sentence itself.
const RULE: &str = "rule";
/// The variables whose values are whole numbers; all others are any text.
const NUMBERS: [&str; 11] = [
    "count", "have", "least", "length", "most", "number", "port", "requests", "seconds", "status",
    "task",
];
/// The length beyond which a text cannot be a sentence of the crates below.
const LONGEST: usize = 4096;

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(SOURCE));

impl Texts {
    /// Returns a sentence of the crates below in this language, or any other sentence, such as one
    /// of the platform, unchanged.
    pub(crate) fn rule<'a>(&self, sentence: &'a str) -> Cow<'a, str> {
        if self.is_source() {
            return sentence.into();
        }
        let Some((pattern, values)) = recognized(sentence) else {
            return sentence.into();
        };
        let value = |(name, value): (&'static str, &'a str)| match value.parse::<u64>() {
            _ if name == RULE => (name, FluentValue::from(self.rule(value).into_owned())),
            Ok(number) if NUMBERS.contains(&name) => (name, FluentValue::from(number)),
            _ => (name, FluentValue::from(value)),
        };
        let values: FluentArgs<'_> = values.into_iter().map(value).collect();
        self.format(pattern.name, Some(&values)).into_owned().into()
    }
}

/// An English sentence with variables.
#[derive(Debug)]
struct Pattern {
    /// The name of its text.
    name: &'static str,
    parts: Vec<Part>,
}

#[derive(Clone, Copy, Debug)]
enum Part {
    Text(&'static str),
    Value(&'static str),
}

type Values<'a> = Vec<(&'static str, &'a str)>;

impl Pattern {
    /// Returns the values of a sentence that matches.
    fn values<'a>(&self, sentence: &'a str) -> Option<Values<'a>> {
        let mut values = Values::new();
        of_parts(&self.parts, sentence, &mut values)?;
        Some(values)
    }

    /// Returns the length of the fixed text: of two patterns that match, the one with more is
    /// right.
    fn fixed(&self) -> usize {
        let texts = self.parts.iter().map(|part| match part {
            Part::Text(text) => text.len(),
            Part::Value(_) => 0,
        });
        texts.sum()
    }
}

fn recognized(sentence: &str) -> Option<(&'static Pattern, Values<'_>)> {
    if sentence.len() > LONGEST {
        return None;
    }
    let all = PATTERNS.iter();
    let fitting = all.filter_map(|pattern| Some((pattern, pattern.values(sentence)?)));
    fitting.max_by_key(|(pattern, _)| pattern.fixed())
}

/// Splits a sentence; a value ends at the first occurrence of the text after it, and the last one
/// reaches to the end.
fn of_parts<'a>(parts: &[Part], rest: &'a str, values: &mut Values<'a>) -> Option<()> {
    let Some((first, others)) = parts.split_first() else {
        return rest.is_empty().then_some(());
    };
    let name = match first {
        Part::Text(text) => return of_parts(others, rest.strip_prefix(text)?, values),
        Part::Value(name) => *name,
    };
    let end = match others {
        [Part::Text(last)] => rest.strip_suffix(last)?.len(),
        [Part::Text(text), ..] => rest.find(text)?,
        _ => rest.len(),
    };
    let (value, rest) = rest.split_at_checked(end)?;
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    if value.is_empty() || (NUMBERS.contains(&name) && !is_number) {
        return None;
    }
    values.push((name, value));
    of_parts(others, rest, values)
}

/// Returns the patterns of a source; a test ensures that all of it is read.
fn patterns(source: &'static str) -> Vec<Pattern> {
    let resource = parser::parse(source).unwrap_or_else(|(read, _)| read);
    let pattern = |entry| match entry {
        Entry::Message(message) => Some(Pattern {
            name: message.id.name,
            parts: message.value?.elements.iter().filter_map(part).collect(),
        }),
        _ => None,
    };
    resource.body.into_iter().filter_map(pattern).collect()
}

fn part(element: &PatternElement<&'static str>) -> Option<Part> {
    match element {
        PatternElement::TextElement { value } => Some(Part::Text(value)),
        PatternElement::Placeable {
            expression: Expression::Inline(InlineExpression::VariableReference { id }),
        } => Some(Part::Value(id.name)),
        // A brace.
        PatternElement::Placeable {
            expression: Expression::Inline(InlineExpression::StringLiteral { value }),
        } => Some(Part::Text(value)),
        PatternElement::Placeable { .. } => None,
    }
}

#[cfg(test)]
mod tests;
