//! Names and descriptions contain no characters that cannot be seen.

use proptest::prelude::*;
use webhook_model::{Description, WebhookName, hidden_character, mark_hidden, trim_pasted};

/// Texts in which hidden characters meet each other, letters, emoji and the ends.
fn text() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("a".to_owned()),
        Just("خ".to_owned()),
        Just("👩".to_owned()),
        Just("1\u{fe0f}\u{20e3}".to_owned()),
        "[\u{200b}-\u{200f}\u{202a}-\u{202e}\u{2066}-\u{2069}\u{fe00}-\u{fe0f}\u{ad}\u{feff}]",
        any::<char>().prop_map(String::from),
    ];
    prop::collection::vec(part, 0..12).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn hidden_characters_are_refused_and_shown_by_marking(text in text()) {
        let marked = mark_hidden(&text);
        prop_assert_eq!(hidden_character(&marked), None, "{:?}", marked);
        match hidden_character(&text) {
            None => prop_assert_eq!(&marked, &text),
            Some(c) => {
                prop_assert!(text.contains(c) && marked.len() > text.len());
                prop_assert!(text.parse::<Description>().is_err());
            }
        }
        // White space around a name is dropped.
        if hidden_character(trim_pasted(&text)).is_some() {
            prop_assert!(text.parse::<WebhookName>().is_err());
        }
        if let Ok(name) = text.parse::<WebhookName>() {
            let overrides = ['\u{202a}', '\u{202e}', '\u{2066}', '\u{2069}'];
            prop_assert!(!name.as_str().contains(overrides));
        }
        // A stored value loads.
        let control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
        prop_assert_eq!(Description::stored(&text).is_ok(), !text.contains(control));
    }
}
