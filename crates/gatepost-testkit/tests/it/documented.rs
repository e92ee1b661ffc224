//! The sentences of contract tests are those of the code: each name, and its documentation.

use std::collections::BTreeMap;
use std::path::Path;

use gatepost_testkit::{audit_contract, key_contract, unreadable_contract, webhook_contract};

/// Collects every contract test in these sources and the sentence of documentation above it.
fn sentences(folder: &Path, found: &mut BTreeMap<String, String>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sentences(&path, found);
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a text");
        let mut sentence = String::new();
        for line in text.lines() {
            if let Some(more) = line.strip_prefix("/// ") {
                let space = if sentence.is_empty() { "" } else { " " };
                sentence = sentence + space + more;
                continue;
            }
            if let Some(name) = line.strip_prefix("pub async fn ") {
                let name = name.split('(').next().unwrap_or_default();
                found.insert(name.to_owned(), sentence);
            }
            sentence = String::new();
        }
    }
}

#[test]
fn sentences_are_the_documentation_of_every_contract_test() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut sources = BTreeMap::new();
    sentences(&root.join("src"), &mut sources);
    let keys = key_contract().into_iter().map(|c| c.name);
    let names = keys.chain(webhook_contract().into_iter().map(|c| c.name));
    let names = names.chain(unreadable_contract().into_iter().map(|c| c.name));
    let names = names.chain(audit_contract().into_iter().map(|c| c.name));
    let in_code = names.filter_map(|name| Some(format!("{name}: {}", sources.get(name)?)));
    let wanted: Vec<_> = in_code.collect();
    let listed = include_str!("../../src/sentences.txt");
    assert_eq!(listed.lines().collect::<Vec<_>>(), wanted);
}
