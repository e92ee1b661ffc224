//! A system administrator finds which keys are in a text, and disables or deletes them.

use examples::client::call;
use tests::browser::typed::new_key;
use tests::browser::{Site, Visitor};
use tests::world::HERE;

const PAGE: &str = "/console/keys/leaked";

async fn probe(site: &Site, key: &str) -> u16 {
    let path = "/api/v4/system";
    let probed = call(site.addr, HERE, "GET", path, Some(key), None);
    probed.await.unwrap().status
}

#[tokio::test]
async fn the_keys_of_a_text_are_named_and_end_as_was_chosen_and_the_text_is_not_repeated() {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let first = new_key(&ulf, "ci").await.secret().unwrap();
    let second = new_key(&ulf, "<b>night</b>").await.secret().unwrap();
    let admin = Visitor::login(&site, "admin").await;
    assert!(admin.get("/console/keys").await.has(PAGE));
    let text = format!("2026 error: {first} \"{second}\" {first}\r\nmore");
    for (then, done, statuses) in [
        ("report", "Owner notified", [200, 200]),
        ("disable", "Disabled", [401, 401]),
    ] {
        let page = admin
            .submit(PAGE, &[("leaked", &text), ("then", then)])
            .await;
        assert_eq!(page.status, 200, "{}", page.html);
        assert!(page.has("The text contains 2 API keys.") && page.has(done));
        assert!(page.has("/console/keys/1\"") && page.has("&lt;b&gt;night"));
        assert!(!page.has(&first) && !page.has(&second) && !page.has("2026 error"));
        assert_eq!(
            [probe(&site, &first).await, probe(&site, &second).await],
            statuses
        );
    }
    let heard = site.heard();
    assert_eq!(
        heard.iter().filter(|line| line.contains("Disable")).count(),
        2,
        "{heard:?}"
    );

    let page = admin
        .submit(PAGE, &[("leaked", &*first), ("then", "delete")])
        .await;
    assert!(page.has("The text contains 1 API key.") && page.has("Deleted"));
    assert!(
        !page.has("/console/keys/1\""),
        "a key that is gone has no page"
    );
    let page = admin
        .submit(PAGE, &[("leaked", &*first), ("then", "delete")])
        .await;
    assert!(page.has("The text contains no API key."));
}

#[tokio::test]
async fn what_cannot_be_searched_is_refused_beside_its_field_and_nobody_else_finds_the_page() {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let key = new_key(&ulf, "ci").await.secret().unwrap();
    let admin = Visitor::login(&site, "admin").await;
    let long = format!("{key} {}", "x".repeat(1024 * 1024));
    for (leaked, then, field, says) in [
        ("", "report", "leaked", "Paste the text."),
        (&*key, "burn", "then", "Choose what happens to the keys."),
        (&*key, "", "then", "Choose what happens to the keys."),
        (
            &*long,
            "delete",
            "leaked",
            "Must be at most 1 MiB long; report it in parts.",
        ),
    ] {
        let page = admin
            .submit(PAGE, &[("leaked", leaked), ("then", then)])
            .await;
        assert_eq!((page.status, &*page.error(field)), (422, says));
        assert!(!page.has(&key), "it is not repeated");
    }
    for user in ["ulf", "tina", "vera"] {
        let visitor = Visitor::login(&site, user).await;
        assert!(!visitor.get("/console/keys").await.has(PAGE), "{user}");
        assert_eq!(visitor.get(PAGE).await.status, 404, "{user}");
        let fields = [("leaked", &*key), ("then", "delete")];
        let sent = visitor.fill("/console/keys/new", PAGE, &fields).await;
        assert_eq!(sent.status, 404, "{user}");
    }
    assert_eq!(probe(&site, &key).await, 200);
}
