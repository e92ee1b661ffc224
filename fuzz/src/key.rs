//! Key strings: a parsed key has only one spelling, and one changed letter is detected.

use apikey_core::{Prefix, PresentedKey, bearer, scan};

pub(crate) fn holds(input: (&str, usize, char)) {
    let (text, at, letter) = input;
    let _ = bearer::token_of([text.as_bytes()]);
    if let Ok(prefix) = text.parse::<Prefix>() {
        assert_eq!(prefix.as_str().parse::<Prefix>().as_ref(), Ok(&prefix));
    }
    for found in scan(text, &"gp".parse().unwrap()) {
        let own = &text[found.offset..found.offset + found.len];
        assert_eq!(
            PresentedKey::parse(own).unwrap().lookup(),
            found.key.lookup()
        );
    }
    let Ok(key) = PresentedKey::parse(text) else {
        return;
    };
    let lookup = key.lookup();
    assert!(text.contains(lookup.as_str()) && text.starts_with(key.prefix()));
    assert!(!format!("{key:?}").contains(&text[text.len() - 20..]));
    assert!(key.masked().as_str().contains(lookup.as_str()));
    for other in [format!(" {text}"), format!("{text} "), format!("{text}x")] {
        assert!(PresentedKey::parse(&other).is_err(), "{other}");
    }
    // CRC-32 finds every change of one letter.
    let mut letters: Vec<char> = text.chars().collect();
    let at = at % letters.len();
    if letters[at] != letter && letters[at].is_ascii() && letter.is_ascii() {
        letters[at] = letter;
        let changed: String = letters.into_iter().collect();
        assert!(
            PresentedKey::parse(&changed).is_err(),
            "{text} and {changed}"
        );
    }
}
