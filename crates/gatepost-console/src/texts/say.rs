//! Formats one text with its values.

use std::borrow::Cow;

use fluent_bundle::{FluentArgs, FluentValue};
use maud::{Markup, PreEscaped, Render as _};

use super::catalog::Texts;

/// The characters that mark parts while a text is formatted; texts must not contain them.
const MARKS: std::ops::RangeInclusive<char> = '\u{F0000}'..='\u{F00FF}';

/// A value in a text of a page.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// A number in the language's format, which decides the plural.
    Number(u64),
    /// A link, a name, …
    Markup(Markup),
}

impl Texts {
    /// Returns a text without values.
    pub(crate) fn of(&self, name: &str) -> Cow<'_, str> {
        self.format(name, None)
    }

    /// Returns a text with values: numbers and plain text.
    pub(crate) fn with(&self, name: &str, values: &[(&str, FluentValue<'_>)]) -> String {
        let values = values.iter().map(|(name, value)| (*name, value.clone()));
        let values: FluentArgs<'_> = values.collect();
        self.format(name, Some(&values)).into_owned()
    }

    /// Returns a text with markup in it.
    pub(crate) fn markup(&self, name: &str, parts: &[(&str, Part)]) -> Markup {
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

#[cfg(test)]
mod tests {
    use maud::html;

    use super::*;

    fn texts(language: &str, source: &str) -> Texts {
        Texts::read(language, source).unwrap()
    }

    #[test]
    fn translation_arguments_are_escaped_but_markup_is_not() {
        let t = texts(
            "en",
            "frame-failure-logged-out-text = Quick & <dirty>: { $login }!",
        );
        let link = html! { a href="/" { "in" } };
        let shown = t.markup("frame-failure-logged-out-text", &[("login", link.into())]);
        assert_eq!(shown.0, r#"Quick &amp; &lt;dirty&gt;: <a href="/">in</a>!"#);
        for hostile in ["<script>", "\u{F0000}", "{ $login }", "\"><img"] {
            let shown = t.markup(
                "frame-failure-logged-out-text",
                &[("login", hostile.into())],
            );
            let escaped = html! { (hostile) }.0;
            assert_eq!(shown.0, format!("Quick &amp; &lt;dirty&gt;: {escaped}!"));
        }
    }

    #[test]
    fn a_language_has_its_own_plurals_and_numbers() {
        let t = texts(
            "pl",
            "frame-number-long = 1\u{a0}234\u{a0}567,8\nframe-number-short = 1234\nframe-time-minutes-ago = { $count ->\n [one] { $count } minutę temu\n [few] { $count } minuty temu\n *[many] { $count } minut temu\n}",
        );
        let said = |count: u64| t.with("frame-time-minutes-ago", &[("count", count.into())]);
        let said = [1, 3, 5, 22, 5_600, 56_000].map(said);
        assert_eq!(
            said,
            [
                "1 minutę temu",
                "3 minuty temu",
                "5 minut temu",
                "22 minuty temu",
                "5600 minut temu",
                "56\u{a0}000 minut temu"
            ]
        );
        assert_eq!(t.percent(997), "99,7%");
    }

    #[test]
    fn untranslated_text_falls_back_to_english() {
        let t = texts("de", "frame-cancel = Abbrechen");
        assert_eq!(t.of("frame-cancel"), "Abbrechen");
        assert_eq!(t.of("frame-row-add"), "Add row");
        assert_eq!((t.language(), t.direction()), ("de".into(), "ltr"));
    }

    #[test]
    fn right_to_left_text_isolates_foreign_names() {
        let t = texts("ar-EG", "frame-go-to = إلى { $section }");
        let said = t.with("frame-go-to", &[("section", "API".into())]);
        assert_eq!(said, "إلى \u{2068}API\u{2069}");
        assert_eq!(t.direction(), "rtl");
    }
}
