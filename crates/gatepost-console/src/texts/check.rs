//! Reads a translation, and compares it with the English texts.

use std::collections::{BTreeMap, BTreeSet};

use fluent_bundle::FluentResource;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use thiserror::Error;

pub(super) fn parse(source: &str) -> Result<FluentResource, TextsError> {
    let read = FluentResource::try_new(source.to_owned());
    read.map_err(|(_, errors)| match errors.first() {
        Some(error) => TextsError::Syntax {
            line: line_of(source, error.pos.start),
            rule: error.kind.to_string(),
        },
        None => TextsError::Syntax {
            line: 1,
            rule: "unreadable".to_owned(),
        },
    })
}

fn line_of(source: &str, at: usize) -> usize {
    let before = source.bytes().take(at);
    before.filter(|byte| *byte == b'\n').count() + 1
}

/// Checks that a translation has no text and no variable that the English does not have.
pub(super) fn compare(english: &FluentResource, read: &FluentResource) -> Result<(), TextsError> {
    let (english, read) = (variables(english), variables(read));
    for (name, variables) in &read {
        let known = english
            .get(name)
            .ok_or_else(|| TextsError::Unknown((*name).to_owned()))?;
        if let Some(variable) = variables.difference(known).next() {
            return Err(TextsError::Variable {
                text: (*name).to_owned(),
                variable: (*variable).to_owned(),
            });
        }
    }
    Ok(())
}

/// The variables of each text, by its name.
type Variables<'a> = BTreeMap<&'a str, BTreeSet<&'a str>>;

pub(super) fn variables(resource: &FluentResource) -> Variables<'_> {
    let messages = resource.entries().filter_map(|entry| match entry {
        Entry::Message(message) => Some((message.id.name, message.value.as_ref())),
        _ => None,
    });
    messages
        .map(|(name, value)| {
            let mut found = BTreeSet::new();
            value
                .into_iter()
                .for_each(|value| in_pattern(value, &mut found));
            (name, found)
        })
        .collect()
}

fn in_pattern<'a>(pattern: &'a Pattern<&'a str>, found: &mut BTreeSet<&'a str>) {
    for element in &pattern.elements {
        match element {
            PatternElement::TextElement { .. } => {}
            PatternElement::Placeable { expression } => in_expression(expression, found),
        }
    }
}

fn in_expression<'a>(expression: &'a Expression<&'a str>, found: &mut BTreeSet<&'a str>) {
    match expression {
        Expression::Inline(inline) => in_inline(inline, found),
        Expression::Select { selector, variants } => {
            in_inline(selector, found);
            for variant in variants {
                in_pattern(&variant.value, found);
            }
        }
    }
}

fn in_inline<'a>(inline: &'a InlineExpression<&'a str>, found: &mut BTreeSet<&'a str>) {
    match inline {
        InlineExpression::VariableReference { id } => {
            found.insert(id.name);
        }
        InlineExpression::Placeable { expression } => in_expression(expression, found),
        InlineExpression::FunctionReference { arguments, .. } => {
            arguments
                .positional
                .iter()
                .for_each(|inner| in_inline(inner, found));
        }
        _ => {}
    }
}

/// The reason for which a translation cannot be used.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
#[non_exhaustive]
pub enum TextsError {
    /// Not a tag of BCP 47.
    #[error("`{0}` is not the tag of a language, such as `de` or `ar-EG`")]
    Language(String),
    /// Not Fluent's syntax.
    #[error("line {line}: {rule}")]
    Syntax {
        /// Counted from 1.
        line: usize,
        /// The syntax rule that is broken there.
        rule: String,
    },
    /// A text that no page uses: a wrong name, or one of an earlier version.
    #[error("there is no text `{0}`")]
    Unknown(String),
    /// A variable that the English text does not have.
    #[error("the text `{text}` has no variable `${variable}`")]
    Variable {
        /// The name of the text.
        text: String,
        /// The name of the variable, without `$`.
        variable: String,
    },
    /// One of the two texts that show how numbers are written shows another number, or only one of
    /// them is translated.
    #[error("`frame-number-long` and `frame-number-short` must show 1234567.8 and 1234")]
    Number,
}
