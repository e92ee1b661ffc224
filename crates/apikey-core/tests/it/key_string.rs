//! Key strings: their form, and that only the exact string is accepted.

use std::collections::HashSet;

use apikey_core::{KEY_REGEX, KeyFormatError, MAX_KEY_LEN, Prefix, PresentedKey, scan, scan_words};
use proptest::prelude::*;
use rand::RngExt;
use regex::Regex;

use crate::common::{key, rng};

const FIXED: &str = "acme_live_AbCdEfGh12345678_123456789ABCDEFGHJKLMNPQRSTUVWXYZ6ErTui";

const BASE58: &str = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

#[test]
fn a_key_has_the_published_form() {
    for prefix in ["gp", "a", "acme_live", "a_", "a23456789_123456789"] {
        let key = key(prefix, 1);
        let text = key.as_str();
        assert_eq!(text.len(), prefix.len() + 57);
        assert!(text.len() <= MAX_KEY_LEN);
        let rest = text
            .strip_prefix(prefix)
            .unwrap()
            .strip_prefix('_')
            .unwrap();
        let (id, secret) = rest.split_once('_').unwrap();
        assert_eq!((id.len(), secret.len()), (16, 39));
        assert!((id.to_owned() + secret).chars().all(|c| BASE58.contains(c)));
        assert_eq!(key.lookup().as_str(), id);
        assert_eq!(key.masked().as_str(), format!("{prefix}_{}…", &id[..8]));
    }
}

#[test]
fn key_string_parses_back_with_prefix_and_id() {
    for prefix in ["gp", "a", "acme_live", "a_", "a23456789_123456789"] {
        let key = key(prefix, 2);
        let parsed = PresentedKey::parse(key.as_str()).unwrap();
        assert_eq!(parsed.prefix(), prefix);
        assert_eq!(parsed.lookup(), key.lookup());
        assert_eq!(parsed.masked(), *key.masked());
        assert!(!parsed.is_imported());
    }
}

#[test]
fn the_checksum_is_that_of_the_published_rule() {
    // A fixed key, so that no later version stops accepting those in use. The checksum was computed
    // with another program: zlib's CRC-32, then base 58 manually.
    let key = PresentedKey::parse(FIXED).unwrap();
    assert_eq!(key.prefix(), "acme_live");
    assert_eq!(key.lookup().as_str(), "AbCdEfGh12345678");
}

#[test]
fn no_tampered_key_is_accepted() {
    let key = key("acme_live", 3);
    let original = key.as_str().as_bytes();
    let mut tampered: HashSet<Vec<u8>> = HashSet::new();
    for end in 0..original.len() {
        tampered.insert(original[..end].to_vec());
        tampered.insert(original[end + 1..].to_vec());
    }
    for at in 0..original.len() {
        for byte in 0..=0x7f {
            let mut changed = original.to_vec();
            changed[at] = byte;
            tampered.insert(changed);
            let mut longer = original.to_vec();
            longer.insert(at, byte);
            tampered.insert(longer);
        }
        let mut shorter = original.to_vec();
        shorter.remove(at);
        tampered.insert(shorter);
        let mut flipped = original.to_vec();
        flipped[at] ^= 0x20;
        tampered.insert(flipped);
        for other in at + 1..original.len() {
            let mut swapped = original.to_vec();
            swapped.swap(at, other);
            tampered.insert(swapped);
        }
    }
    for byte in 0..=0x7f {
        tampered.insert([original, &[byte]].concat());
    }
    for (from, to) in [
        ("acme_live", "acme_test"),
        ("acme", "Acme"),
        ("acme_live_", ""),
    ] {
        tampered.insert(key.as_str().replacen(from, to, 1).into_bytes());
    }
    tampered.insert(key.as_str().to_uppercase().into_bytes());
    tampered.insert(key.as_str().to_lowercase().into_bytes());
    tampered.remove(original);
    assert!(tampered.len() > 15_000);
    for text in &tampered {
        let text = std::str::from_utf8(text).unwrap();
        assert!(PresentedKey::parse(text).is_err(), "accepted {text:?}");
    }
    assert!(PresentedKey::parse(key.as_str()).is_ok());
}

#[test]
fn a_refused_key_says_which_rule_it_breaks() {
    let key = key("acme_live", 4);
    let text = key.as_str();
    let error = |text: &str| PresentedKey::parse(text).unwrap_err();
    assert_eq!(error(""), KeyFormatError::TooShort);
    assert_eq!(error(&text[10..]), KeyFormatError::TooShort);
    assert_eq!(error(&"a".repeat(77)), KeyFormatError::TooLong);
    assert_eq!(error(&format!("{text}{text}")), KeyFormatError::TooLong);
    assert_eq!(
        error(&text.replacen("acme_live", "acme-live", 1)),
        KeyFormatError::Prefix
    );
    assert_eq!(
        error(&text.replacen("acme_live", "9cme_live", 1)),
        KeyFormatError::Prefix
    );
    assert_eq!(error(&text[..text.len() - 1]), KeyFormatError::Separator);
    for separator in ["acme_live".len(), text.rfind('_').unwrap()] {
        let mut other = text.to_owned();
        other.replace_range(separator..=separator, "x");
        assert_eq!(error(&other), KeyFormatError::Separator);
        let mut other = text.to_owned();
        other.replace_range(separator + 1..separator + 2, "0");
        assert_eq!(error(&other), KeyFormatError::Alphabet);
    }
    assert_eq!(
        error(&format!("{}0", &text[..text.len() - 1])),
        KeyFormatError::Alphabet
    );
    assert_eq!(
        error(&text.replacen("live", "life", 1)),
        KeyFormatError::Checksum
    );
}

