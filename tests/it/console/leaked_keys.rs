//! A system administrator finds the keys in a text, and disables or deletes them after a
//! confirmation.

use examples::client::call;
use tests::browser::form_input::new_key;
use tests::browser::{Page, Site, Visitor};
use tests::world::HERE;

const PAGE: &str = "/console/keys/leaked";

async fn probe(site: &Site, key: &str) -> u16 {
    let path = "/api/v4/system";
    let probed = call(site.addr, HERE, "GET", path, Some(key), None);
    probed.await.unwrap().status
}

#[tokio::test]
async fn leaked_keys_end_after_confirmation_without_repeating_text() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let first = new_key(&ulf, "ci").await.secret().unwrap();
    let second = new_key(&ulf, "<b>night</b>").await.secret().unwrap();
    let admin = Visitor::login(&site, "admin").await;
    assert!(admin.get("/console/keys").await.has(PAGE));
    let text = format!("2026 error: {first} \"{second}\" {first}\r\nmore");
    let pasted = |then| [("leaked", &*text), ("then", then)];
    let page = admin.submit(PAGE, &pasted("report")).await;
    assert!(page.has("The text contains 2 API keys.") && page.has("Owner notified"));
    assert!(page.has("/console/keys/1\"") && page.has("&lt;b&gt;night"));
    assert!(!page.has(&first) && !page.has(&second) && !page.has("2026 error"));

    for (then, title, button, done) in [
        (
            "disable",
            "Disable these 2 leaked API keys?",
            "Disable 2 keys",
            "2 API keys were disabled.",
        ),
        (
            "delete",
            "Delete these 2 leaked API keys?",
            "Delete 2 keys",
            "2 API keys were deleted.",
        ),
    ] {
        let before = [probe(&site, &first).await, probe(&site, &second).await];
        let question = admin.submit(PAGE, &pasted(then)).await.expect(200);
        assert!(question.has(title) && question.has(&format!("{button}</button>")));
        assert!(question.has("/console/keys/1\"") && question.has("&lt;b&gt;night"));
        assert!(!question.has(&first) && !question.has("2026 error"));
        let after = [probe(&site, &first).await, probe(&site, &second).await];
        assert_eq!(before, after, "the question alone does nothing");

        let page = answer(&admin, &question).await;
        page.shows(done);
        let is_there = page.has("/console/keys/1\"");
        assert_eq!(
            is_there,
            then == "disable",
            "a key that is gone has no page"
        );
        let after = [probe(&site, &first).await, probe(&site, &second).await];
        assert_eq!(after, [401, 401]);
        // When a reload sends the answer again, it finds the present state.
        let page = answer(&admin, &question).await;
        let again = if then == "disable" { "2" } else { "No" };
        page.shows(&format!("{again} API key"));
    }
    let heard = site.heard();
    let count = |word: &str| heard.iter().filter(|line| line.contains(word)).count();
    assert_eq!((count("Disable"), count("Delete")), (4, 2), "{heard:?}");
    let page = admin.submit(PAGE, &pasted("delete")).await;
    assert!(page.has("The text contains no API key."));
}

/// Presses the button of a confirmation.
async fn answer(admin: &Visitor, question: &Page) -> Page {
    let hidden = question.hidden();
    let fields = hidden
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()));
    admin.post(PAGE, &fields.collect::<Vec<_>>()).await
}

#[tokio::test]
async fn leaked_keys_form_marks_errors_and_excludes_others() {
    let (site, ulf) = Site::visited_by("ulf").await;
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
        let fields = [("end", "delete"), ("keys", "1")];
        let sent = visitor.fill("/console/keys/new", PAGE, &fields).await;
        assert_eq!(sent.status, 404, "{user}");
    }
    assert_eq!(probe(&site, &key).await, 200);
}
