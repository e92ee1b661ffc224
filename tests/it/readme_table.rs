//! The table in the README of these tests is true.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The folders of the four test programs.
const PROGRAMS: [&str; 4] = ["alone", "browser", "chaos", "it"];
/// Files that hold no tests.
const HELPERS: [&str; 3] = ["main.rs", "mod.rs", "own_process.rs"];

fn here() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns all files of tests in a folder and its folders, as paths from `here()` without `.rs`.
fn files_in(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(here().join(folder)).unwrap() {
        let name = PathBuf::from(entry.unwrap().file_name());
        let path = folder.join(&name);
        if here().join(&path).is_dir() {
            files.extend(files_in(&path));
        } else if !HELPERS.iter().any(|helper| name == Path::new(helper)) {
            files.push(path.with_extension(""));
        }
    }
    files
}

/// Names in the first column are paths such as `it/wire/lists`.
#[test]
fn every_other_file_of_tests_stands_in_the_table_and_no_other_does() {
    let readme = std::fs::read_to_string(here().join("README.md")).unwrap();
    let (_, table) = readme.split_once("## What else is proved here").unwrap();
    let rows = table.lines().filter(|line| line.starts_with("| `"));
    let named: BTreeSet<PathBuf> = rows
        .flat_map(|row| row.split('|').nth(1).unwrap().split('`').skip(1).step_by(2))
        .map(PathBuf::from)
        .collect();
    let written: BTreeSet<PathBuf> = PROGRAMS
        .iter()
        .flat_map(|program| files_in(Path::new(program)))
        .filter(|file| !file.starts_with("it/spec"))
        .collect();
    assert!(written.len() > 30, "{} files were found", written.len());
    assert_eq!(named, written);
}
