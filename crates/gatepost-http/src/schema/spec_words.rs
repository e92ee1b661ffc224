//! The words of SPEC that differ from the wire's: requests may use them, in any case. Responses use
//! the wire's words.

/// SPEC's word in lower case, and the wire's. `Basic`, `None` and `Send` differ only in case.
const WORDS: [(&str, &str); 5] = [
    ("api key", "apikey"),
    ("bearer token", "bearer"),
    ("never expire", "never"),
    ("set date", "date"),
    ("webhook", "webhook_urls"),
];

/// Returns the wire's word for this one, if the column may have it.
pub(super) fn on_the_wire(word: &str, allowed: &[&'static str]) -> Option<&'static str> {
    let spec = WORDS
        .iter()
        .find(|(spec, _)| word.eq_ignore_ascii_case(spec));
    let word = spec.map_or(word, |(_, wire)| wire);
    let mut allowed = allowed.iter().copied();
    allowed.find(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_spec_are_recognized_in_any_case() {
        let expires = ["date", "never"];
        let authorization = ["none", "basic", "bearer", "apikey"];
        for (word, allowed, expected) in [
            ("Set Date", &expires[..], Some("date")),
            ("never expire", &expires, Some("never")),
            ("NEVER", &expires, Some("never")),
            ("Bearer Token", &authorization, Some("bearer")),
            ("API Key", &authorization, Some("apikey")),
            ("api KEY", &authorization, Some("apikey")),
            ("Basic", &authorization, Some("basic")),
            ("None", &authorization, Some("none")),
            ("Webhook", &["webhook_urls"], Some("webhook_urls")),
            ("Send", &["send"], Some("send")),
            ("Set Date", &authorization, None),
            ("Webhook", &["custom"], None),
            ("soon", &expires, None),
            ("", &expires, None),
        ] {
            assert_eq!(on_the_wire(word, allowed), expected, "{word}");
        }
    }
}
