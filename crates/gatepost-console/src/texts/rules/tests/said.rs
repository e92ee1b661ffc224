//! The sentences of the crates below, as they are in their sources.

mod lists;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use self::lists::{NO_PAGE, OWN, PARTS, SOURCES, URLS, WHOLE};
use super::super::{PATTERNS, recognized};

#[test]
fn each_sentence_of_the_crates_below_is_recognized() {
    let mut unknown = BTreeSet::new();
    let mut found = 0;
    for file in files() {
        for literal in literals(&std::fs::read_to_string(&file).unwrap()) {
            if !is_sentence(&literal) || is_elsewhere(&literal) {
                continue;
            }
            found += 1;
            if !samples(&literal)
                .iter()
                .any(|said| recognized(said).is_some())
            {
                unknown.insert((literal, file.clone()));
            }
        }
    }
    assert!(found > 200, "{found}");
    assert!(unknown.is_empty(), "no text is for {unknown:#?}");
}

#[test]
fn rule_patterns_all_occur_in_lower_crates() {
    let said: BTreeSet<&str> = files()
        .iter()
        .flat_map(|file| literals(&std::fs::read_to_string(file).unwrap()))
        .flat_map(|literal| samples(&literal))
        .filter_map(|sample| recognized(&sample).map(|(pattern, _)| pattern.name))
        .chain(URLS)
        .chain(WHOLE)
        .collect();
    let all: BTreeSet<&str> = PATTERNS.iter().map(|pattern| pattern.name).collect();
    let unsaid: Vec<_> = all.difference(&said).collect();
    assert!(unsaid.is_empty(), "nothing says {unsaid:#?}");
}

#[test]
fn exempt_sentences_all_occur_in_lower_crates() {
    let said: BTreeSet<String> = files()
        .iter()
        .flat_map(|file| literals(&std::fs::read_to_string(file).unwrap()))
        .collect();
    for literal in PARTS.iter().chain(&OWN).chain(&NO_PAGE) {
        assert!(said.contains(*literal), "{literal}");
    }
}

#[test]
fn a_sentence_that_is_new_is_found() {
    let source = r#"
        /// "in a comment"
        fn rule() { wrong(format!("must be at most {most} elephants")); '"'; b'"'; "a \
            b" }
        #[cfg(test)] mod tests { "of a test" }"#;
    assert_eq!(
        literals(source),
        ["must be at most {most} elephants", "a b"]
    );
    let samples = samples("must be at most {most} elephants");
    assert_eq!(samples[0], "must be at most 7 elephants");
    assert!(samples.iter().all(|said| recognized(said).is_none()));
}

fn files() -> Vec<PathBuf> {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut all = Vec::new();
    for source in SOURCES {
        add(&crates.join(source), &mut all);
    }
    all
}

fn add(path: &Path, all: &mut Vec<PathBuf>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if path.is_dir() {
        for entry in std::fs::read_dir(path).unwrap() {
            add(&entry.unwrap().path(), all);
        }
    } else if !name.contains("tests") && !path.components().any(|part| part.as_os_str() == "tests")
    {
        all.push(path.to_owned());
    }
}

/// Returns the text literals of a source, without those of comments and tests.
fn literals(source: &str) -> Vec<String> {
    let code = source.split("#[cfg(test)]").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim().starts_with("//"));
    let code = lines.collect::<Vec<_>>().join("\n").replace("'\"'", "");
    let mut found = Vec::new();
    let reasons = code.split("reason = \"").enumerate();
    let code: String = reasons
        .map(|(at, part)| match at {
            0 => part,
            _ => part.split_once('"').unwrap().1,
        })
        .collect();
    let mut letters = code.chars().peekable();
    while letters.by_ref().any(|letter| letter == '"') {
        let mut literal = String::new();
        while let Some(letter) = letters.next().filter(|letter| *letter != '"') {
            match letter {
                '\\' => match letters.next() {
                    Some('\n') => while letters.next_if(|next| next.is_whitespace()).is_some() {},
                    escaped => literal.extend(escaped),
                },
                other => literal.push(other),
            }
        }
        found.push(literal);
    }
    found
}

fn is_elsewhere(literal: &str) -> bool {
    [&PARTS[..], &OWN, &NO_PAGE]
        .iter()
        .any(|all| all.contains(&literal))
}

/// Whether a literal has several words, one of them longer than two letters.
fn is_sentence(literal: &str) -> bool {
    let word = |word: &str| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    literal.contains(' ') && literal.split(' ').any(word)
}

/// Returns the texts that a literal may become with values.
fn samples(literal: &str) -> Vec<String> {
    let literal = literal.replace("{{", "\u{1}").replace("}}", "\u{2}");
    let literal = literal.replace("${APIKEY}", "$\u{1}APIKEY\u{2}");
    let mut all = vec![String::new()];
    let mut rest = literal.as_str();
    while let Some((before, after)) = rest.split_once('{') {
        let values = ["7", "some", "is required"];
        let with = |said: &String| values.map(|value| format!("{said}{before}{value}"));
        all = all.iter().flat_map(with).collect();
        rest = after.split_once('}').unwrap().1;
    }
    let whole = |said: &String| {
        format!("{said}{rest}")
            .replace('\u{1}', "{")
            .replace('\u{2}', "}")
    };
    all.iter().map(whole).collect()
}
