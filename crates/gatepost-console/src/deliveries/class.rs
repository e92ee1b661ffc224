//! How an attempt may end without success, and what that is called.

use std::borrow::Cow;

use crate::texts::Texts;

/// The words of the log, which filters take as well.
const CLASSES: [&str; 12] = [
    "build",
    "connect",
    "dns",
    "protocol",
    "proxy",
    "refused",
    "reset",
    "status",
    "timeout",
    "tls",
    "token",
    "too_large",
];

/// The class of this word, if there is one.
pub(super) fn class(word: &str) -> Option<&'static str> {
    CLASSES.into_iter().find(|class| *class == word)
}

/// What the class of an attempt is called: the word itself where it has no name.
pub(super) fn class_name<'a>(texts: &'a Texts, class: &'a str) -> Cow<'a, str> {
    match class {
        "ok" => texts.of("deliveries-class-ok"),
        "build" => texts.of("deliveries-class-build"),
        "connect" => texts.of("deliveries-class-connect"),
        "dns" => texts.of("deliveries-class-dns"),
        "protocol" => texts.of("deliveries-class-protocol"),
        "proxy" => texts.of("deliveries-class-proxy"),
        "refused" => texts.of("deliveries-class-refused"),
        "reset" => texts.of("deliveries-class-reset"),
        "status" => texts.of("deliveries-class-status"),
        "timeout" => texts.of("deliveries-class-timeout"),
        "tls" => texts.of("deliveries-class-tls"),
        "token" => texts.of("deliveries-class-token"),
        "too_large" => texts.of("deliveries-class-too-large"),
        other => other.into(),
    }
}

/// The classes to choose from.
pub(super) fn class_choices(texts: &Texts) -> Vec<(String, String)> {
    CLASSES
        .map(|class| (class.to_owned(), class_name(texts, class).into_owned()))
        .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_class_has_a_name() {
        let texts = Texts::english();
        for class in CLASSES {
            // What has no name is called by the word itself, at the same address.
            let name = class_name(&texts, class);
            assert!(!std::ptr::eq(class.as_ptr(), name.as_ptr()), "{class}");
        }
        assert_eq!(class_name(&texts, "other"), "other");
    }
}
