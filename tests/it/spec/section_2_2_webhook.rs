//! SPEC 2.2: the fields of a webhook.

use webhook_model::{
    Authorization, AuthorizationKind, Header, Headers, OwnerId, Retries, Timeout, Webhook,
};

fn webhook() -> Webhook {
    Webhook::new(
        OwnerId(1),
        "chat".parse().unwrap(),
        "https://chat.example.com/in".parse().unwrap(),
    )
}

fn sent(webhook: &Webhook) -> Vec<(String, String)> {
    let headers = webhook.request_headers().unwrap();
    headers
        .into_iter()
        .map(|h| (h.name, h.value.expose().to_owned()))
        .collect()
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// SPEC 2.2 "Name": required.
#[test]
fn spec_2_2_name_is_required() {
    for refused in ["", "   ", "a\nb", "a\u{7}", &"x".repeat(129)] {
        let error = refused.parse::<webhook_model::WebhookName>().unwrap_err();
        assert_eq!(error.field().as_str(), "name", "{refused:?}");
    }
    for accepted in ["a", "Chat #1 – général 🦀", &"ü".repeat(128)] {
        assert_eq!(
            accepted
                .parse::<webhook_model::WebhookName>()
                .unwrap()
                .as_str(),
            accepted
        );
    }
}

/// SPEC 2.2 "URL": an endpoint that accepts HTTP POST requests.
#[test]
fn spec_2_2_url_is_required_and_http() {
    for accepted in [
        "https://a.example/x?y=1",
        "http://127.0.0.1:8080/",
        "http://[::1]/",
        "https://bücher.example/",
    ] {
        assert!(
            accepted.parse::<webhook_model::TargetUrl>().is_ok(),
            "{accepted}"
        );
    }
    for refused in [
        "",
        "example.com/x",
        "/x",
        "ftp://a.example/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https://user:pw@a.example/",
        "https://user@a.example/",
        "https://a.example/#top",
        "https://a b.example/",
        "https://a.example:99999/",
    ] {
        let error = refused.parse::<webhook_model::TargetUrl>().unwrap_err();
        assert_eq!(error.field().as_str(), "url", "{refused:?}");
    }
    let hint = "https://user:pw@a.example/"
        .parse::<webhook_model::TargetUrl>()
        .unwrap_err()
        .to_string();
    assert!(hint.contains("basic") && !hint.contains("pw"), "{hint}");
}

/// SPEC 2.2 "Authorization Type": one of Bearer Token, API Key, Basic, None.
#[test]
fn spec_2_2_authorization_type_is_one_of_four() {
    for word in ["bearer", "apikey", "basic", "none"] {
        assert_eq!(AuthorizationKind::parse(word).unwrap().as_str(), word);
    }
    for refused in ["", "Bearer", "digest", "bearer "] {
        assert_eq!(
            AuthorizationKind::parse(refused)
                .unwrap_err()
                .field()
                .as_str(),
            "authorization_type"
        );
    }
}

/// SPEC 2.2 "Authorization value", Bearer Token: only the token string, without the word Bearer.
#[test]
fn spec_2_2_bearer_is_the_token_alone() {
    let mut hook = webhook();
    hook.authorization = Authorization::bearer("abc.def-_~+/=").unwrap();
    assert_eq!(
        sent(&hook)[1],
        pair("Authorization", "Bearer abc.def-_~+/=")
    );
    for refused in [
        "Bearer abc",
        "bearer abc",
        "BEARER abc",
        "Bearer",
        "",
        " abc",
        "abc ",
        "a b",
        "a\r\nX: 1",
        "ä",
        "=",
    ] {
        assert!(Authorization::bearer(refused).is_err(), "{refused:?}");
    }
}

/// SPEC 2.2 "Authorization value", API Key: only the raw key string, without any prefix or keyword.
#[test]
fn spec_2_2_api_key_is_raw() {
    let mut hook = webhook();
    hook.authorization = Authorization::api_key("k e y").unwrap();
    assert_eq!(sent(&hook)[1], pair("X-API-Key", "k e y"));
    for refused in ["", "Bearer abc", "ApiKey abc", " a", "a\r\nb", "\u{0}", "é"] {
        assert!(Authorization::api_key(refused).is_err(), "{refused:?}");
    }
}

/// SPEC 2.2 "Authorization value", Basic: a username and a password in separate fields.
#[test]
fn spec_2_2_basic_has_user_and_password() {
    let mut hook = webhook();
    hook.authorization = Authorization::basic("Aladdin", "open sesame").unwrap();
    assert_eq!(
        sent(&hook)[1],
        pair("Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
    );
    assert!(Authorization::basic("a:b", "c").is_err());
    assert!(Authorization::basic("", "c").is_err());
    assert!(Authorization::basic("a", "b:c").is_ok());
    let stored = Authorization::basic("a", "b:c")
        .unwrap()
        .secret_text()
        .unwrap();
    assert_eq!(
        Authorization::from_parts(AuthorizationKind::Basic, Some(stored.expose())).unwrap(),
        Authorization::basic("a", "b:c").unwrap()
    );
}

/// SPEC 2.2 "Authorization value", None: nothing.
#[test]
fn spec_2_2_none_takes_no_value() {
    assert_eq!(sent(&webhook()), [pair("Content-Type", "application/json")]);
    assert!(Authorization::from_parts(AuthorizationKind::None, Some("x")).is_err());
    assert!(Authorization::from_parts(AuthorizationKind::Bearer, None).is_err());
}

/// SPEC 2.2 "Headers": by default one that sets the content type; it can be removed or edited.
#[test]
fn spec_2_2_default_header_can_be_removed_and_edited() {
    assert_eq!(
        Headers::default().to_string(),
        "Content-Type:application/json\n"
    );
    let mut hook = webhook();
    hook.headers = Headers::EMPTY;
    assert!(sent(&hook).is_empty());
    hook.headers = Headers::parse_lines("content-type: text/plain").unwrap();
    assert_eq!(sent(&hook), [pair("content-type", "text/plain")]);
}

/// SPEC 2.2 "Headers": more can be added, their order can be changed.
#[test]
fn spec_2_2_headers_keep_their_order_and_can_be_reordered() {
    let headers = Headers::parse_lines("X-B: 1\nX-A: 2\nX-B: 3\n").unwrap();
    let names = |h: &Headers| {
        h.iter()
            .map(|h| format!("{}={}", h.name(), h.value()))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        names(&headers),
        ["X-B=1", "X-A=2", "X-B=3"],
        "duplicates are kept"
    );
    assert_eq!(names(&headers.moved(2, 0)), ["X-B=3", "X-B=1", "X-A=2"]);
    assert_eq!(names(&headers.moved(7, 0)), names(&headers));
    assert_eq!(Headers::parse_lines(&headers.to_string()).unwrap(), headers);
}

/// SPEC 2.2 "Headers": entry as key/value pair or as the full header line.
#[test]
fn spec_2_2_headers_are_entered_as_pairs_or_lines() {
    let pairs = Headers::from_pairs([("X-Route", "a:b"), ("X-Priority", "high")]).unwrap();
    assert_eq!(
        pairs,
        Headers::parse_lines("X-Route: a:b\r\nX-Priority:high\r\n").unwrap()
    );
    assert_eq!(
        Header::from_line("X-Route:a:b").unwrap(),
        Header::new("X-Route", "a:b").unwrap()
    );
    for refused in [
        "no colon",
        "X A: 1",
        " X: 1",
        "X : 1",
        ": 1",
        "Host: x",
        "Content-Length: 1",
        "Proxy-Foo: 1",
        "webhook-id: 1",
        "X: \u{1}",
        "X: é",
    ] {
        let error = Headers::parse_lines(&format!("X-Good: 1\n{refused}")).unwrap_err();
        assert_eq!(error.field().as_str(), "headers");
        assert!(error.rule().starts_with("line 2: "), "{refused}: {error}");
    }
    assert!(Header::new("X", "a\r\nX-Evil: 1").is_err());
}

/// SPEC 2.2 "Allow Insecure Certificates": a Boolean, off unless asked for.
#[test]
fn spec_2_2_certificates_are_verified_by_default() {
    assert!(!webhook().allow_insecure);
}

/// SPEC 2.2 "Timeout", SPEC 7 row 6, SPEC 8 row 1: must be 3 or greater.
#[test]
fn spec_2_2_timeout_holds_3_to_120_seconds() {
    for refused in [0, 1, 2, 121, u64::MAX] {
        assert_eq!(
            Timeout::from_secs(refused).unwrap_err().field().as_str(),
            "timeout"
        );
    }
    assert_eq!(
        Timeout::from_secs(2).unwrap_err().rule(),
        "must be 3 or greater"
    );
    for seconds in [3, 5, 120] {
        assert_eq!(Timeout::from_secs(seconds).unwrap().as_secs(), seconds);
    }
    assert_eq!(Timeout::default().as_secs(), 5);
}

/// SPEC 2.2 "Retries": optional; reattempts after the first attempt.
#[test]
fn spec_2_2_retries_are_0_to_100() {
    assert_eq!(Retries::default().get(), 3);
    assert_eq!(Retries::new(0).unwrap().get(), 0);
    assert_eq!(Retries::new(100).unwrap().get(), 100);
    assert_eq!(Retries::new(101).unwrap_err().field().as_str(), "retries");
}

/// SPEC 5.2: the header of an API key is a matter of the headers configuration; no prefix is added.
#[test]
fn spec_5_2_api_key_header_is_named_by_the_headers() {
    let mut hook = webhook();
    hook.authorization = Authorization::api_key("raw").unwrap();
    hook.headers = Headers::parse_lines("X-First: 1\nX-Token: ${APIKEY}\nX-Last: 2").unwrap();
    assert_eq!(
        sent(&hook),
        [
            pair("X-First", "1"),
            pair("X-Token", "raw"),
            pair("X-Last", "2")
        ]
    );
    assert!(hook.request_headers().unwrap()[1].sensitive);
    hook.headers = Headers::parse_lines("Authorization: ${APIKEY}").unwrap();
    assert_eq!(sent(&hook), [pair("Authorization", "raw")]);
    hook.headers = Headers::parse_lines("A: ${APIKEY}\nB: ${APIKEY}").unwrap();
    assert!(hook.check().is_err(), "the key is in one place");
    hook.headers = Headers::parse_lines("X-API-Key: other").unwrap();
    assert!(hook.check().is_err(), "two X-API-Key headers");
    hook.authorization = Authorization::None;
    assert!(hook.check().is_ok());
    hook.headers = Headers::parse_lines("X-Token: ${APIKEY}").unwrap();
    assert!(hook.check().is_err(), "there is no key to put there");
}

/// SPEC 5.2: a custom Authorization header must not accompany the one of the type.
#[test]
fn spec_5_2_authorization_is_set_once() {
    let mut hook = webhook();
    hook.headers = Headers::parse_lines("Authorization: Custom x").unwrap();
    assert!(hook.check().is_ok());
    for authorization in [
        Authorization::bearer("t").unwrap(),
        Authorization::basic("u", "p").unwrap(),
        Authorization::api_key("k").unwrap(),
    ] {
        hook.authorization = authorization;
        assert_eq!(hook.check().unwrap_err().field().as_str(), "headers");
    }
}

/// SPEC 2.2: secrets are not shown.
#[test]
fn spec_2_2_debug_shows_no_secret() {
    let mut hook = webhook();
    hook.authorization = Authorization::basic("user", "CANARY-1").unwrap();
    hook.headers =
        Headers::parse_lines("Cookie: CANARY-2\nX-My-Token: CANARY-3\nX-Plain: shown").unwrap();
    hook.signing = webhook_model::SigningSecrets::new(vec![
        webhook_model::SigningSecret::parse("whsec_Q0FOQVJZLTRDQU5BUlktNENBTkFSWS00").unwrap(),
    ])
    .unwrap();
    let shown = format!("{hook:?} {hook:#?} {:?}", hook.request_headers());
    assert!(
        !shown.contains("CANARY") && !shown.contains("Q0FOQ") && shown.contains("shown"),
        "{shown}"
    );
}
