//! Public test vectors. Their sources and licences stand beside them in `tests/vectors`.

#![allow(clippy::unwrap_used, reason = "a test stops at the first surprise")]

use std::path::{Path, PathBuf};

use serde_json::Value;
use url::Url;
use webhook_model::{
    Authorization, AuthorizationKind, Header, Message, TargetUrl, TaskName, Template, Values,
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
    Values {
        date: "Thu, 16 Oct 2025 11:38:07 EDT",
        timestamp: 1,
        name,
        extra: &[],
    }
}

/// Of the rows that are left open, these are ordinary headers; the others are refused: values beyond ASCII, what
/// would change how a request is framed, the sender's own names, very long names.
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

/// Percent-encoded line breaks are text like any other and travel as they are written.
#[test]
fn crlf_payloads_travel_as_literal_text() {
    let text = std::fs::read_to_string(path("headers/crlf_payloads.txt")).unwrap();
    for payload in text.lines().filter(|l| !l.is_empty() && l.is_ascii()) {
        let header = Header::new("X-Path", payload).unwrap();
        assert_eq!(header.value(), payload.trim_matches([' ', '\t']));
    }
}

/// Rows that are left open there are refused here.
#[test]
fn outbound_authorization_values() {
    for case in lines("auth/outbound_values.jsonl") {
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

/// What the URL standard calls a failure is refused; what is accepted has the standard's host.
#[test]
fn urls_agree_with_the_standard() {
    let cases: Vec<Value> =
        serde_json::from_str(&std::fs::read_to_string(path("urls/urltestdata.json")).unwrap())
            .unwrap();
    let (mut refused, mut accepted) = (0, 0);
    for case in cases
        .iter()
        .filter(|c| c.is_object() && c["base"].is_null())
    {
        let input = case["input"].as_str().unwrap();
        let parsed = input.parse::<TargetUrl>();
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

/// Naughty strings as names of tasks and objects, in JSON and outside of it.
#[test]
fn naughty_strings_as_names() {
    let strings: Vec<String> =
        serde_json::from_str(&std::fs::read_to_string(path("strings/blns.json")).unwrap()).unwrap();
    let json = Template::parse(&r#"{"a":"${NAME}","b":${NAME}}"#.parse().unwrap());
    let plain = Template::parse(&"<${NAME}>".parse().unwrap());
    for string in &strings {
        if let Ok(name) = string.parse::<TaskName>() {
            assert_eq!(name.as_str(), string);
        }
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
fn a_url_that_was_accepted_is_accepted_again_and_the_same() {
    for text in [
        "https://EXAMPLE.com:443/a b?q=ü#",
        "http://0x7f.1/",
        "https://[::FFFF:1.2.3.4]/",
        "http://a.example/%0d%0aX",
    ] {
        if let Ok(url) = text.parse::<TargetUrl>() {
            assert_eq!(url.as_str().parse::<TargetUrl>().unwrap(), url);
            assert_eq!(Url::parse(url.as_str()).unwrap(), *url.as_url());
        }
    }
}
