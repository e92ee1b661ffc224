//! Hiding, with credentials and texts that their owner may choose.

use proptest::collection::vec;
use proptest::prelude::{Strategy, prop_assert, prop_assert_eq};
use proptest::sample::select;
use webhook_model::{Headers, OAuth2, OwnerId};

use super::*;

/// Pieces of credentials, of the marker and of escapes.
const PIECES: [&str; 22] = [
    "den)", "(hid", "hidden", "(", ")", "a", "b", "aaaa", "abab", "\\", "\\", "/", "u0061",
    "\\u0061", "%61", "%", "6", "&#97;", "&", ";", "+", " ",
];

fn credentials(authorization: Authorization, headers: &str) -> Credentials {
    let url = "https://example.com/".parse().unwrap();
    let webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
    let headers = Headers::parse_lines(headers).unwrap();
    Credentials::of(&Webhook {
        authorization,
        headers,
        ..webhook
    })
}

fn hidden(credentials: &Credentials, text: &str, cut: bool) -> String {
    String::from_utf8(credentials.hide(text.as_bytes(), cut)).unwrap()
}

#[test]
fn credentials_repeated_by_target_are_hidden() {
    let bearer = credentials(
        Authorization::bearer("abc123").unwrap(),
        "Cookie: sess=1\nX-Plain: open",
    );
    let echoed =
        r#"{"authorization":"Bearer abc123","token":"abc123","cookie":"sess=1","x-plain":"open"}"#;
    let expected =
        r#"{"authorization":"(hidden)","token":"(hidden)","cookie":"(hidden)","x-plain":"open"}"#;
    assert_eq!(hidden(&bearer, echoed, false), expected);
    let basic = credentials(Authorization::basic("ada", "pass\"word").unwrap(), "");
    let echoed = r#"Basic YWRhOnBhc3Mid29yZA== is ada:pass"word, as JSON "pass\"word""#;
    assert_eq!(
        hidden(&basic, echoed, false),
        r#"(hidden) is (hidden), as JSON "(hidden)""#
    );
}

#[test]
fn access_tokens_and_client_secret_are_hidden() {
    let url = "https://example.com/".parse().unwrap();
    let client = OAuth2::new("https://id.example.com/", "me", "cl1ent-s3cret").unwrap();
    let webhook = Webhook {
        authorization: Authorization::OAuth2(Box::new(client)),
        ..Webhook::new(OwnerId(1), "w".parse().unwrap(), url)
    };
    let tokens = [Secret::new("t0ken-a"), Secret::new("t0ken-b")];
    let credentials = Credentials::of(&webhook);
    let credentials = credentials.with(&tokens);
    let echoed = "Bearer t0ken-a, t0ken-b of me: cl1ent-s3cret";
    let expected = "Bearer (hidden), (hidden) of me: (hidden)";
    assert_eq!(hidden(&credentials, echoed, false), expected);
}

#[test]
fn only_long_url_parts_are_hidden() {
    let url = "https://chat.example/services/T0000/abcdefghijklmnopqrst?key=0123456789abcdef&a=b";
    let webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url.parse().unwrap());
    let echoed = "Cannot POST /services/T0000/abcdefghijklmnopqrst?key=0123456789abcdef&a=b";
    assert_eq!(
        hidden(&Credentials::of(&webhook), echoed, false),
        "Cannot POST /services/T0000/(hidden)?key=(hidden)&a=b"
    );
}

#[test]
fn text_without_credentials_is_unchanged() {
    let none = credentials(Authorization::None, "X-Plain: open");
    let bearer = credentials(Authorization::bearer("abc123").unwrap(), "");
    for text in ["", "ok", "abc12", "ABC123", "open", "ab abc1 abcabc12"] {
        assert_eq!(hidden(&none, text, true), text);
        assert_eq!(hidden(&bearer, text, false), text);
    }
    assert_eq!(bearer.hide(&[0xff, 0], false), [0xff, 0]);
}

#[test]
fn truncated_credential_is_hidden_too() {
    let bearer = credentials(Authorization::bearer("abc123def456").unwrap(), "");
    assert_eq!(
        hidden(&bearer, "you sent abc123d", true),
        "you sent (hidden)"
    );
    assert_eq!(
        hidden(&bearer, "you sent Bearer abc", true),
        "you sent (hidden)"
    );
    assert_eq!(
        hidden(&bearer, "you sent abc", true),
        "you sent abc",
        "three characters say little"
    );
    assert_eq!(
        hidden(&bearer, "aabcabc123def456 abc1", true),
        "aabc(hidden) (hidden)"
    );
}

/// Returns header lines whose values are pieces of the marker that replaces them, in turn.
fn of_markers(pairs: usize) -> Credentials {
    let pair = "X-Token: den)\nX-Token: (hid\n";
    credentials(Authorization::None, &pair.repeat(pairs))
}

#[test]
fn hiding_pieces_of_the_marker_does_not_grow() {
    for pairs in [1, 2, 6, 16, 50] {
        let text = "den)(hid";
        let shown = of_markers(pairs).hide(text.as_bytes(), false);
        assert!(
            shown.len() <= 2 * text.len() + 8,
            "{pairs}: {}",
            shown.len()
        );
    }
}

#[test]
fn overlapping_credentials_leave_no_byte_visible() {
    let two = credentials(Authorization::None, "X-Token: abcdef\nX-Key: efgh");
    assert_eq!(hidden(&two, "to abcdefgh.", false), "to (hidden).");
    assert_eq!(
        hidden(&two, "to abcdef, efgh.", false),
        "to (hidden), (hidden)."
    );
}

