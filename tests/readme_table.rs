//! The table of rules and tests in this folder's README is true.
#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::collections::BTreeSet;
use std::path::Path;

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The names of all tests in the files named after the specification.
fn tests() -> BTreeSet<String> {
    let files = std::fs::read_dir(here())
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let specs = files.filter(|path| {
        path.file_name()
            .unwrap()
            .to_string_lossy()
            .starts_with("spec_")
    });
    specs
        .flat_map(|path| {
            let text = std::fs::read_to_string(path).unwrap();
            let names = text.lines().filter_map(|line| {
                Some(line.split_once("fn spec_")?.1.split_once('(')?.0.to_owned())
            });
            names.map(|name| format!("spec_{name}")).collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn every_rule_names_a_test_that_exists_and_every_test_stands_in_the_table() {
    let readme = std::fs::read_to_string(here().join("README.md")).unwrap();
    let rows = readme
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains("spec_"));
    let named: BTreeSet<String> = rows
        .map(|row| row.rsplit('`').nth(1).unwrap().to_owned())
        .collect();
    let written = tests();
    assert!(written.len() > 60, "{} tests were found", written.len());
    assert_eq!(
        named.difference(&written).collect::<Vec<_>>(),
        Vec::<&String>::new(),
        "named, but not written"
    );
    let unnamed: Vec<_> = written.difference(&named).collect();
    assert_eq!(unnamed, Vec::<&String>::new(), "written, but not named");
}
