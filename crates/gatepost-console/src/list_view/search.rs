//! The words of a search.

use std::borrow::Cow;

use webhook_model::trim_pasted;

/// Characters that are searched for at most.
pub(super) const MAX_TEXT: usize = 200;
/// Words that are searched for at most.
pub(super) const MAX_WORDS: usize = 8;

/// Words that must all be in a row, in any of its texts. Capitals do not matter.
#[derive(Debug, Default, Eq, PartialEq)]
pub(super) struct Search {
    text: String,
    words: Vec<String>,
    is_cut: bool,
}

impl Search {
    /// What was typed; only the first 200 characters and 8 words of it count.
    pub(super) fn parse(typed: &str) -> Self {
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

    /// What was typed, as far as it counts.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether there is anything to search for.
    pub(super) fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// Whether some of it was left out.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether each word is in one of the texts.
    pub(super) fn finds(&self, texts: &[Cow<'_, str>]) -> bool {
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
    fn every_word_must_be_in_one_of_the_texts_and_capitals_do_not_matter() {
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
