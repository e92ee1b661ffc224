//! Characters around a pasted text are dropped, and a file in which a key is saved holds only the
//! key.

use apikey_core::{
    IpList, KEY_REGEX, KeyName, Peppers, Prefix, ScopeNames, TableNames, bearer, scan, scan_words,
};
use regex::Regex;

use crate::common::{draft, issue};

/// Characters that files, pages, chats and dialogs put around a text.
const AROUND: [&str; 7] = [
    " ",
    "\n",
    "\r\n",
    "\t",
    "\u{feff}",
    "\u{200b}",
    "\u{202a}\u{2068}",
];

#[test]
fn pasted_name_and_lists_lose_their_surroundings() {
    for around in AROUND {
        let of = |text: &str| format!("{around}{text}{around}");
        assert_eq!(of("ci b").parse::<KeyName>().unwrap().as_str(), "ci b");
        assert!(of("").parse::<KeyName>().is_err(), "{around:?}");
        let list = of(&format!("10.0.0.1{around},{around}!::1")).parse::<IpList>();
        assert_eq!(list.unwrap().to_string(), "10.0.0.1,!::1", "{around:?}");
        assert!(of("").parse::<IpList>().unwrap().is_empty(), "{around:?}");
        let tables = of(&format!("vms{around},{around}users")).parse::<TableNames>();
        assert_eq!(tables.unwrap().to_string(), "users,vms", "{around:?}");
        assert!(of("").parse::<ScopeNames>().unwrap().is_empty());
    }
    let longest = format!("\u{feff}{}\n", "x".repeat(128));
    assert!(longest.parse::<KeyName>().is_ok());
    assert_eq!(KeyName::stored(" ci ").unwrap().as_str(), " ci ");
}

/// `"Bearer " + file` is a header that every HTTP client sends and the request parser accepts;
/// older files, which end with a newline, are found as well.
#[test]
fn saved_key_is_found_with_and_without_newline() {
    let (record, once) = issue(draft(), &Peppers::none()).into_parts();
    let key = once.reveal();
    let saved = key.pak(&record.name);
    assert_eq!(saved.contents(), key.as_str());
    let prefix: Prefix = "acme_live".parse().unwrap();
    let header = format!("Bearer {}", saved.contents());
    assert_eq!(bearer::token_of([header.as_bytes()]), Ok(key.as_str()));
    for text in [
        saved.contents().to_owned(),
        format!("{}\n", key.as_str()),
        format!("\u{feff}{}\r\n", key.as_str()),
    ] {
        let found = |regex: &str| {
            let found = Regex::new(regex).unwrap().captures(&text).unwrap();
            found[1].to_owned()
        };
        assert_eq!(found(KEY_REGEX), key.as_str(), "{text:?}");
        assert_eq!(found(&prefix.regex()), key.as_str());
        assert_eq!(scan(&text, &prefix).count(), 1, "{text:?}");
        assert_eq!(scan_words(&text).count(), 1, "{text:?}");
    }
}
