//! Public test vectors. Their sources and licences are next to them in `tests/vectors`.

use std::path::{Path, PathBuf};

use serde_json::Value;
use url::Url;
use webhook_model::{
    Authorization, AuthorizationKind, Description, Header, Message, TargetUrl, TaskName, Template,
    Values, WebhookName, hidden_character, trim_pasted,
};

fn path(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/vectors")
        .join(name)
}

fn lines(name: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(path(name)).unwrap();
    text.lines()
        .filter(|l| !l.trim().is_empty())
        .map(|l| serde_json::from_str(l).unwrap())
        .collect()
}

fn values(name: &str) -> Values<'_> {
    Values::new("Thu, 16 Oct 2025 11:38:07 EDT", 1, name)
}

/// These rows, which the standard leaves open, are ordinary headers; the others are refused: values
/// beyond ASCII, names that would change how a request is framed, the sender's own names, very long
/// names.
#[test]
fn header_lines() {
    let cases = lines("headers/header_lines.jsonl");
    assert!(cases.len() >= 60);
    for case in cases {
        let line = case["line"].as_str().unwrap();
        let parsed = Header::from_line(line);
        match case["valid"].as_bool() {
            Some(true) => {
                let header = parsed.unwrap_or_else(|e| panic!("{case}: {e}"));
                if let Some(expected) = case["parsed"].as_array() {
                    let pair = (expected[0].as_str().unwrap(), expected[1].as_str().unwrap());
                    assert_eq!((header.name(), header.value()), pair, "{case}");
                }
            }
            None if [
                "Authorization: x",
                "Accept-Encoding: x",
                "Date: x",
                "Cookie: x",
            ]
            .contains(&line) =>
            {
                assert!(parsed.is_ok(), "{case}");
            }
            Some(false) | None => assert!(parsed.is_err(), "{case}"),
        }
    }
}

/// Percent-encoded line breaks are text like any other and are sent as they are written.
#[test]
fn crlf_payloads_travel_as_literal_text() {
    let text = std::fs::read_to_string(path("headers/crlf_payloads.txt")).unwrap();
    for payload in text.lines().filter(|l| !l.is_empty() && l.is_ascii()) {
        let header = Header::new("X-Path", payload).unwrap();
        assert_eq!(header.value(), payload.trim_matches([' ', '\t']));
    }
}

/// Rows that are left open there are refused here: the word Bearer by itself is most likely half of
/// a header that was copied, a key behind the word Bearer would be sent with a prefix, and a key
/// beyond ASCII has no agreed encoding.
#[test]
fn outbound_authorization_values() {
    let cases = lines("auth/outbound_values.jsonl");
    assert_eq!(cases.len(), 20);
    for case in cases {
        let kind = AuthorizationKind::parse(case["type"].as_str().unwrap()).unwrap();
        let parsed = Authorization::from_parts(kind, case["value"].as_str());
        assert_eq!(
            parsed.is_ok(),
            case["valid"].as_bool() == Some(true),
            "{}: {parsed:?}",
            case["why"]
        );
    }
}

/// URLs that the URL standard calls a failure are refused; accepted ones have the standard's host.
#[test]
fn urls_agree_with_the_standard() {
    let cases: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(path("urls/urltestdata.json")).unwrap())
            .unwrap();
    let (mut refused, mut accepted) = (0, 0);
    for case in cases.iter().filter(|c| c.is_object()) {
        let input = case["input"].as_str().unwrap();
        let parsed = input.parse::<TargetUrl>();
        if case["base"].is_string() && case["failure"].as_bool() != Some(true) {
            continue; // Ours have no base, so only what fails with one can be compared.
        }
        if case["failure"].as_bool() == Some(true) {
            assert!(parsed.is_err(), "{input:?}");
            refused += 1;
        } else if let Ok(url) = parsed {
            assert_eq!(
                url.as_url().host_str(),
                case["hostname"].as_str(),
                "{input:?}"
            );
            assert_eq!(url.as_str(), case["href"].as_str().unwrap(), "{input:?}");
            accepted += 1;
        }
    }
    assert!(
        refused > 100 && accepted > 50,
        "{refused} refused, {accepted} accepted"
    );
}

