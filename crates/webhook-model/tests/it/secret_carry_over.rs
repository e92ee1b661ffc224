//! Stored secrets do not follow a webhook that is edited to have another URL.

use webhook_model::{
    Authorization, Field, Headers, OAuth2, OwnerId, ResubmittedSecrets, SigningSecret,
    SigningSecrets, Webhook,
};

const ALL: [Field; 3] = [
    Field::AuthorizationValue,
    Field::Headers,
    Field::SigningSecrets,
];

fn stored() -> Webhook {
    let secret = SigningSecret::from_random([7; 32]);
    Webhook {
        authorization: Authorization::bearer("s3cret").unwrap(),
        headers: Headers::parse_lines("X-Route:a\nX-Token:t0ken\n").unwrap(),
        signing: SigningSecrets::new(vec![secret]).unwrap(),
        ..Webhook::new(
            OwnerId(1),
            "chat".parse().unwrap(),
            "https://chat.example.com/in".parse().unwrap(),
        )
    }
}

fn carried(edit: impl FnOnce(&mut Webhook)) -> Vec<Field> {
    let mut webhook = stored();
    edit(&mut webhook);
    webhook.carried_elsewhere(&stored(), ResubmittedSecrets::default())
}

#[test]
fn another_origin_leaves_every_stored_secret_behind() {
    for url in [
        "http://chat.example.com/in",
        "https://chat.example.com:444/in",
        "https://chat.example.org/in",
        "https://chat.example.com./in",
        "https://xn--caf-dma.example.com/in",
        "https://10.0.0.1/in",
        "https://[2001:db8::1]/in",
    ] {
        assert_eq!(carried(|w| w.url = url.parse().unwrap()), ALL, "{url}");
    }
}

/// Services give each user their own path or query of one origin.
#[test]
fn another_path_leaves_every_stored_secret_behind() {
    for url in [
        "https://chat.example.com/other",
        "https://chat.example.com/in/",
        "https://chat.example.com/IN",
        "https://chat.example.com/%69n",
        "https://chat.example.com/",
        "https://chat.example.com/in?a=b",
        "https://chat.example.com/in?",
    ] {
        assert_eq!(carried(|w| w.url = url.parse().unwrap()), ALL, "{url}");
    }
    for url in [
        "https://chat.example.com:443/in",
        "HTTPS://CHAT.Example.com/in",
        "https://chat.example.com/a/../in",
    ] {
        assert_eq!(carried(|w| w.url = url.parse().unwrap()), [], "{url}");
    }
}

#[test]
fn oauth2_client_secret_stays_with_token_endpoint() {
    let client = |url| {
        let client = OAuth2::new(url, "me", "s3cret").unwrap();
        Authorization::OAuth2(Box::new(client))
    };
    let before = Webhook {
        authorization: client("https://id.example.com/token"),
        ..stored()
    };
    let carried = |authorization, entered| {
        let webhook = Webhook {
            authorization,
            ..before.clone()
        };
        webhook.carried_elsewhere(&before, entered)
    };
    let none = ResubmittedSecrets::default();
    let entered = none.with_authorization(true);
    let value = [Field::AuthorizationValue];
    for url in [
        "https://id.example.org/token",
        "https://id.example.com:444/token",
        "https://id.example.com/other",
        "https://id.example.com/token?realm=other",
    ] {
        assert_eq!(carried(client(url), none), value, "{url}");
        assert_eq!(carried(client(url), entered), [], "{url}");
    }
    let same = client("https://ID.example.com:443/token");
    assert_eq!(carried(same, none), []);
    // A bearer token would be sent to the target.
    assert_eq!(
        carried(Authorization::bearer("s3cret").unwrap(), none),
        value
    );
    assert_eq!(carried(Authorization::None, none), []);
}

#[test]
fn accepting_any_certificate_leaves_them_behind_over_https() {
    assert_eq!(carried(|w| w.allow_insecure = true), ALL);
    let insecure = Webhook {
        allow_insecure: true,
        ..stored()
    };
    let to_secure = stored().carried_elsewhere(&insecure, ResubmittedSecrets::default());
    assert_eq!(to_secure, [], "switched off");
    let open = Webhook {
        url: "http://chat.example.com/in".parse().unwrap(),
        ..stored()
    };
    let switched = Webhook {
        allow_insecure: true,
        ..open.clone()
    };
    let carried = switched.carried_elsewhere(&open, ResubmittedSecrets::default());
    assert_eq!(carried, [], "there are no certificates");
}

#[test]
fn removed_replaced_or_resubmitted_secrets_are_not_carried() {
    let moved = |w: &mut Webhook| w.url = "https://evil.example/".parse().unwrap();
    let left = carried(|w| {
        moved(w);
        w.authorization = Authorization::None;
    });
    assert_eq!(left, ALL[1..]);
    let left = carried(|w| {
        moved(w);
        w.authorization = Authorization::bearer("another").unwrap();
        w.headers = Headers::parse_lines("X-Route:a\nX-Token:another\n").unwrap();
        w.signing = SigningSecrets::none();
    });
    assert_eq!(left, []);
    let all = ResubmittedSecrets::default()
        .with_authorization(true)
        .with_client_key(true)
        .with_headers(true)
        .with_signing(true);
    let mut webhook = stored();
    moved(&mut webhook);
    assert_eq!(webhook.carried_elsewhere(&stored(), all), []);
}

#[test]
fn renamed_secret_still_counts_as_carried_over() {
    let moved = |w: &mut Webhook| w.url = "https://evil.example/".parse().unwrap();
    let left = carried(|w| {
        moved(w);
        w.authorization = Authorization::api_key("s3cret").unwrap();
        w.headers = Headers::parse_lines("X-Harmless:t0ken\n").unwrap();
        let rotated = w.signing.rotated(SigningSecret::from_random([8; 32]), 1);
        w.signing = rotated;
    });
    assert_eq!(left, ALL);
    let with = |user: &str, password: &str| Webhook {
        authorization: Authorization::basic(user, password).unwrap(),
        headers: Headers::EMPTY,
        signing: SigningSecrets::none(),
        ..stored()
    };
    let to = |user: &str, password: &str| {
        let mut webhook = with(user, password);
        moved(&mut webhook);
        webhook
    };
    let none = ResubmittedSecrets::default();
    let other_user = to("other", "p").carried_elsewhere(&with("bot", "p"), none);
    assert_eq!(other_user, ALL[..1], "the password is kept");
    let key = to("sk_live", "").carried_elsewhere(&with("sk_live", ""), none);
    assert_eq!(key, ALL[..1], "a key in the place of the user");
}

#[test]
fn the_refusal_names_every_field_and_no_value() {
    let mut webhook = stored();
    webhook.url = "https://evil.example/".parse().unwrap();
    let error = webhook
        .check_elsewhere(&stored(), ResubmittedSecrets::default())
        .unwrap_err();
    assert_eq!(error.field(), Field::AuthorizationValue);
    let text = error.to_string();
    for part in ["sent again or cleared", "headers", "signing_secrets"] {
        assert!(text.contains(part), "{text}");
    }
    for secret in ["s3cret", "t0ken", "whsec_"] {
        assert!(!text.contains(secret), "{text}");
    }
}
