//! A client certificate in the form of a webhook and on its page.

use std::sync::Arc;

use chrono::TimeDelta;
use gatepost_storage::ManualClock;
use tests::browser::form_input::hook;
use tests::browser::{Site, Visitor};
use tests::mutual_tls::Authority;

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

#[tokio::test]
async fn certificate_is_stored_as_typed_and_key_hidden() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let authority = Authority::new();
    let ada = authority.client("ada");
    // With the line ends that browsers send.
    let [certificate, key] = [&ada.certificate, &ada.key].map(|pem| pem.replace('\n', "\r\n"));
    ulf.submit(NEW, &hook(URL, &typed(&certificate, &key)))
        .await
        .expect(303);
    let made = site.webhook(1).await.client_identity.unwrap();
    assert_eq!(
        made.key().expose().trim(),
        ada.key.replace("\r\n", "\n").trim()
    );
    for path in [SHOW, EDIT] {
        let page = ulf.get(path).await;
        page.shows("Client certificate");
        page.shows("CN=ada");
        page.hides("expires soon");
        page.hides(ada.secret());
    }
    // Empty fields keep both; a certificate without a key is for the stored key.
    ulf.submit(EDIT, &hook(URL, &typed("", "")))
        .await
        .expect(303);
    assert_eq!(site.webhook(1).await.client_identity.unwrap(), made);
    let renewed = authority.renewed("renewed", None, &ada.key).certificate;
    ulf.submit(EDIT, &hook(URL, &typed(&renewed, "")))
        .await
        .expect(303);
    assert!(ulf.get(SHOW).await.has("CN=renewed"));
    // Another server requires the key again.
    let moved = "https://evil.example/";
    let page = ulf
        .submit(EDIT, &hook(moved, &typed("", "")))
        .await
        .expect(422);
    let asked = page.has("client_key-error") && page.has("enter it again");
    assert!(asked, "{}", page.html);
    let mut remove = typed("", "").to_vec();
    remove.push(("client_remove", "on"));
    ulf.submit(EDIT, &hook(moved, &remove)).await.expect(303);
    assert_eq!(site.webhook(1).await.client_identity, None);
    assert!(!ulf.get(SHOW).await.has("Client certificate"));
}

#[tokio::test]
async fn invalid_client_certificate_shows_field_error() {
    let (_site, ulf) = Site::visited_by("ulf").await;
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
        page.hides(ada.secret());
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
        ulf.submit(at, &hook(URL, &fields)).await.expect(303);
        let page = ulf.get(SHOW).await;
        for badge in ["expires soon", "expired"] {
            let is_shown = page.has(&format!("\">{badge}</span>"));
            assert_eq!(is_shown, badge == words, "{days}: {}", page.html);
        }
        at = EDIT;
    }
}
