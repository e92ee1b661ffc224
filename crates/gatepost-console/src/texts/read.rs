//! Reads a translation, and holds it against the English.

use std::collections::{BTreeMap, BTreeSet};

use fluent_bundle::FluentResource;
use fluent_syntax::ast::{Entry, Expression, InlineExpression, Pattern, PatternElement};
use unic_langid::LanguageIdentifier;

use super::{Texts, TextsError, english};

pub(super) fn texts(language: &str, source: &str) -> Result<Texts, TextsError> {
    let tag = LanguageIdentifier::from_bytes(language.as_bytes());
    let tag = tag.map_err(|_| TextsError::Language(language.to_owned()))?;
    let read = FluentResource::try_new(source.to_owned());
    let read = read.map_err(|(_, errors)| match errors.first() {
        Some(error) => TextsError::Syntax {
            line: source
                .bytes()
                .take(error.pos.start)
                .filter(|byte| *byte == b'\n')
                .count()
                + 1,
            rule: error.kind.to_string(),
        },
        None => TextsError::Syntax {
            line: 1,
            rule: "unreadable".to_owned(),
        },
    })?;
    let english = english::resource();
    compare(&variables(&english), &variables(&read))?;
    Ok(Texts::new(tag, [english, read]))
}

fn compare(english: &Variables<'_>, read: &Variables<'_>) -> Result<(), TextsError> {
    for (name, variables) in read {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_translation_is_said() {
        let refused = |language, source| Texts::read(language, source).unwrap_err().to_string();
        for (language, source, error) in [
            (
                "",
                "",
                "`` is not the tag of a language, such as `de` or `ar-EG`",
            ),
            (
                "deutsch!",
                "",
                "`deutsch!` is not the tag of a language, such as `de` or `ar-EG`",
            ),
            (
                "de",
                "frame-cancle = Abbrechen",
                "there is no text `frame-cancle`",
            ),
            (
                "de",
                "frame-cancel = { $who }",
                "the text `frame-cancel` has no variable `$who`",
            ),
            (
                "de",
                "frame-go-to = { $section ->\n [one] { $other }\n *[other] x\n}",
                "the text `frame-go-to` has no variable `$other`",
            ),
        ] {
            assert_eq!(refused(language, source), error);
        }
        let broken = refused("de", "frame-cancel = Abbrechen\nframe-go-to = { $section");
        assert!(broken.starts_with("line 2: "), "{broken}");
    }

    #[test]
    fn the_english_is_its_own_translation() {
        assert!(Texts::read("en", Texts::english_source()).is_ok());
    }
}
