//! The sentences of the crates below, as their sources have them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::{PATTERNS, recognized};

/// Where sentences are that get onto pages, below the folder of all crates.
const SOURCES: [&str; 35] = [
    "apikey-core/src/grant/name.rs",
    "apikey-core/src/grant/names.rs",
    "apikey-core/src/ip",
    "apikey-core/src/key/string.rs",
    "apikey-core/src/rate/limit.rs",
    "apikey-core/src/record",
    "delivery/src/egress/refusal.rs",
    "delivery/src/egress/special.rs",
    "delivery/src/identity/error.rs",
    "delivery/src/outcome",
    "delivery/src/request/error.rs",
    "delivery/src/sign/key.rs",
    "gatepost-engine/src/config/policy.rs",
    "gatepost-engine/src/error.rs",
    "gatepost-engine/src/judge/hearing.rs",
    "gatepost-engine/src/judge/limits.rs",
    "gatepost-engine/src/operational/catalog.rs",
    "gatepost-engine/src/records",
    "gatepost-engine/src/tokens/fetch.rs",
    "gatepost-keys/src/error.rs",
    "gatepost-manage/src/error",
    "gatepost-manage/src/events.rs",
    "gatepost-manage/src/grantable.rs",
    "gatepost-storage/src/restored/deliveries.rs",
    "gatepost-storage/src/sealed/store.rs",
    "gatepost-storage/src/webhooks/fetched.rs",
    "gatepost-storage/src/webhooks/log.rs",
    "gatepost-storage/src/webhooks/queue.rs",
    "webhook-model/src/data.rs",
    "webhook-model/src/event",
    "webhook-model/src/filter",
    "webhook-model/src/template/render.rs",
    "webhook-model/src/template/run_variables.rs",
    "webhook-model/src/text.rs",
    "webhook-model/src/webhook",
];

/// Parts of sentences: each of those is a text as a whole.
const PARTS: [&str; 15] = [
    " (second request, with a new access token)",
    " and ",
    "; so must {}",
    "Bearer (an access token)",
    "IP allow list",
    "IP deny list",
    "This user has",
    "You have",
    "a text, a number, true, false or null",
    "must be sent again or cleared, for the webhook would send it to another origin or under any certificate{also}",
    "use $eq, $ne, $in, $nin, $gt, $gte, $lt, $lte, $exists or $or",
    "{name} must be {SCALARS}",
    "{} is not known; {known}",
    "{} requests per minute",
    "each {RULE}",
];
/// For these a page has texts of its own, by the variant of the error.
const OWN: [&str; 22] = [
    "{}: does not exist",
    "records of this user are not the caller's to manage",
    "tasks use this webhook: {}",
    "the row cannot be read; it can be deleted",
    "the row is not in a state for that",
    "there is no such row",
    "{field}: does not exist",
    "the platform's code panicked",
    "the platform gave no answer: {0}",
    "the store failed",
    "the store failed after {queued} deliveries were queued",
    "it could not say whether this may be watched",
    "its code panicked when asked for a quota",
    "a key that is {from:?} has no move {by:?}",
    "another user has the key of that token",
    "keys of this user are not the caller's to manage",
    "the keys of this user are changed too often",
    "the user has a key of that name",
    "the user has {have} of {most} keys",
    "there is no such key",
    "user: there is no such user",
    "a webhook of that name exists",
];
/// Of calls that no page makes, and for developers and the log of the process.
const NO_PAGE: [&str; 22] = [
    "by hand",
    "is push: the messages of this webhook are sent, not fetched",
    "must be a cursor that this webhook's messages came with",
    "must be at most 1 MiB long; report it in parts",
    "must hold at most 1,000 keys; report it in parts",
    "accounts cannot be asked",
    "an error without a meaning of its own",
    "the platform gave no answer",
    "too few results",
    "event: is not an event of this type",
    "must be 1 to 128 visible ASCII characters",
    "must be 1 to 64 letters, digits and _, no digit first, and not built in",
    "must be 1 to {MAX_CHOSEN} webhooks",
    "nobody said who may receive what: call exactly one of one_system, addressed_only and watch on the builder",
    "owner: an object or a tag is required for this event type",
    "owner: this event type takes neither an object nor a tag",
    "table: is not a known event type",
    "the clock cannot be read",
    "the platform's catalog has a type {0} itself, which operational events would be of",
    "the platform's clock panicked",
    "this machine's clock and the database server's differ by {0} seconds; at most 30 are allowed",
    "{count} occurrences in one call; at most {most} are allowed",
];

/// Made of [`PARTS`].
const WHOLE: [&str; 11] = [
    "rules-each-must-be-1-to",
    "rules-is-not-known-use-eq",
    "rules-it-responded-with-status-and-code",
    "rules-must-be-at-most-requests",
    "rules-must-be-sent-again-or",
    "rules-must-be-sent-again-or-cleared",
    "rules-must-be-text-number-true",
    "rules-must-be-text-number-true-false",
    "rules-second-request-with-new-access",
    "rules-this-user-has-of",
    "rules-you-have-of",
];
/// Of the crate `url`, in its words.
const URLS: [&str; 10] = [
    "rules-empty-host",
    "rules-invalid-international-domain-name",
    "rules-invalid-port-number",
    "rules-invalid-ipv4-address",
    "rules-invalid-ipv6-address",
    "rules-invalid-domain-character",
    "rules-relative-url-without-base",
    "rules-relative-url-with-cannot-be",
    "rules-cannot-be-base-url-doesn",
    "rules-urls-more-than-4-gb",
];

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
fn each_text_is_a_sentence_of_the_crates_below() {
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
fn what_is_elsewhere_is_said_somewhere() {
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

/// The text literals of a source, without those of comments and tests.
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

/// Several words, of which one is longer than two letters.
fn is_sentence(literal: &str) -> bool {
    let word = |word: &str| word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_lowercase());
    literal.contains(' ') && literal.split(' ').any(word)
}

/// What a literal may become with values in its places.
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
