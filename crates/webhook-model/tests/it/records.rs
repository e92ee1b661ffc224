//! Mistakes of users in the records, beyond single values.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use webhook_model::{
    Authorization, EventName, EventType, Header, Headers, JsonObject, OccurrenceId, OwnerId,
    RateLimit, Retries, SigningSecret, SigningSecrets, Timeout, Webhook,
};

fn webhook(authorization: Authorization, headers: &str) -> Webhook {
    let mut webhook = Webhook::new(
        OwnerId(1),
        "chat".parse().unwrap(),
        "https://chat.example.com/in".parse().unwrap(),
    );
    webhook.authorization = authorization;
    webhook.headers = Headers::stored(headers).unwrap();
    webhook
}

#[test]
fn the_header_of_the_credential_is_named_once() {
    let key = || Authorization::api_key("k").unwrap();
    for headers in [
        "X-Token: ${APIKEY}\nx-token: CANARY",
        "x-token: CANARY\nX-Token: ${APIKEY}",
        "Authorization: ${APIKEY}\nauthorization: CANARY",
        "x-api-key: ${APIKEY}\nX-API-Key: CANARY",
        "x-api-key: CANARY",
    ] {
        let error = webhook(key(), headers).check().unwrap_err();
        assert_eq!(error.field().as_str(), "headers", "{headers}");
        assert!(!error.to_string().contains("CANARY"), "{error}");
    }
    // The key stands elsewhere, so X-API-Key is a header like any other.
    let sent = webhook(key(), "X-Token: ${APIKEY}\nX-API-Key: CANARY")
        .request_headers()
        .unwrap();
    assert_eq!(sent.len(), 2);
    assert!(sent.iter().all(|header| header.sensitive));
}

#[test]
fn api_key_placeholder_within_value_is_refused() {
    for authorization in [Authorization::api_key("k").unwrap(), Authorization::None] {
        let error = webhook(authorization, "Authorization: Token ${APIKEY}")
            .check()
            .unwrap_err();
        assert!(error.rule().contains("${APIKEY}"), "{error}");
    }
}

#[test]
fn headers_are_bounded_in_number_and_size() {
    let lines = |count: usize| "X-A: 1\n".repeat(count);
    assert!(Headers::parse_lines(&lines(100)).is_ok());
    assert!(Headers::parse_lines(&lines(101)).is_err());
    let long = "v".repeat(8 * 1024);
    assert!(Header::new("X-A", &long).is_ok());
    assert!(Header::new("X-A", &format!("{long}v")).is_err());
    assert!(Headers::from_pairs([("X-A", long.as_str()); 3]).is_ok());
    assert!(Headers::from_pairs([("X-A", long.as_str()); 4]).is_err());
    assert!(Header::new(&"n".repeat(128), "").is_ok());
    assert!(Header::new(&"n".repeat(129), "").is_err());
}

#[test]
fn header_error_shows_line_and_rule_without_value() {
    for line in [
        "Authorization: Bearer CANARY\u{e9}",
        "Cookie: CANARY\u{7f}",
        "X-A: CANARY\r\u{0}",
        "CANARY without colon",
        "Host: CANARY",
    ] {
        let error = Headers::parse_lines(&format!("\nX-Good: 1\n{line}\n")).unwrap_err();
        assert!(error.rule().starts_with("line 3: "), "{error}");
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("CANARY"), "{shown}");
    }
}

#[test]
fn an_error_in_an_authorization_shows_no_value() {
    for error in [
        Authorization::bearer("Bearer CANARY").unwrap_err(),
        Authorization::bearer("CANARY\n").unwrap_err(),
        Authorization::api_key("apikey CANARY").unwrap_err(),
        Authorization::basic("CANARY:x", "CANARY").unwrap_err(),
        Authorization::basic("user", "CANARY\u{0}").unwrap_err(),
        SigningSecret::parse("whsec_CANARY!").unwrap_err(),
        SigningSecret::parse("CANARY").unwrap_err(),
    ] {
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains("CANARY"), "{shown}");
    }
}