#[test]
fn keys_do_not_repeat() {
    let mut rng = rng(5);
    let prefix = Prefix::default();
    let mut ids = HashSet::new();
    let mut texts = HashSet::new();
    for _ in 0..10_000 {
        let key = apikey_core::KeyString::generate(&prefix, &mut rng).unwrap();
        assert!(ids.insert(key.lookup()));
        assert!(texts.insert(key.as_str()[20..].to_owned()));
    }
}

#[test]
fn published_key_regexes_match_only_whole_keys() {
    let any = Regex::new(KEY_REGEX).unwrap();
    let prefix: Prefix = "acme_live".parse().unwrap();
    let ours = Regex::new(&prefix.regex()).unwrap();
    for seed in 0..500 {
        let key = key("acme_live", seed);
        let text = format!("curl -H \"Authorization: Bearer {}\" url", key.as_str());
        assert_eq!(&any.captures(&text).unwrap()[1], key.as_str());
        assert_eq!(&ours.captures(&text).unwrap()[1], key.as_str());
        assert!(!ours.is_match(&key.as_str()[..65]));
    }
    assert!(!ours.is_match(key("acme_test", 1).as_str()));
    assert!(include_str!("../../README.md").contains(&prefix.regex()));
}

#[test]
fn scan_words_finds_delimited_keys_of_any_prefix() {
    let (a, b) = (key("acme_live", 1), key("x", 2));
    for (before, between, after) in [
        ("", " ", ""),
        ("é", "\u{1f511}", "\u{202e}"),
        ("KEY=", "\n-", "…"),
        ("a b_c _ __ 'x' ", "\"\\\"", " z"),
    ] {
        let text = format!("{before}{}{between}{}{after}", a.as_str(), b.as_str());
        let found: Vec<_> = scan_words(&text).collect();
        let words = found
            .iter()
            .map(|found| &text[found.offset..found.offset + found.len]);
        assert_eq!(
            words.collect::<Vec<_>>(),
            [a.as_str(), b.as_str()],
            "{text}"
        );
        assert_eq!(found[0].key.lookup(), a.lookup());
    }
    for none in ["", "é", "_", "acme_live"] {
        assert_eq!(scan_words(none).count(), 0);
    }
    let glued = format!("{}{}", a.as_str(), b.as_str());
    let cut = &a.as_str()[..a.as_str().len() - 1];
    assert_eq!(scan_words(&glued).count() + scan_words(cut).count(), 0);
}

#[test]
fn scan_finds_and_verifies_keys_in_any_text() {
    let prefix: Prefix = "gp".parse().unwrap();
    let (one, two) = (key("gp", 1), key("gp", 2));
    let other = key("other", 3);
    let mut wrong = two.as_str().to_owned();
    wrong.replace_range(30..31, if &wrong[30..31] == "x" { "y" } else { "x" });
    let (a, b) = (one.as_str(), two.as_str());
    let text = format!("é gp_gp_{a}{b}\n{wrong} {} …gp_ü{a}", other.as_str());
    let found: Vec<_> = scan(&text, &prefix)
        .map(|found| &text[found.offset..found.offset + found.len])
        .collect();
    assert_eq!(found, [a, b, a]);
    let debug = format!("{:?}", scan(&text, &prefix).collect::<Vec<_>>());
    assert!(!debug.contains(&a[20..]));
}

proptest! {
    #[test]
    fn parsing_never_panics_and_accepts_only_checksummed_keys(text in ".{0,90}") {
        prop_assert!(PresentedKey::parse(&text).is_err());
    }

    #[test]
    fn noise_in_the_right_alphabet_is_refused(text in "[a-z_]{1,19}_[1-9A-HJ-NP-Za-km-z]{16}_[1-9A-HJ-NP-Za-km-z]{39}") {
        prop_assert!(PresentedKey::parse(&text).is_err());
    }

    #[test]
    fn scanning_never_panics_whatever_surrounds_a_key(before in ".{0,80}", after in ".{0,80}", seed in 0u64..50) {
        let key = key("gp", seed);
        let text = format!("{before}{}{after}", key.as_str());
        let found: Vec<_> = scan(&text, &Prefix::default()).collect();
        prop_assert_eq!(found.len(), 1);
        prop_assert_eq!(found[0].offset, before.len());
    }

    #[test]
    fn several_random_changes_are_refused(seed in 0u64..1000, changes in 2usize..10) {
        let key = key("gp", seed);
        let mut text = key.as_str().as_bytes().to_vec();
        let mut rng = rng(seed);
        for _ in 0..changes {
            let at = rng.random_range(0..text.len());
            text[at] = BASE58.as_bytes()[rng.random_range(0..58)];
        }
        let text = String::from_utf8(text).unwrap();
        prop_assume!(text != key.as_str());
        prop_assert!(PresentedKey::parse(&text).is_err());
    }
}
