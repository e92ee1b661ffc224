//! Every proof that `docs/promises.md` names exists.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file or folder of tests: `chaos/kill`, or a path from the root.
fn exists(proof: &str) -> bool {
    let of_the_whole = root().join("tests").join(proof);
    of_the_whole.is_dir()
        || of_the_whole.with_extension("rs").is_file()
        || root().join(proof).exists()
}

/// What is in backquotes in the second column of the tables.
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
    let text = std::fs::read_to_string(root().join("docs/promises.md")).unwrap();
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
