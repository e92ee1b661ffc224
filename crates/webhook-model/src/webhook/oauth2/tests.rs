use std::time::Duration;

use super::*;

const URL: &str = "https://id.example.com/token";

fn client() -> OAuth2 {
    OAuth2::new(URL, "my client", "p:ss%word").unwrap()
}

fn refused(made: Result<OAuth2, crate::Invalid>) -> String {
    made.unwrap_err().to_string()
}

#[test]
fn oauth2_client_authenticates_by_basic_or_form() {
    let client = client().with_scope("a:read b").unwrap();
    let request = client.token_request();
    // Base64 of `my+client:p%3Ass%25word`.
    let basic = "Basic bXkrY2xpZW50OnAlM0FzcyUyNXdvcmQ=";
    assert_eq!(request.authorization.unwrap().expose(), basic);
    let form = "grant_type=client_credentials&scope=a%3Aread+b";
    assert_eq!(request.form.expose(), form);
    let by_form = client.with_authentication(ClientAuthentication::Body);
    let request = by_form.token_request();
    assert!(request.authorization.is_none());
    let client = "&client_id=my+client&client_secret=p%3Ass%25word";
    assert_eq!(request.form.expose(), format!("{form}{client}"));
}

#[test]
fn invalid_oauth2_client_is_refused_naming_field() {
    for (url, rule) in [
        (
            "http://id.example.com/",
            "oauth_token_url: must begin with https:// (RFC 6749 §3.2)",
        ),
        ("", "oauth_token_url: is required"),
        (
            "https://a:b@id.example.com/",
            "oauth_token_url: must not carry credentials: use the authorization type basic",
        ),
    ] {
        assert_eq!(refused(OAuth2::new(url, "id", "secret")), rule);
    }
    let id = refused(OAuth2::new(URL, "", "secret"));
    assert_eq!(id, "oauth_client_id: is required with the type oauth2");
    for secret in ["s\necret", "sécret", &"s".repeat(4097)] {
        let rule = refused(OAuth2::new(URL, "id", secret));
        assert!(rule.starts_with("authorization_value: must be "), "{rule}");
        assert!(!rule.contains(secret), "{rule}");
    }
    for scope in [" a", "a  b", "a\"", "a\\", "ä", &"a".repeat(2049)] {
        let rule = refused(client().with_scope(scope));
        assert!(rule.starts_with("oauth_scope: must be "), "{rule}");
    }
}

#[test]
fn token_response_yields_token_or_error_without_secret() {
    let token = AccessToken::parse(br#"{"access_token":"t0","token_type":"bearer"}"#).unwrap();
    assert_eq!((token.token.expose(), token.expires_in), ("t0", None));
    for (seconds, expected) in [
        ("3600", Some(Duration::from_secs(3600))),
        ("\"60\"", Some(Duration::from_secs(60))),
        ("-1", None),
        ("1e300", None),
    ] {
        let body = format!(
            r#"{{"access_token":"t","token_type":"Bearer","expires_in":{seconds},"x":[1]}}"#
        );
        let token = AccessToken::parse(body.as_bytes()).unwrap();
        assert_eq!(token.expires_in, expected, "{seconds}");
    }
    let long = format!(
        r#"{{"access_token":"{}","token_type":"Bearer"}}"#,
        "s3cret".repeat(3_000)
    );
    for body in [
        "",
        "s3cret",
        "[\"s3cret\"]",
        r#"{"token":"s3cret"}"#,
        r#"{"access_token":"s3cret"}"#,
        r#"{"access_token":"s3cret","token_type":"mac"}"#,
        r#"{"access_token":"s3cret\r\nX: y","token_type":"Bearer"}"#,
        r#"{"access_token":"","token_type":"Bearer"}"#,
        &long,
    ] {
        let wrong = AccessToken::parse(body.as_bytes()).unwrap_err();
        assert!(!wrong.contains("s3cret"), "{wrong}");
    }
}

#[test]
fn token_error_repeats_only_standard_codes() {
    let of = |body: &str| token_error(body.as_bytes());
    assert_eq!(of(r#"{"error":"invalid_scope"}"#), Some("invalid_scope"));
    for body in ["", "{}", r#"{"error":"s3cret"}"#, r#"{"error":1}"#] {
        assert_eq!(of(body), None, "{body}");
    }
}

#[test]
fn debug_shows_no_secret() {
    let shown = format!("{:?} {:?}", client(), client().token_request());
    assert!(
        !shown.contains("p:ss") && !shown.contains("bXkrY2"),
        "{shown}"
    );
}
