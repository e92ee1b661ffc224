//! What the crates below say of a value or an attempt, in the language of the pages. They word it
//! in English, for the API as well, and the log keeps it so: it is recognized by that English.

use std::borrow::Cow;
use std::sync::LazyLock;

use fluent_bundle::{FluentArgs, FluentValue};
use fluent_syntax::ast::{Entry, Expression, InlineExpression, PatternElement};
use fluent_syntax::parser;

use super::catalog::Texts;

/// The English of these sentences.
const SOURCE: &str = include_str!("../../../locales/en/rules.ftl");
/// A value that is such a sentence itself.
const RULE: &str = "rule";
/// Values that are whole numbers; all others are any text.
const NUMBERS: [&str; 11] = [
    "count", "have", "least", "length", "most", "number", "port", "requests", "seconds", "status",
    "task",
];
/// Longer ones are nothing that the crates below say.
const LONGEST: usize = 4096;

static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| patterns(SOURCE));

impl Texts {
    /// A sentence of the crates below in this language, or as it is where it is none of theirs:
    /// what a platform says in words of its own.
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

/// An English sentence with places for values.
#[derive(Debug)]
struct Pattern {
    /// Of its text.
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
    /// The values of a sentence of this form.
    fn values<'a>(&self, sentence: &'a str) -> Option<Values<'a>> {
        let mut values = Values::new();
        of_parts(&self.parts, sentence, &mut values)?;
        Some(values)
    }

    /// How much of it is fixed: of two that fit, the one that says more itself is meant.
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

/// Takes a sentence apart; a value ends where the text behind it first begins, and what is last
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

/// The patterns of a source; a test says that all of it is read.
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