#[test]
fn a_credential_in_any_spelling_is_hidden() {
    let key = credentials(Authorization::api_key("a/b<c>&\"d\'e+f%41\\").unwrap(), "");
    for spelt in [
        r#"a/b<c>&"d'e+f%41\"#.replace(r"\\", r"\"),
        r#"a\/b<c>&\"d'e+f%41\\"#.to_owned(),
        r#"a/b\u003cc\u003E\u0026\u0022d\u0027e\u002bf%41\u005C"#.to_owned(),
        "a%2Fb%3cc%3E%26%22d%27e%2Bf%2541%5c".to_owned(),
        "a/b&lt;c&gt;&amp;&quot;d&#39;e+f%41\\".to_owned(),
        "a&#x2F;b&#60;c&#062;&#38;&#34;d&#x27;e&#x2b;f%41&#92;".to_owned(),
        "a/b&lt;c&gt;&amp;&quot;d&apos;e+f%41\\".to_owned(),
    ] {
        let shown = hidden(&key, &format!("[{spelt}]"), false);
        assert_eq!(shown, "[(hidden)]", "{spelt}");
    }
}

#[test]
fn credential_cut_within_an_escape_is_hidden() {
    let key = credentials(Authorization::api_key("abcd/efgh&ijkl").unwrap(), "");
    for (text, expected) in [
        (r"sent abcd\/ef", "sent (hidden)"),
        (r"sent abcd\", "sent (hidden)"),
        (r"sent abcd\u00", "sent (hidden)"),
        ("sent abcd%2", "sent (hidden)"),
        ("sent abcd&#x2", "sent (hidden)"),
        ("sent abc%2", "sent abc%2"),
        ("sent abcd%2 ", "sent abcd%2 "),
    ] {
        assert_eq!(hidden(&key, text, true), expected, "{text}");
    }
}

#[test]
fn encoded_part_of_a_url_is_hidden_decoded() {
    let url = "https://chat.example/in?key=0123456789%2Fabcdef&b=c";
    let webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url.parse().unwrap());
    let credentials = Credentials::of(&webhook);
    for echoed in [
        "0123456789%2Fabcdef",
        "0123456789/abcdef",
        "0123456789%2fabcdef",
    ] {
        assert_eq!(hidden(&credentials, echoed, false), "(hidden)");
    }
}

#[test]
fn text_that_is_not_utf_8_is_kept() {
    let bearer = credentials(Authorization::bearer("abc123").unwrap(), "");
    let shown = bearer.hide(b"\xff\\\xe9%\xff&\xffabc123\xff", true);
    assert_eq!(shown, b"\xff\\\xe9%\xff&\xff(hidden)\xff");
}

/// Returns credentials of the maximum length, none of which begins like another.
fn largest() -> Credentials {
    let text = |n: usize, length: usize| format!("{n} {}", "x".repeat(length));
    let header = |n: usize| format!("Key: {n:02} {n:02}{}\n", "a".repeat(314));
    let headers: String = (0..98).map(header).collect();
    let authorization = Authorization::basic("ada", &text(7, 8_180)).unwrap();
    credentials(authorization, &headers)
}

#[test]
fn largest_webhook_takes_little_memory() {
    let bytes = largest().bytes();
    assert!((1_000_000..1_500_000).contains(&bytes), "{bytes}");
}

/// Texts and credentials with long common parts: comparing them byte by byte at each position took
/// a second.
#[test]
fn hostile_text_does_not_slow_hiding_credentials() {
    let long = |end: &str| format!("{}{end}", "a".repeat(8_000));
    let headers = ["b", "c", "d", "e"].map(|end| format!("X-Token: {}\n", long(end)));
    let hostile = credentials(Authorization::None, &headers.concat());
    assert!(hostile.bytes() >= 4 * 8_001, "{}", hostile.bytes());
    let mut text = "a".repeat(16 * 1024 - 1);
    let start = tokio::time::Instant::now();
    assert_eq!(hidden(&hostile, &text, true).len(), text.len() - 8_000 + 8);
    text.push('x');
    for _ in 0..20 {
        assert_eq!(hidden(&hostile, &text, true), text);
    }
    assert!(start.elapsed() < std::time::Duration::from_secs(5));
}

fn pieces(number: Range<usize>) -> impl Strategy<Value = String> {
    vec(select(PIECES.as_slice()), number).prop_map(|pieces| pieces.concat())
}

proptest::proptest! {
    #[test]
    fn hidden_text_has_its_bound_and_stays(
        secrets in vec(pieces(1..5), 0..6),
        text in pieces(0..24),
        cut in proptest::bool::ANY,
    ) {
        let patterns = secrets.iter().map(Secret::new).collect();
        let credentials = Credentials(Vec::new()).and(patterns);
        let shown = hidden(&credentials, &text, cut);
        prop_assert!(shown.len() <= 2 * text.len());
        let again = hidden(&credentials, &shown, cut);
        prop_assert!(again.len() <= 2 * shown.len());
        let mut secrets = secrets.iter().filter(|one| one.len() >= SHORTEST);
        if !secrets.clone().any(|one| meets_marker(one)) {
            prop_assert_eq!(again, shown.as_str());
            prop_assert!(!secrets.any(|one| shown.contains(one.as_str())));
        }
    }
}

/// Whether a text has a part of the marker at an end, or in it, so that both may overlap.
fn meets_marker(text: &str) -> bool {
    let marker = "(hidden)";
    let ends = |n: usize| text.ends_with(&marker[..n]) || text.starts_with(&marker[8 - n..]);
    (1..=8).any(ends) || marker.contains(text) || text.contains(marker)
}
