//! What the pages say, in one language: the English of `locales/en`, or a host's translation of it
//! ([Fluent](https://projectfluent.org)).

mod english;
mod error;
mod read;
mod say;

use std::fmt;

pub use error::TextsError;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentResource, FluentValue};
pub(crate) use say::Part;
use unic_langid::{CharacterDirection, LanguageIdentifier};

/// All texts of the console's pages in one language, with the rules of its plurals.
///
/// The rules that a field breaks are worded where they stand, in English, as the API's are.
pub struct Texts {
    language: LanguageIdentifier,
    bundle: FluentBundle<FluentResource>,
}

impl Texts {
    /// The English texts.
    #[must_use]
    pub fn english() -> Self {
        english::texts()
    }

    /// What there is to translate: all English texts, in Fluent's syntax. Each can be given anew by
    /// its name; names and variables stay as they are.
    #[must_use]
    pub fn english_source() -> &'static str {
        english::SOURCE
    }

    /// The texts of a language: its tag, such as `de` or `ar-EG`, and a translation of
    /// [`english_source`](Self::english_source). What it does not have stays English.
    ///
    /// # Errors
    /// If the tag is none (BCP 47), the source is not Fluent's syntax, or it has a text or a
    /// variable that the English does not have.
    pub fn read(language: &str, source: &str) -> Result<Self, TextsError> {
        read::texts(language, source)
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

    fn new(language: LanguageIdentifier) -> Self {
        let mut bundle = FluentBundle::new_concurrent(vec![language.clone()]);
        bundle.set_formatter(Some(number));
        let mut texts = Self { language, bundle };
        // A name in Latin letters must not reorder the Arabic sentence that it stands in.
        let is_mixed = texts.direction() == "rtl";
        texts.bundle.set_use_isolating(is_mixed);
        texts
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Texts").field(&self.language()).finish()
    }
}

/// A number with its thousands apart: `5,600`.
fn number<M>(value: &FluentValue<'_>, _: &M) -> Option<String> {
    let FluentValue::Number(number) = value else {
        return None;
    };
    let text = number.value.to_string();
    text.parse().ok().map(crate::layout::grouped)
}
