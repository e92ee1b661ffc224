//! One text, with what is put in it.

use std::borrow::Cow;

use fluent_bundle::{FluentArgs, FluentValue};
use maud::{Markup, PreEscaped, Render as _};

use super::Texts;

/// What is put in a text of a page.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// Shown with its thousands apart; decides the plural.
    Number(u64),
    /// A link, a name, …
    Markup(Markup),
}

/// Characters that stand for parts while a text is put together; nobody may use them for text.
const MARKS: std::ops::RangeInclusive<char> = '\u{F0000}'..='\u{F00FF}';

impl Texts {
    /// A text in which nothing is put.
    pub(crate) fn of(&self, name: &'static str) -> Cow<'_, str> {
        self.format(name, None)
    }

    /// A text with values: numbers and plain text.
    pub(crate) fn with(&self, name: &'static str, values: &[(&str, FluentValue<'_>)]) -> String {
        let values = values.iter().map(|(name, value)| (*name, value.clone()));
        let values: FluentArgs<'_> = values.collect();
        self.format(name, Some(&values)).into_owned()
    }

    /// A text with markup in it.
    pub(crate) fn markup(&self, name: &'static str, parts: &[(&str, Part)]) -> Markup {
        let marks = MARKS.zip(parts).map(|(mark, (name, part))| match part {
            Part::Number(number) => (*name, FluentValue::from(*number)),
            Part::Markup(_) => (*name, FluentValue::from(mark.to_string())),
        });
        let values: FluentArgs<'_> = marks.collect();
        let text = self.format(name, Some(&values));
        let mut html = String::new();
        for letter in text.chars() {
            let at = (letter as usize).wrapping_sub(*MARKS.start() as usize);
            match parts.get(at) {
                Some((_, Part::Markup(markup))) => markup.render_to(&mut html),
                _ => letter.encode_utf8(&mut [0; 4]).render_to(&mut html),
            }
        }
        PreEscaped(html)
    }

    /// The name itself, where there is no such text: a test says that this does not happen.
    fn format<'a>(
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
}

impl From<u64> for Part {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl From<Markup> for Part {
    fn from(markup: Markup) -> Self {
        Self::Markup(markup)
    }
}

impl From<&str> for Part {
    fn from(text: &str) -> Self {
        Self::Markup(text.render())
    }
}

impl From<Cow<'_, str>> for Part {
    fn from(text: Cow<'_, str>) -> Self {
        Self::from(&*text)
    }
}

impl From<String> for Part {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}