#[test]
fn headers_that_hold_credentials_are_hidden() {
    for name in [
        "Authorization",
        "Cookie",
        "X-API-Key",
        "apikey",
        "Ocp-Apim-Subscription-Key",
        "X-Auth",
        "X-Amz-Security-Token",
        "x-client-secret",
        "X-Session-Id",
    ] {
        let header = Header::new(name, "CANARY").unwrap();
        assert!(header.is_sensitive(), "{name}");
        assert!(!format!("{header:?}").contains("CANARY"), "{name}");
    }
    for name in [
        "Content-Type",
        "X-Priority",
        "X-Author",
        "Accept",
        "Idempotency-Key",
        "X-Routing-Key",
    ] {
        assert!(!Header::new(name, "v").unwrap().is_sensitive(), "{name}");
    }
}

#[test]
fn signed_numbers_name_the_nearest_bound() {
    for (number, rule) in [
        (i64::MIN, "must be 3 or greater"),
        (-1, "must be 3 or greater"),
        (2, "must be 3 or greater"),
        (121, "must be 120 or less"),
        (i64::MAX, "must be 120 or less"),
    ] {
        assert_eq!(Timeout::try_from(number).unwrap_err().rule(), rule);
    }
    assert_eq!(Timeout::try_from(3).unwrap(), Timeout::MIN);
    assert_eq!(Timeout::try_from(120).unwrap(), Timeout::MAX);
    assert_eq!(
        Retries::try_from(-1).unwrap_err().rule(),
        "must be 0 or greater"
    );
    assert_eq!(
        Retries::try_from(101).unwrap_err().rule(),
        "must be 100 or less"
    );
    assert_eq!(Retries::try_from(100).unwrap().get(), 100);
    for refused in [0, 10_001, u32::MAX] {
        assert!(RateLimit::per_second(refused).is_err());
    }
    assert_eq!(RateLimit::per_second(10_000).unwrap().get().get(), 10_000);
}

#[test]
fn signing_secrets_are_validated_and_rotated_newest_first() {
    let secret = |byte: u8| SigningSecret::from_random([byte; 32]);
    for refused in ["", "whsec_", "whsec_AAAA", "whsk_AAAA", "whpk_AAAA", "AAAA"] {
        assert!(SigningSecret::parse(refused).is_err(), "{refused}");
    }
    assert_eq!(SigningSecret::parse(secret(1).expose()).unwrap(), secret(1));
    // The names of another system: Svix lets its users choose up to 75 bytes.
    for (bytes, fits) in [
        (15, false),
        (16, true),
        (75, true),
        (256, true),
        (257, false),
    ] {
        let text = format!("whsec_{}", STANDARD.encode(vec![7; bytes]));
        let imported = SigningSecret::imported(&text);
        assert_eq!(imported.is_ok(), fits, "{bytes}");
        assert!(imported.is_ok_and(|secret| secret.expose() == text) || !fits);
        assert!(SigningSecret::parse(&text).is_err(), "{bytes}");
    }
    let mut secrets = SigningSecrets::none();
    for byte in 0..9 {
        secrets = secrets.rotated(secret(byte), usize::MAX);
    }
    let kept: Vec<_> = secrets.iter().cloned().collect();
    assert_eq!(kept, [8, 7, 6, 5, 4].map(secret));
    assert_eq!(secrets.rotated(secret(9), 0).iter().count(), 1);
    assert!(SigningSecrets::new((0..6).map(secret).collect()).is_err());
}

#[test]
fn identifiers_and_objects_that_are_not() {
    for refused in [
        "",
        "Vms",
        "1vms",
        "_vms",
        "vm-s",
        "vms ",
        "vüs",
        &"v".repeat(65),
    ] {
        assert_eq!(
            refused.parse::<EventType>().unwrap_err().field().as_str(),
            "table"
        );
        assert_eq!(
            refused.parse::<EventName>().unwrap_err().field().as_str(),
            "event"
        );
    }
    assert!("site_syncs_outgoing".parse::<EventType>().is_ok());
    for refused in ["", "null", "[]", "{", "{} {}", "\"{}\""] {
        assert!(refused.parse::<JsonObject>().is_err(), "{refused}");
    }
    assert!(
        format!(r#"{{"a":"{}"}}"#, "x".repeat(64 * 1024))
            .parse::<JsonObject>()
            .is_err()
    );
    let object: JsonObject = r#"{"b": 1, "a": [null]}"#.parse().unwrap();
    assert_eq!(object.to_string().parse::<JsonObject>().unwrap(), object);
    for refused in ["", "a b", "é", "a\n", &"x".repeat(129)] {
        assert!(refused.parse::<OccurrenceId>().is_err(), "{refused:?}");
    }
}
