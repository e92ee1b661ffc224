//! Every proof that `docs/security/guarantees.md` names exists, and every test that
//! `docs/reference/compare.md` names.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns whether there is a file or folder of tests: `chaos/kill`, or a path from the root.
fn exists(proof: &str) -> bool {
    let of_the_whole = root().join("tests").join(proof);
    of_the_whole.is_dir()
        || of_the_whole.with_extension("rs").is_file()
        || root().join(proof).exists()
}

/// Returns the names in backquotes in the second column of the tables.
fn proofs(text: &str) -> Vec<(&str, Vec<&str>)> {
    let rows = text.lines().filter(|line| line.starts_with("| "));
    let rows = rows.filter(|line| !line.starts_with("| promise"));
    let named = rows.map(|line| {
        let cell = line.split('|').nth(2).unwrap_or_default();
        (line, cell.split('`').skip(1).step_by(2).collect())
    });
    named.collect()
}

#[test]
fn every_promise_names_proofs_that_exist() {
    let text = std::fs::read_to_string(root().join("docs/security/guarantees.md")).unwrap();
    let rows = proofs(&text);
    assert!(rows.len() > 20, "{} promises were found", rows.len());
    for (line, proofs) in rows {
        assert!(!proofs.is_empty(), "no proof: {line}");
        for proof in proofs {
            assert!(exists(proof), "`{proof}` does not exist: {line}");
        }
    }
    assert!(!exists("chaos/nothing"), "a control");
}

/// Returns the names in backquotes in the last column of the rows that contain ✔.
fn compared(text: &str) -> Vec<&str> {
    let rows = text.lines().filter(|line| line.contains("| ✔"));
    let cells = rows.filter_map(|line| line.trim_end_matches(" |").rsplit_once("| "));
    let names = cells.flat_map(|(_, cell)| cell.split('`').skip(1).step_by(2));
    names.collect()
}

/// Returns whether there is a test of this name: of the whole, or of a crate.
fn is_a_test(name: &str) -> bool {
    let crates = std::fs::read_dir(root().join("crates")).unwrap();
    let crates = crates.map(|krate| krate.unwrap().path());
    let folders = crates.flat_map(|krate| ["tests/it", "tests", "src"].map(|of| krate.join(of)));
    let of_the_whole =
        ["it", "browser", "alone", "chaos", "."].map(|of| root().join("tests").join(of));
    let mut folders = of_the_whole.into_iter().chain(folders);
    folders.any(|folder| {
        let path = folder.join(name);
        path.is_dir() || path.with_extension("rs").is_file()
    })
}

#[test]
fn comparison_rows_name_existing_tests() {
    let text = std::fs::read_to_string(root().join("docs/reference/compare.md")).unwrap();
    let named = compared(&text);
    assert!(named.len() > 35, "{} were found", named.len());
    for name in named {
        let is_a_crate = root().join("crates").join(name).is_dir();
        assert!(is_a_crate || is_a_test(name), "`{name}` does not exist");
    }
    assert!(!is_a_test("wire/nothing"), "a control");
}
