//! What the pages say, in one language: the English of `locales/en`, or a host's translation of it
//! ([Fluent](https://projectfluent.org)).

mod english;
mod error;
mod read;
mod say;

use std::fmt;
use std::sync::Arc;

pub use error::TextsError;
use fluent_bundle::concurrent::FluentBundle;
use fluent_bundle::{FluentResource, FluentValue};
use unic_langid::{CharacterDirection, LanguageIdentifier};

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

/// A number with its thousands apart: `5,600`.
fn number<M>(value: &FluentValue<'_>, _: &M) -> Option<String> {
    let FluentValue::Number(number) = value else {
        return None;
    };
    let text = number.value.to_string();
    text.parse().ok().map(crate::layout::grouped)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    use super::*;

    /// Every text literal of the console's sources that has the form of a name.
    fn literals(folder: &Path, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                literals(&path, found);
            } else if path.extension().is_some_and(|kind| kind == "rs") {
                let source = std::fs::read_to_string(&path).unwrap();
                let source = source.split("#[cfg(test)]").next().unwrap();
                found.extend(source.split('"').map(str::to_owned));
            }
        }
    }

    fn parts() -> BTreeSet<&'static str> {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("locales/en");
        let files = std::fs::read_dir(source).unwrap();
        let names = files.map(|file| file.unwrap().path());
        let names = names.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
        names.map(|name| &*name.leak()).collect()
    }

    #[test]
    fn each_text_is_used_and_each_name_has_one() {
        let english = english::resource();
        let known: BTreeSet<&str> = read::variables(&english).into_keys().collect();
        let mut literal = BTreeSet::new();
        literals(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
            &mut literal,
        );
        let unused: Vec<_> = known
            .iter()
            .filter(|name| !literal.contains(**name))
            .collect();
        assert!(unused.is_empty(), "no page says {unused:?}");
        let is_name = |text: &&String| {
            let part = text.split_once('-').map_or("", |(part, _)| part);
            let letters =
                |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
            parts().contains(part) && text.bytes().all(letters) && !text.ends_with('-')
        };
        let names = literal.iter().filter(is_name).map(String::as_str);
        let missing: Vec<_> = names.filter(|name| !known.contains(name)).collect();
        assert!(missing.is_empty(), "there is no text {missing:?}");
    }

    #[test]
    fn the_english_is_whole_and_each_name_stands_once() {
        let read = FluentResource::try_new(Texts::english_source().to_owned());
        let read = read.map_err(|(_, errors)| errors).unwrap();
        let names: Vec<&str> = Texts::english_source()
            .lines()
            .filter(|line| line.starts_with(|first: char| first.is_ascii_lowercase()))
            .filter_map(|line| line.split_once(" =").map(|(name, _)| name))
            .collect();
        let once: BTreeSet<_> = names.iter().collect();
        assert_eq!(
            (names.len(), once.len()),
            (
                read.entries()
                    .filter(|entry| matches!(entry, fluent_syntax::ast::Entry::Message(_)))
                    .count(),
                names.len()
            )
        );
        for part in parts() {
            assert!(
                names.iter().any(|name| name.starts_with(part)),
                "{part} is not read"
            );
        }
    }
}
