//! What each clause says, in words.

/// The table of clauses is there for readers; a test holds it and the clauses together.
const README: &str = include_str!("../README.md");

/// The sentence of the contract that this clause proves; empty when there is no such clause.
pub(crate) fn sentence_of(clause: &str) -> &'static str {
    let row = README.lines().find_map(|line| {
        let row = line.strip_prefix("| `")?.strip_prefix(clause)?;
        row.strip_prefix("` | ")?.strip_suffix(" |")
    });
    row.unwrap_or_default()
}
