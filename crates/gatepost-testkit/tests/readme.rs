//! The table of clauses in the README is that of the code: each name, and its sentence.

#![allow(
    clippy::expect_used,
    reason = "a test ends where something is not as it must be"
)]

use std::collections::BTreeMap;
use std::path::Path;

use gatepost_testkit::{key_clauses, webhook_clauses};

/// Every clause in these sources and the line of documentation above it.
fn sentences(folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sentences(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let mut above = "";
        for line in text.lines() {
            if let Some(name) = line.strip_prefix("pub async fn ") {
                let name = name.split('(').next().unwrap_or_default();
                let sentence = above.trim_start_matches("/// ");
                found.insert(name.to_owned(), sentence.to_owned());
            }
            above = line;
        }
    }
}

#[test]
fn the_readme_lists_every_clause_with_its_sentence() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = BTreeMap::new();
    sentences(&root.join("src"), &mut sources);
    let keys = key_clauses().into_iter().map(|c| c.name);
    let names = keys.chain(webhook_clauses().into_iter().map(|c| c.name));
    let wanted: Vec<_> = names
        .map(|name| format!("| `{name}` | {} |", sources[name]))
        .collect();
    let readme = std::fs::read_to_string(root.join("README.md")).expect("a README");
    let listed = |line: &&str| line.starts_with("| `");
    let listed: Vec<_> = readme.lines().filter(listed).collect();
    assert_eq!(listed, wanted);
}
