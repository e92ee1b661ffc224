use std::time::Duration;

use http::Method;

use super::*;

fn build(url: &str) -> Result<Request, RequestError> {
    Request::builder(url.parse().unwrap()).build()
}

#[test]
fn the_target_is_path_and_query_without_fragment() {
    let request = build("https://a.example:8443/in/é?x=1#frag").unwrap();
    assert_eq!(request.fixed.path(), "/in/%C3%A9?x=1");
    assert_eq!(
        request.fixed.absolute.to_string(),
        "https://a.example:8443/in/%C3%A9?x=1"
    );
}

#[test]
fn host_header_includes_port_only_if_not_default() {
    for (url, host) in [
        ("https://a.example/", "a.example"),
        ("https://a.example:443/", "a.example"),
        ("http://a.example:443/", "a.example:443"),
        ("http://[2606:4700::1111]:81/", "[2606:4700::1111]:81"),
    ] {
        assert_eq!(
            build(url)
                .unwrap()
                .fixed
                .headers
                .iter()
                .next()
                .unwrap()
                .value,
            host
        );
    }
}

#[test]
fn request_build_errors_name_the_user_mistake() {
    let url: url::Url = "http://a.example/".parse().unwrap();
    let new = || Request::builder(url.clone());
    let header = |name: &str, value: &str| new().header(name, value).build().unwrap_err();
    assert_eq!(
        build("http://user:pw@a.example/").unwrap_err(),
        RequestError::Credentials
    );
    assert_eq!(build("ftp://a.example/").unwrap_err(), RequestError::Scheme);
    assert_eq!(
        header("x", "a\r\nb: c"),
        RequestError::HeaderValue("x".into())
    );
    assert_eq!(header("x y", "a"), RequestError::HeaderName("x y".into()));
    assert_eq!(header("", "a"), RequestError::HeaderName(String::new()));
    assert_eq!(
        header("Content-Length", "5"),
        RequestError::ReservedHeader("Content-Length".into())
    );
    assert_eq!(
        header("HOST", "b.example"),
        RequestError::ReservedHeader("HOST".into())
    );
    assert_eq!(
        new().timeout(Duration::ZERO).build().unwrap_err(),
        RequestError::Timeout
    );
    for id in ["", "a.b", "a b", "é", "a\n", &"x".repeat(257)] {
        assert_eq!(
            new().delivery_id(id).build().unwrap_err(),
            RequestError::DeliveryId,
            "{id:?}"
        );
    }
    let big = new().header("x", "y".repeat(70_000)).build().unwrap_err();
    assert_eq!(big, RequestError::TooManyHeaders);
    let many = (0..201)
        .fold(new(), |b, n| b.header(&format!("x-{n}"), "y"))
        .build()
        .unwrap_err();
    assert_eq!(many, RequestError::TooManyHeaders);
    assert_eq!(
        new().method(Method::CONNECT).build().unwrap_err(),
        RequestError::Method
    );
}

#[test]
fn debug_hides_secrets_path_and_body() {
    let request = Request::builder(
        "https://a.example/T0/B0/canary1?token=canary2"
            .parse()
            .unwrap(),
    )
    .sensitive_header("authorization", "Bearer canary3")
    .body("canary4")
    .build()
    .unwrap();
    let shown = format!("{request:?}");
    assert!(shown.contains("a.example"));
    assert!(!shown.contains("canary"), "{shown}");
}

#[test]
fn repeated_headers_keep_their_order() {
    let request = Request::builder("http://a.example/".parse().unwrap())
        .header("x-a", "1")
        .header("X-A", "2")
        .build()
        .unwrap();
    let values: Vec<_> = request
        .headers()
        .filter(|(n, _)| n.eq_ignore_ascii_case("x-a"))
        .map(|(_, v)| v)
        .collect();
    assert_eq!(values, [b"1", b"2"]);
}

#[test]
fn host_header_spells_address_as_url_does() {
    for text in [
        "http://[::ffff:8.8.8.8]/",
        "https://[64:FF9B::808:808]:8443/",
        "http://0x08.8.8.8/",
    ] {
        let url: url::Url = text.parse().unwrap();
        let request = Request::builder(url.clone()).build().unwrap();
        let (_, host) = request.headers().find(|(name, _)| *name == "Host").unwrap();
        let port = url.port().map_or(String::new(), |port| format!(":{port}"));
        let expected = format!("{}{port}", url.host_str().unwrap());
        assert_eq!(String::from_utf8_lossy(host), expected);
    }
}

#[test]
fn another_delivery_shares_all_but_id_and_body() {
    let first = Request::builder("https://example.com/a".parse().unwrap())
        .header("x-a", "b")
        .body("one")
        .delivery_id("msg_1")
        .build()
        .unwrap();
    let next = first.for_delivery("msg_2", "two").unwrap();
    assert_eq!(
        (next.delivery_id(), &next.body()[..]),
        (Some("msg_2"), &b"two"[..])
    );
    assert_eq!(
        (first.delivery_id(), &first.body()[..]),
        (Some("msg_1"), &b"one"[..])
    );
    assert!(next.headers().eq(first.headers()));
    for id in ["", "a.b", "a b", "a\r\nb", "ü"] {
        assert_eq!(
            first.for_delivery(id, "x").unwrap_err(),
            RequestError::DeliveryId
        );
    }
}
