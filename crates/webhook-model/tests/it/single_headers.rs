//! Headers that may occur once in a request: a second line makes receivers refuse or guess.

use webhook_model::{Field, Header, Headers};

#[test]
fn single_header_given_twice_is_refused() {
    for name in [
        "Content-Type",
        "content-encoding",
        "User-Agent",
        "Authorization",
        "Cookie",
        "From",
        "Date",
        "Referer",
        "Origin",
        "Traceparent",
        "Idempotency-Key",
        "Content-Location",
        "Range",
        "If-Modified-Since",
        "If-Unmodified-Since",
        "If-Range",
        "Content-Range",
        "Max-Forwards",
    ] {
        let twice = format!("{name}: a\nX-Route: b\n{}: a\n", name.to_uppercase());
        let refused = Headers::parse_lines(&twice).unwrap_err();
        assert_eq!(refused.field(), Field::Headers, "{name}");
        let rule = refused.rule();
        assert!(
            rule.starts_with("must not set") && rule.ends_with("twice"),
            "{rule}"
        );
        let pairs = [(name, "a"), (name, "b")];
        assert!(Headers::from_pairs(pairs).is_err(), "{name}");
        let headers = pairs.map(|(name, value)| Header::new(name, value).unwrap());
        assert!(Headers::new(headers.into()).is_err(), "{name}");
    }
}

#[test]
fn list_header_given_twice_is_kept() {
    for name in [
        "X-Route",
        "Accept",
        "Via",
        "Forwarded",
        "Link",
        "Tracestate",
        "X-Api-Key",
    ] {
        let twice = format!("{name}:a\n{name}:b\n");
        let headers = Headers::parse_lines(&twice).unwrap();
        assert_eq!(headers.to_string(), twice);
    }
}

#[test]
fn stored_headers_given_twice_load() {
    let twice = "Content-Type:a\nContent-Type:b\n";
    assert_eq!(Headers::stored(twice).unwrap().to_string(), twice);
    assert!(Headers::stored("no header").is_err());
}
