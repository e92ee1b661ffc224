//! The texts of one language.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentArgs, FluentResource, FluentValue};
use unic_langid::{CharacterDirection, LanguageIdentifier};

use super::error::TextsError;
use super::{check, source};
use crate::grouped::grouped;

/// All texts of the console's pages in one language, with the rules of its plurals.
///
/// The rules that a field breaks are worded where they stand, in English, as the API's are.
#[derive(Clone)]
pub struct Texts {
    language: LanguageIdentifier,
    bundle: Arc<FluentBundle<FluentResource>>,
}

impl Texts {
    /// The English texts.
    #[must_use]
    pub fn english() -> Self {
        Self::new(english(), [source::resource()])
    }

    /// What there is to translate: all English texts, in the syntax of Fluent. Names and variables
    /// stay as they are.
    #[must_use]
    pub fn english_source() -> &'static str {
        source::SOURCE
    }

    /// The texts of a language: its tag, such as `de` or `ar-EG`, and a translation of
    /// [`english_source`](Self::english_source). What it does not have stays English.
    ///
    /// # Errors
    /// If the tag is none (BCP 47), the source is not Fluent's syntax, or it has a text or a
    /// variable that the English does not have.
    pub fn read(language: &str, source: &str) -> Result<Self, TextsError> {
        let tag = LanguageIdentifier::from_bytes(language.as_bytes());
        let tag = tag.map_err(|_| TextsError::Language(language.to_owned()))?;
        let (english, read) = (source::resource(), check::parse(source)?);
        check::compare(&english, &read)?;
        Ok(Self::new(tag, [english, read]))
    }

    /// A text with values; its name, where there is no such text: a test says that this does not
    /// happen.
    pub(super) fn format<'a>(
        &'a self,
        name: &'static str,
        values: Option<&'a FluentArgs<'_>>,
    ) -> Cow<'a, str> {
        let message = self.bundle.get_message(name);
        match message.and_then(|message| message.value()) {
            Some(pattern) => self.bundle.format_pattern(pattern, values, &mut Vec::new()),
            None => Cow::Borrowed(name),
        }
    }

    /// The tag of the language, for `lang`.
    pub(crate) fn language(&self) -> String {
        self.language.to_string()
    }

    /// In which direction it is written, for `dir`.
    pub(crate) fn direction(&self) -> &'static str {
        match self.language.character_direction() {
            CharacterDirection::RTL => "rtl",
            CharacterDirection::LTR | CharacterDirection::TTB => "ltr",
        }
    }

    /// Texts of several resources; a later one replaces what an earlier one says.
    fn new(
        language: LanguageIdentifier,
        resources: impl IntoIterator<Item = FluentResource>,
    ) -> Self {
        let mut bundle = FluentBundle::new_concurrent(vec![language.clone()]);
        bundle.set_formatter(Some(number));
        // A name in Latin letters must not reorder the Arabic sentence that it stands in.
        bundle.set_use_isolating(language.character_direction() == CharacterDirection::RTL);
        for resource in resources {
            bundle.add_resource_overriding(resource);
        }
        let bundle = Arc::new(bundle);
        Self { language, bundle }
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Texts").field(&self.language()).finish()
    }
}

fn english() -> LanguageIdentifier {
    LanguageIdentifier::from_bytes(b"en").unwrap_or_default()
}

/// A number with its thousands apart: `5,600`.
fn number<M>(value: &FluentValue<'_>, _: &M) -> Option<String> {
    let FluentValue::Number(number) = value else {
        return None;
    };
    let text = number.value.to_string();
    text.parse().ok().map(grouped)
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
