//! A client certificate in the form of a webhook and on its page.

use std::sync::Arc;

use chrono::TimeDelta;
use gatepost_storage::ManualClock;
use tests::browser::form_input::hook;
use tests::browser::{Page, Site, Visitor};
use tests::mutual_tls::{Authority, Client};
use webhook_model::{ClientIdentity, WebhookId};

const NEW: &str = "/console/webhooks/new";
const EDIT: &str = "/console/webhooks/1/edit";
const SHOW: &str = "/console/webhooks/1";
const URL: &str = "https://example.com/in";

/// Returns the fields of a certificate and its key.
fn typed<'a>(certificate: &'a str, key: &'a str) -> [(&'a str, &'a str); 3] {
    [
        ("auth", "none"),
        ("client_certificate", certificate),
        ("client_key", key),
    ]
}

async fn stored(site: &Site) -> Option<ClientIdentity> {
    let row = site.engine.webhook(WebhookId(1)).await.unwrap().unwrap();
    row.value.client_identity
}

fn without_key(page: &Page, client: &Client) {
    assert!(!page.has(client.secret()), "{}", page.html);
}

#[tokio::test]
async fn certificate_is_stored_as_typed_and_key_hidden() {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let authority = Authority::new();
    let ada = authority.client("ada");
    // With the line ends that browsers send.
    let [certificate, key] = [&ada.certificate, &ada.key].map(|pem| pem.replace('\n', "\r\n"));
    let page = ulf
        .submit(NEW, &hook(URL, &typed(&certificate, &key)))
        .await;
    assert_eq!(page.status, 303, "{}", page.html);
    let made = stored(&site).await.unwrap();
    assert_eq!(
        made.key().expose().trim(),
        ada.key.replace("\r\n", "\n").trim()
    );
    for path in [SHOW, EDIT] {
        let page = ulf.get(path).await;
        assert!(
            page.has("Client certificate") && page.has("CN=ada"),
            "{}",
            page.html
        );
        assert!(!page.has("expires soon"), "{}", page.html);
        without_key(&page, &ada);
    }
    // Empty fields keep both; a certificate without a key is for the stored key.
    let page = ulf.submit(EDIT, &hook(URL, &typed("", ""))).await;
    assert_eq!(page.status, 303, "{}", page.html);
    assert_eq!(stored(&site).await.unwrap(), made);
    let renewed = authority.renewed("renewed", None, &ada.key).certificate;
    let page = ulf.submit(EDIT, &hook(URL, &typed(&renewed, ""))).await;
    assert_eq!(page.status, 303, "{}", page.html);
    assert!(ulf.get(SHOW).await.has("CN=renewed"));
    // Another server requires the key again.
    let moved = "https://evil.example/";
    let page = ulf.submit(EDIT, &hook(moved, &typed("", ""))).await;
    assert_eq!(page.status, 422, "{}", page.html);
    let asked = page.has("client_key-error") && page.has("enter it again");
    assert!(asked, "{}", page.html);
    let mut remove = typed("", "").to_vec();
    remove.push(("client_remove", "on"));
    let page = ulf.submit(EDIT, &hook(moved, &remove)).await;
    assert_eq!(page.status, 303, "{}", page.html);
    assert_eq!(stored(&site).await, None);
    assert!(!ulf.get(SHOW).await.has("Client certificate"));
}

#[tokio::test]
async fn invalid_client_certificate_shows_field_error() {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let authority = Authority::new();
    let (ada, bob) = (authority.client("ada"), authority.client("bob"));
    let (cert, key) = (&*ada.certificate, &*ada.key);
    for (url, certificate, key, field, rule) in [
        (URL, cert, "", "client_key", "Must be a private key in PEM"),
        (
            URL,
            "",
            key,
            "client_certificate",
            "Must be one or more certificates",
        ),
        (URL, key, key, "client_certificate", "belongs in client_key"),
        (
            URL,
            cert,
            &bob.key,
            "client_key",
            "does not belong to the first",
        ),
        (
            "http://example.com/",
            cert,
            key,
            "client_certificate",
            "https://",
        ),
    ] {
        let page = ulf.submit(NEW, &hook(url, &typed(certificate, key))).await;
        assert_eq!(page.status, 422, "{field}: {}", page.html);
        let beside = format!("id=\"{field}-error\"");
        assert!(page.has(&beside) && page.has(rule), "{rule}: {}", page.html);
        without_key(&page, &ada);
    }
}

#[tokio::test]
async fn certificate_fields_unfold_only_if_needed() {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let unfolded = "<details open><summary><h2>Client certificate";
    let wrong = [("timeout", "1")];
    let page = ulf.submit(NEW, &hook(URL, &wrong)).await;
    assert!(page.status == 422 && !page.has(unfolded), "{}", page.html);
    // A typed key is not repeated, and must be typed again.
    let page = ulf
        .submit(NEW, &hook(URL, &[("timeout", "1"), ("client_key", "k")]))
        .await;
    assert!(page.has(unfolded), "{}", page.html);
}

#[tokio::test]
async fn an_expiry_within_thirty_days_is_warned_about() {
    let now = "2027-06-15T12:00:00Z".parse().unwrap();
    let site = Site::start_at(Arc::new(ManualClock::at(now))).await;
    let ulf = Visitor::login(&site, "ulf").await;
    let authority = Authority::new();
    let mut at = NEW;
    for (days, words) in [(60, ""), (20, "expires soon"), (-1, "expired")] {
        let client = authority.client_until("ada", Some(now + TimeDelta::days(days)));
        let fields = typed(&client.certificate, &client.key);
        let page = ulf.submit(at, &hook(URL, &fields)).await;
        assert_eq!(page.status, 303, "{}", page.html);
        let page = ulf.get(SHOW).await;
        for badge in ["expires soon", "expired"] {
            let is_shown = page.has(&format!("\">{badge}</span>"));
            assert_eq!(is_shown, badge == words, "{days}: {}", page.html);
        }
        at = EDIT;
    }
}
