//! The sentence of each contract test.

/// The README with the table of contract tests for readers; a test compares the table with the
/// code.
const README: &str = include_str!("../README.md");

/// Returns the sentence of the contract that this contract test covers; empty if there is no such
/// contract test.
pub(crate) fn sentence_of(clause: &str) -> &'static str {
    let row = README.lines().find_map(|line| {
        let row = line.strip_prefix("| `")?.strip_prefix(clause)?;
        row.strip_prefix("` | ")?.strip_suffix(" |")
    });
    row.unwrap_or_default()
}
