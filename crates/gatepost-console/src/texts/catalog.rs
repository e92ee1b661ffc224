//! The texts of one language.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::{CharacterDirection, LanguageIdentifier};

use super::check::TextsError;
use super::numbers::{LONG, Numbers, SHORT};
use super::{check, source};

/// The mark around each number while a text is formatted; texts must not contain it.
const NUMBER: char = '\u{F0100}';

/// All texts of the console's pages in one language, with its rules for plurals and numbers.
///
/// The crates below word the rules of fields, the reasons of refusals and the outcomes of attempts
/// in English, for the API and the log; the console recognizes these sentences by that English.
#[derive(Clone)]
pub struct Texts {
    language: LanguageIdentifier,
    bundle: Arc<FluentBundle<FluentResource>>,
    numbers: Arc<Numbers>,
    is_source: bool,
}

impl Texts {
    /// Returns the English texts.
    #[must_use]
    pub fn english() -> Self {
        let bundle = bundle(&english(), [source::resource()]);
        Self {
            is_source: true,
            ..Self::new(english(), bundle, Numbers::default())
        }
    }

    /// Returns all English texts in the syntax of Fluent, for translators. A translation must keep
    /// names and variables.
    #[must_use]
    pub fn english_source() -> &'static str {
        source::SOURCE
    }

    /// Reads the texts of a language: its tag, such as `de` or `ar-EG`, and a translation of
    /// [`english_source`](Self::english_source). Missing texts stay English.
    ///
    /// # Errors
    /// If the tag is invalid (BCP 47), the source is not Fluent's syntax, it has a text or a
    /// variable that the English does not have, or its examples of numbers show other numbers.
    pub fn read(language: &str, source: &str) -> Result<Self, TextsError> {
        let tag = LanguageIdentifier::from_bytes(language.as_bytes());
        let tag = tag.map_err(|_| TextsError::Language(language.to_owned()))?;
        let (english, read) = (source::resource(), check::parse(source)?);
        check::compare(&english, &read)?;
        let bundle = bundle(&tag, [english, read]);
        let example = |name| formatted(&bundle, name, None).unwrap_or_default();
        let [long, short] = [LONG, SHORT].map(example);
        let numbers = Numbers::of(&long, &short).ok_or(TextsError::Number)?;
        Ok(Self::new(tag, bundle, numbers))
    }

    /// Returns a text with values, or its name if there is no such text: a test ensures that this
    /// does not happen.
    pub(super) fn format<'a>(
        &'a self,
        name: &str,
        values: Option<&'a FluentArgs<'_>>,
    ) -> Cow<'a, str> {
        match formatted(&self.bundle, name, values) {
            Some(text) if text.contains(NUMBER) => self.with_numbers(&text).into(),
            Some(text) => text,
            None => name.to_owned().into(),
        }
    }

    /// Returns a text without values, if there is one of this name.
    pub(crate) fn find(&self, name: &str) -> Option<Cow<'_, str>> {
        self.bundle.has_message(name).then(|| self.of(name))
    }

    /// Returns a number as the language writes it: `5,600`.
    pub(crate) fn number(&self, number: u64) -> String {
        self.numbers.whole(number)
    }

    /// Returns a number with this number of digits after the decimal mark: `1.5`.
    pub(crate) fn decimal(&self, number: f64, digits: usize) -> String {
        self.numbers.decimal(number, digits)
    }

    /// Returns a share, given in tenths of a percent: `99.7%`, `50%`.
    pub(crate) fn percent(&self, tenths: u64) -> String {
        let share = match tenths % 10 {
            0 => self.number(tenths / 10),
            _ => self.decimal(tenths as f64 / 10.0, 1),
        };
        self.with("frame-percent", &[("share", share.into())])
    }

    /// Formats the numbers between [`NUMBER`]s.
    fn with_numbers(&self, text: &str) -> String {
        let pieces = text.split(NUMBER).enumerate();
        pieces
            .map(|(at, piece)| match piece.parse() {
                Ok(number) if at % 2 == 1 => self.number(number),
                _ => piece.to_owned(),
            })
            .collect()
    }

    /// Whether these are the English texts themselves rather than a translation.
    pub(super) fn is_source(&self) -> bool {
        self.is_source
    }

    /// Returns the tag of the language, for `lang`.
    pub(crate) fn language(&self) -> String {
        self.language.to_string()
    }

    /// Returns the direction of the writing, for `dir`.
    pub(crate) fn direction(&self) -> &'static str {
        match self.language.character_direction() {
            CharacterDirection::RTL => "rtl",
            CharacterDirection::LTR | CharacterDirection::TTB => "ltr",
        }
    }

    fn new(
        language: LanguageIdentifier,
        bundle: FluentBundle<FluentResource>,
        numbers: Numbers,
    ) -> Self {
        Self {
            language,
            bundle: Arc::new(bundle),
            numbers: Arc::new(numbers),
            is_source: false,
        }
    }
}

/// Combines the texts of several resources; a later one replaces the texts of an earlier one.
fn bundle(
    language: &LanguageIdentifier,
    resources: impl IntoIterator<Item = FluentResource>,
) -> FluentBundle<FluentResource> {
    let mut bundle = FluentBundle::new_concurrent(vec![language.clone()]);
    bundle.set_formatter(Some(marked));
    // A name in Latin letters must not reorder the Arabic sentence that contains it.
    bundle.set_use_isolating(language.character_direction() == CharacterDirection::RTL);
    for resource in resources {
        bundle.add_resource_overriding(resource);
    }
    bundle
}

/// Returns a text, with its numbers marked.
fn formatted<'a>(
    bundle: &'a FluentBundle<FluentResource>,
    name: &str,
    values: Option<&'a FluentArgs<'_>>,
) -> Option<Cow<'a, str>> {
    let pattern = bundle.get_message(name)?.value()?;
    Some(bundle.format_pattern(pattern, values, &mut Vec::new()))
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Texts").field(&self.language()).finish()
    }
}

fn english() -> LanguageIdentifier {
    LanguageIdentifier::from_bytes(b"en").unwrap_or_default()
}

/// Puts a whole number between [`NUMBER`]s: a formatter of Fluent does not know its language.
fn marked<M>(value: &FluentValue<'_>, _: &M) -> Option<String> {
    let FluentValue::Number(number) = value else {
        return None;
    };
    let whole: u64 = number.value.to_string().parse().ok()?;
    Some(format!("{NUMBER}{whole}{NUMBER}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn translation_errors_name_the_problem() {
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
            (
                "de",
                "frame-number-long = 1.234.567,8",
                "`frame-number-long` and `frame-number-short` must show 1234567.8 and 1234",
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
