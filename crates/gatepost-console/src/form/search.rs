//! The words of a search, and the rows that a field of a form offers.

use std::borrow::Cow;

use webhook_model::trim_pasted;

/// The maximum number of characters of a search.
pub(crate) const MAX_TEXT: usize = 200;
/// The maximum number of words of a search.
pub(crate) const MAX_WORDS: usize = 8;

/// The rows that a field of a form offers: all, or those that a search finds if there are too many.
#[derive(Debug, Default)]
pub(crate) struct Choices {
    /// The value and the name of each.
    pub rows: Vec<(String, String)>,
    /// The typed search, if there are too many rows for a list.
    pub search: Option<String>,
}

/// Words that must all occur in a row, in any of its texts. Case does not matter.
#[derive(Debug, Default, Eq, PartialEq)]
pub(crate) struct Search {
    text: String,
    words: Vec<String>,
    is_cut: bool,
}

impl Search {
    /// Parses the typed text; only its first 200 characters and 8 words count.
    pub(crate) fn parse(typed: &str) -> Self {
        let blank = |c: char| if c.is_control() { ' ' } else { c };
        let mut letters = typed.chars().map(blank);
        let text: String = letters.by_ref().take(MAX_TEXT).collect();
        let text = trim_pasted(&text);
        let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
        let is_cut = words.len() > MAX_WORDS || letters.any(|c| !c.is_whitespace());
        Self {
            text: text.to_owned(),
            words: words.into_iter().take(MAX_WORDS).collect(),
            is_cut,
        }
    }

    /// Returns the part of the typed text that counts.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Whether the search has no words.
    pub(crate) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether a part of the typed text was ignored.
    pub(crate) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether each word occurs in one of the texts.
    pub(crate) fn finds(&self, texts: &[Cow<'_, str>]) -> bool {
        let texts: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
        let is_there = |word: &String| texts.iter().any(|text| text.contains(word));
        self.words.iter().all(is_there)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finds(search: &str, texts: &[&str]) -> bool {
        let texts: Vec<Cow<'_, str>> = texts.iter().map(|text| Cow::from(*text)).collect();
        Search::parse(search).finds(&texts)
    }

    #[test]
    fn list_search_requires_every_word_and_ignores_case() {
        assert!(finds("NIGHT build", &["nightly", "Build server 3"]));
        assert!(finds("  ", &[]));
        assert!(finds("ÜBER", &["über"]));
        assert!(!finds("night deploy", &["nightly", "Build server 3"]));
        assert!(!finds("nightly build", &["nightlybuild x"]) || finds("build", &["nightlybuild"]));
        assert!(!finds("%", &["a"]) && !finds(".*", &["a"]) && !finds("_", &["a"]));
    }

    #[test]
    fn a_search_is_bounded_and_says_so() {
        let many = "w ".repeat(200);
        let search = Search::parse(&many);
        assert_eq!(search.words.len(), MAX_WORDS);
        assert!(search.is_cut());
        let long = "é".repeat(1_000_000);
        let search = Search::parse(&long);
        assert_eq!(search.text().chars().count(), MAX_TEXT);
        assert!(search.is_cut());
        let fits = Search::parse(&format!("{}   \n", "x".repeat(MAX_TEXT)));
        assert!(!fits.is_cut());
        assert_eq!(Search::parse("a\0b\u{7}").text(), "a b");
    }
}
