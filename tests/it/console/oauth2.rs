//! OAuth 2 clients in the form of a webhook and on its page.

use tests::browser::form_input::hook;
use tests::browser::{Page, Site, Visitor};
use webhook_model::{Authorization, ClientAuthentication, OAuth2, WebhookId};

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
    let row = site.engine.webhook(WebhookId(1)).await.unwrap().unwrap();
    match row.value.authorization {
        Authorization::OAuth2(client) => *client,
        other => panic!("{other:?}"),
    }
}

fn without_secret(page: &Page) {
    assert!(!page.has(SECRET), "{}", page.html);
}

#[tokio::test]
async fn oauth_client_is_stored_and_secret_never_shown() {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let fields = client("https://id.example.com/token", SECRET);
    let page = ulf.submit(NEW, &hook(URL, &fields)).await;
    assert_eq!(page.status, 303, "{}", page.html);
    let made = stored(&site).await;
    assert_eq!(made.client_secret().expose(), SECRET);
    assert_eq!(made.scope(), "a:read b");
    assert_eq!(made.authentication(), ClientAuthentication::Body);
    let page = ulf.get("/console/webhooks/1").await;
    for shown in ["OAuth 2", "https://id.example.com/token", "a:read b"] {
        assert!(page.has(shown), "{shown}: {}", page.html);
    }
    without_secret(&page);
    let form = ulf.get(EDIT).await;
    for shown in [
        "https://id.example.com/token",
        "a:read b",
        "Leave empty to keep it",
    ] {
        assert!(form.has(shown), "{shown}: {}", form.html);
    }
    without_secret(&form);
    // An empty secret is kept; another server requires it again.
    let fields = client("https://id.example.com/token", "");
    let page = ulf.submit(EDIT, &hook(URL, &fields)).await;
    assert_eq!(page.status, 303, "{}", page.html);
    assert_eq!(stored(&site).await.client_secret().expose(), SECRET);
    let fields = client("https://evil.example/", "");
    let page = ulf.submit(EDIT, &hook(URL, &fields)).await;
    assert_eq!(page.status, 422, "{}", page.html);
    without_secret(&page);
    assert_eq!(
        stored(&site).await.token_url().as_str(),
        "https://id.example.com/token"
    );
}

#[tokio::test]
async fn invalid_oauth_client_shows_field_error() {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
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
        without_secret(&page);
    }
}
