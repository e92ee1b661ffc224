//! The sentence of each contract test.

use crate::scenario;

/// A line for each contract test that is code, in the order of the lists; a test holds it and the
/// code together.
const SENTENCES: &str = include_str!("sentences.txt");

/// The sentence of the contract that this test proves; empty when there is no such test.
pub(crate) fn sentence_of(test: &str) -> &'static str {
    let sentence = SENTENCES
        .lines()
        .find_map(|line| line.strip_prefix(test)?.strip_prefix(": "));
    sentence
        .or_else(|| scenario::sentence(test))
        .unwrap_or_default()
}
