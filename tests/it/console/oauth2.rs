//! OAuth 2 clients in the form of a webhook and on its page.

use tests::browser::Site;
use tests::browser::form_input::hook;
use webhook_model::{Authorization, ClientAuthentication, OAuth2};

const NEW: &str = "/console/webhooks/new";
const EDIT: &str = "/console/webhooks/1/edit";
const URL: &str = "https://example.com/in";
const SECRET: &str = "cl1ent-s3cret";

/// Returns the fields of a client with this secret.
fn client<'a>(token_url: &'a str, secret: &'a str) -> [(&'a str, &'a str); 6] {
    [
        ("auth", "oauth2"),
        ("oauth_token_url", token_url),
        ("oauth_client_id", "me"),
        ("oauth_secret", secret),
        ("oauth_scope", "a:read b"),
        ("oauth_client_auth", "body"),
    ]
}

async fn stored(site: &Site) -> OAuth2 {
    match site.webhook(1).await.authorization {
        Authorization::OAuth2(client) => *client,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn oauth_client_is_stored_and_secret_never_shown() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let fields = client("https://id.example.com/token", SECRET);
    ulf.submit(NEW, &hook(URL, &fields)).await.expect(303);
    let made = stored(&site).await;
    assert_eq!(made.client_secret().expose(), SECRET);
    assert_eq!(made.scope(), "a:read b");
    assert_eq!(made.authentication(), ClientAuthentication::Body);
    let page = ulf.get("/console/webhooks/1").await;
    page.shows_all(["OAuth 2", "https://id.example.com/token", "a:read b"]);
    page.hides(SECRET);
    let form = ulf.get(EDIT).await;
    form.shows_all([
        "https://id.example.com/token",
        "a:read b",
        "Leave empty to keep it",
    ]);
    form.hides(SECRET);
    // An empty secret is kept; another server requires it again.
    let fields = client("https://id.example.com/token", "");
    ulf.submit(EDIT, &hook(URL, &fields)).await.expect(303);
    assert_eq!(stored(&site).await.client_secret().expose(), SECRET);
    let fields = client("https://evil.example/", "");
    let page = ulf.submit(EDIT, &hook(URL, &fields)).await.expect(422);
    page.hides(SECRET);
    assert_eq!(
        stored(&site).await.token_url().as_str(),
        "https://id.example.com/token"
    );
}

#[tokio::test]
async fn invalid_oauth_client_shows_field_error() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    for (field, typed, rule) in [
        (
            "oauth_token_url",
            "http://id.example.com/",
            "Must begin with https://",
        ),
        ("oauth_token_url", "https://10.0.0.1/", "Cannot be asked"),
        ("oauth_client_id", "", "Required"),
        ("oauth_secret", "", "Required"),
        ("oauth_scope", "a  b", "separated by one space"),
    ] {
        let mut fields = client("https://id.example.com/token", SECRET);
        let at = fields.iter().position(|(name, _)| *name == field).unwrap();
        fields[at].1 = typed;
        let page = ulf.submit(NEW, &hook(URL, &fields)).await;
        assert_eq!(page.status, 422, "{field}: {}", page.html);
        let beside = format!("id=\"{field}-error\"");
        assert!(
            page.has(&beside) && page.has(rule),
            "{field}: {}",
            page.html
        );
        page.hides(SECRET);
    }
}
