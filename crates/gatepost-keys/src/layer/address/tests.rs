//! The client address of a request, as proxies name it.

use proptest::prelude::*;

use super::*;

fn client(
    proxies: &TrustedProxies,
    peer: &str,
    name: &'static str,
    lines: &[&str],
) -> Option<String> {
    let mut headers = HeaderMap::new();
    for line in lines {
        headers.append(name, line.parse().unwrap());
    }
    proxies
        .client(peer.parse().unwrap(), &headers)
        .map(|addr| addr.to_string())
}

fn xff(peer: &str, lines: &[&str]) -> Option<String> {
    let proxies = TrustedProxies::new(
        vec!["10.0.0.0/8".parse().unwrap()],
        ForwardedHeader::XForwardedFor,
    );
    client(&proxies, peer, "x-forwarded-for", lines)
}

#[test]
fn only_trusted_proxies_are_believed() {
    assert_eq!(
        client(
            &TrustedProxies::none(),
            "10.0.0.1",
            "x-forwarded-for",
            &["1.2.3.4"]
        )
        .unwrap(),
        "10.0.0.1"
    );
    assert_eq!(
        xff("9.9.9.9", &["1.2.3.4"]).unwrap(),
        "9.9.9.9",
        "a stranger's word"
    );
    assert_eq!(xff("10.0.0.1", &["1.2.3.4"]).unwrap(), "1.2.3.4");
    assert_eq!(
        xff("::ffff:10.0.0.1", &["::ffff:1.2.3.4"]).unwrap(),
        "1.2.3.4",
        "mapped addresses are IPv4"
    );
    assert_eq!(
        xff("10.0.0.1", &["6.6.6.6, 1.2.3.4, 10.0.0.2"]).unwrap(),
        "1.2.3.4",
        "from the right"
    );
    assert_eq!(
        xff("10.0.0.1", &["6.6.6.6", "1.2.3.4"]).unwrap(),
        "1.2.3.4",
        "the last line first"
    );
    assert_eq!(xff("10.0.0.1", &[]).unwrap(), "10.0.0.1");
    assert_eq!(xff("10.0.0.1", &["1.2.3.4:5678"]).unwrap(), "1.2.3.4");
}

#[test]
fn unreadable_forwarded_address_is_refused() {
    for garbage in [
        "unknown",
        "",
        "1.2.3.4,",
        "_hidden",
        "1.2.3",
        "fe80::1%eth0",
    ] {
        assert_eq!(xff("10.0.0.1", &[garbage]), None, "{garbage:?}");
    }
    assert_eq!(
        xff("10.0.0.1", &["garbage, 1.2.3.4"]).unwrap(),
        "1.2.3.4",
        "what strangers wrote is not read"
    );
}

fn forwarded(line: &str) -> Option<String> {
    let proxies = TrustedProxies::new(
        vec!["10.0.0.0/8".parse().unwrap()],
        ForwardedHeader::Forwarded,
    );
    client(&proxies, "10.0.0.1", "forwarded", &[line])
}

#[test]
fn the_forwarded_header() {
    let from = forwarded;
    assert_eq!(from("for=1.2.3.4").unwrap(), "1.2.3.4");
    assert_eq!(
        from(r#"for="[2001:db8::1]:4711";proto=https, For=10.0.0.7"#).unwrap(),
        "2001:db8::1"
    );
    assert_eq!(from("proto=https"), None);
    assert_eq!(from(r#"for="unterminated"#), None);
}

/// A proxy quotes the `Host` that its client sent.
#[test]
fn quoted_string_in_forwarded_supplies_no_address() {
    for line in [
        r#"for=203.0.113.9;host="x,for=10.0.0.5;y""#,
        r#"for=203.0.113.9;host="x\",for=10.0.0.5;y""#,
        r#"host="for=10.0.0.5;\\";for=203.0.113.9"#,
        r#"host=";for=10.0.0.5";for="203.0.113.9:80", for=10.0.0.7;host="a,b""#,
        // The proxy's own element does not end a quote that a stranger began.
        r#"for=6.6.6.6;a=", for=203.0.113.9;host=",for=10.0.0.5;b=""#,
    ] {
        assert_eq!(forwarded(line).as_deref(), Some("203.0.113.9"), "{line}");
    }
    for line in [
        "for=203.0.113.9;for=10.0.0.5",
        r#"for=10.0.0.5;host="x"y""#,
        r#"for=10.0.0.5;host=x\""#,
        r#"for=10.0.0.5;host=x"y""#,
        "for=10.0.0.5;host",
    ] {
        assert_eq!(forwarded(line), None, "{line}");
    }
}

proptest! {
    /// Text that strangers wrote earlier does not change it either.
    #[test]
    fn no_text_in_quotes_changes_the_address(
        text in r#"([ -~]|[,;"\\]|for=10\.0\.0\.[0-9]){0,20}"#,
        before in r#"([ -~]|[,;"\\]|for=10\.0\.0\.[0-9]){0,20}"#,
    ) {
        let quoted = text.replace('\\', r"\\").replace('"', r#"\""#);
        for line in [
            format!(r#"for=203.0.113.9;host="{quoted}""#),
            format!(r#"host="{quoted}";for="203.0.113.9:4711";proto=https"#),
            format!(r#"{before},for=203.0.113.9;host="{quoted}", for=10.0.0.2"#),
        ] {
            let from = forwarded(&line);
            prop_assert_eq!(from.as_deref(), Some("203.0.113.9"), "{}", line);
        }
    }
}
