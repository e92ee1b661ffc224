//! The list of changes: which user changed what, as far as the user may see, in pages, by record,
//! by actor, and searched.

use std::time::Duration;

use tests::browser::{Setup, Site, Visitor};

/// Waits until everything is stored.
async fn settled(site: &Site) {
    let log = site.log.as_ref().unwrap();
    let stored = tokio::time::timeout(Duration::from_secs(60), log.flush());
    stored.await.unwrap();
}

async fn make(visitor: &Visitor, name: &str) {
    let fields = [
        ("name", name),
        ("url", "https://example.com/a-path-that-is-not-shown"),
        ("auth", "none"),
        ("header_mode", "text"),
        ("headers_text", "Content-Type: application/json"),
        ("timeout", "3"),
        ("retries", "0"),
        ("enabled", "on"),
    ];
    let page = visitor.submit("/console/webhooks/new", &fields).await;
    page.expect(303);
}

#[tokio::test]
async fn users_read_and_search_only_their_own_changes() {
    let site = Site::start().await;
    let (ulf, vera) = (
        Visitor::login(&site, "ulf").await,
        Visitor::login(&site, "vera").await,
    );
    let empty = ulf.get("/console/changes").await;
    empty.shows("No changes yet");
    make(&ulf, "chat").await;
    make(&ulf, "mail").await;
    make(&vera, "secret-of-vera").await;
    settled(&site).await;

    let list = ulf.get("/console/changes").await;
    assert_eq!(list.status, 200);
    list.shows("2 changes");
    list.shows("chat");
    list.shows("mail");
    list.hides("secret-of-vera");
    list.hides("a-path-that");
    assert!(list.has("127.0.0.1"), "from where");
    assert!(
        list.html.find("mail") < list.html.find("chat"),
        "newest first"
    );

    let found = ulf.get("/console/changes?q=chat").await;
    found.shows("1 of 2 changes matches");
    found.hides("mail");
    let page = ulf.get("/console/webhooks/1").await;
    let link = "/console/changes?record=webhook_urls%2F1";
    assert!(
        page.has(&format!("href=\"{link}\"")),
        "the page of the record leads there"
    );
    let of_record = ulf.get(link).await;
    assert!(of_record.has("Only the changes of one record are listed."));
    of_record.shows("chat");
    of_record.hides("mail");
    let others = ulf.get("/console/changes?record=webhook_urls%2F3").await;
    others.hides("secret-of-vera");
    let admin = Visitor::login(&site, "admin").await;
    assert!(admin.get("/console/changes").await.has("secret-of-vera"));
}

#[tokio::test]
async fn many_changes_are_walked_in_pages() {
    let (site, ulf) = Site::visited_by("ulf").await;
    make(&ulf, "chat").await;
    let actor = site.management.of(&site.user(3));
    let hooks = actor.webhooks(&all()).await.unwrap().rows;
    for _ in 0..60 {
        actor.pause_webhook(hooks[0].id).await.unwrap();
    }
    settled(&site).await;
    let first = ulf.get("/console/changes").await;
    first.shows("61 changes");
    first.shows("rel=\"next\"");
    assert!(first.html.len() < 60 * 1024, "{} bytes", first.html.len());
    assert!(!first.has("Created"), "the oldest is on the next page");
    let next = first.html.split("rel=\"next\" href=\"").nth(1).unwrap();
    let next = next.split('"').next().unwrap();
    assert!(ulf.get(next).await.has("Created"));
}

#[tokio::test]
async fn changes_page_and_link_are_absent_without_log() {
    let setup = Setup {
        audit_store: None,
        ..Setup::new()
    };
    let site = setup.start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    make(&ulf, "chat").await;
    assert_eq!(ulf.get("/console/changes").await.status, 404);
    assert!(!ulf.get("/console/webhooks/1").await.has("/console/changes"));
}

fn all() -> gatepost_storage::webhooks::WebhookQuery {
    gatepost_storage::webhooks::WebhookQuery {
        scope: gatepost_storage::Scope::All,
        name: None,
        page: gatepost_storage::Page::first(9),
    }
}