/// A message is text: valid JSON or not, it is kept byte for byte, and only JSON is escaped for.
#[test]
fn json_documents_as_messages() {
    let mut seen = 0;
    for folder in ["json/test_parsing", "json/test_transform"] {
        for entry in std::fs::read_dir(path(folder)).unwrap() {
            let bytes = std::fs::read(entry.unwrap().path()).unwrap();
            let Ok(text) = String::from_utf8(bytes) else {
                continue;
            };
            let template = Template::parse(&text.parse::<Message>().unwrap());
            assert_eq!(template.render(&values("n"), || 0).unwrap(), text);
            let meant = text.trim_start().starts_with(['{', '[', '"']);
            let parses = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
            assert_eq!(template.is_json(), meant && parses);
            seen += 1;
        }
    }
    assert!(seen > 250, "{seen}");
}

/// Naughty strings as names and descriptions: kept as they are, or refused for one of the rules.
#[test]
fn naughty_strings_as_texts() {
    let strings: Vec<String> =
        serde_json::from_str(&std::fs::read_to_string(path("strings/blns.json")).unwrap()).unwrap();
    let (mut accepted, mut refused) = (0, 0);
    for string in &strings {
        // White space around a name is dropped.
        let name = trim_pasted(string);
        let length = name.chars().count();
        let is_text = !name.chars().any(char::is_control) && hidden_character(name).is_none();
        let fits = |most: usize| (1..=most).contains(&length) && is_text;
        let webhook = string.parse::<WebhookName>();
        assert_eq!(webhook.is_ok(), fits(128), "{string:?}");
        assert_eq!(string.parse::<TaskName>().is_ok(), fits(64), "{string:?}");
        if let Ok(name) = webhook {
            assert_eq!(name.as_str(), trim_pasted(string));
            accepted += 1;
        } else {
            refused += 1;
        }
        if let Ok(text) = string.parse::<Description>() {
            assert_eq!(text.as_str(), string);
        } else {
            let control = string.chars().any(char::is_control);
            let hidden = hidden_character(string).is_some();
            let length = string.chars().count();
            assert!(control || hidden || length > 2048, "{string:?}");
        }
    }
    assert!(accepted > 400 && refused > 5, "{accepted} {refused}");
}

/// Naughty strings as names of objects, in JSON and outside of it.
#[test]
fn naughty_strings_as_names() {
    let strings: Vec<String> =
        serde_json::from_str(&std::fs::read_to_string(path("strings/blns.json")).unwrap()).unwrap();
    let json = Template::parse(&r#"{"a":"${NAME}","b":${NAME}}"#.parse().unwrap());
    let plain = Template::parse(&"<${NAME}>".parse().unwrap());
    for string in &strings {
        let value: Value =
            serde_json::from_str(&json.render(&values(string), || 0).unwrap()).unwrap();
        assert_eq!(
            (&value["a"], &value["b"]),
            (&Value::from(string.as_str()), &Value::from(string.as_str()))
        );
        assert_eq!(
            plain.render(&values(string), || 0).unwrap(),
            format!("<{string}>")
        );
    }
    assert!(strings.len() > 500);
}

/// The parser of the stored form is the one that made it.
#[test]
fn accepted_target_url_parses_again_unchanged() {
    for (text, normal) in [
        (
            "https://EXAMPLE.com:443/a b?q=ü",
            "https://example.com/a%20b?q=%C3%BC",
        ),
        ("http://0x7f.1/", "http://127.0.0.1/"),
        ("https://[::FFFF:1.2.3.4]/", "https://[::ffff:102:304]/"),
        ("http://a.example/%0d%0aX", "http://a.example/%0d%0aX"),
        (" https://a.example/\n", "https://a.example/"),
        ("https://bücher.example", "https://xn--bcher-kva.example/"),
    ] {
        let url: TargetUrl = text.parse().unwrap();
        assert_eq!(url.as_str(), normal);
        assert_eq!(normal.parse::<TargetUrl>().unwrap(), url);
        assert_eq!(Url::parse(normal).unwrap(), *url.as_url());
    }
}
