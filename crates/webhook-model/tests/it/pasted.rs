//! Characters around a pasted text are dropped; those inside are subject to the rule of the field.

use webhook_model::{
    Channels, ClientIdentity, EventLabel, Headers, Message, RetrySchedule, SigningSecret,
    TargetUrl, TaskName, WebhookName,
};

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
fn pasted_name_and_url_lose_their_surroundings() {
    for around in AROUND {
        let of = |text: &str| format!("{around}{text}{around}");
        let url = of("https://example.com/in").parse::<TargetUrl>();
        assert_eq!(
            url.unwrap().as_str(),
            "https://example.com/in",
            "{around:?}"
        );
        assert_eq!(of("a b").parse::<WebhookName>().unwrap().as_str(), "a b");
        assert_eq!(of("a b").parse::<TaskName>().unwrap().as_str(), "a b");
        assert_eq!(of("a b").parse::<EventLabel>().unwrap().as_str(), "a b");
        assert!(of("").parse::<WebhookName>().is_err(), "{around:?}");
        assert!(of("").parse::<TargetUrl>().is_err(), "{around:?}");
    }
    for inside in ["a\nb", "a\u{200b}b", "a\u{feff}b"] {
        assert!(inside.parse::<WebhookName>().is_err(), "{inside:?}");
    }
    let longest = format!("\u{feff}{}\n", "x".repeat(128));
    assert!(longest.parse::<WebhookName>().is_ok());
}

#[test]
fn stored_name_keeps_its_surroundings() {
    assert_eq!(WebhookName::stored(" a ").unwrap().as_str(), " a ");
}

#[test]
fn pasted_lists_and_secrets_lose_their_surroundings() {
    let secret = format!("whsec_{}", "A".repeat(32));
    for around in AROUND {
        let of = |text: &str| format!("{around}{text}{around}");
        let read = SigningSecret::parse(&of(&secret)).unwrap();
        assert_eq!(read.expose(), secret, "{around:?}");
        let channels: Channels = of("a,b").parse().unwrap();
        assert_eq!(channels.to_string(), "a, b", "{around:?}");
        let schedule: RetrySchedule = of("5s, 1m").parse().unwrap();
        assert_eq!(schedule.to_string(), "5s, 1m", "{around:?}");
        let headers = Headers::parse_lines(&of("X-A: 1\nX-B: 2")).unwrap();
        assert_eq!(headers.to_string(), "X-A:1\nX-B:2\n", "{around:?}");
        assert!(Headers::parse_lines(&of("")).unwrap().is_empty());
    }
}

#[test]
fn pem_after_a_byte_order_mark_is_read() {
    let certificate = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
    let key = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";
    let marked = |text: &str| format!("\u{feff}{text}");
    let read = ClientIdentity::new(&marked(certificate), &marked(key)).unwrap();
    assert_eq!(read.certificate(), certificate);
    assert_eq!(read.key().expose(), key);
}

#[test]
fn message_is_kept_byte_for_byte() {
    for text in ["\u{feff}{\"a\": 1}\n", " x \u{feff}"] {
        assert_eq!(text.parse::<Message>().unwrap().as_str(), text);
    }
}
