//! The console through `Management`: a change and its audit record come together or not at all, a
//! failing platform fails only the request that met it, and REST API and console write the same
//! words.

use std::collections::BTreeSet;

use tests::interfaces::{DoorSite, Mood, Pages, Rest, Roof as _, page, post, token, walk, words};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use webhook_model::{OwnerId, Webhook};

/// Returns the first line of the response to a request.
async fn status(site: &DoorSite, request: &[u8]) -> String {
    let mut stream = TcpStream::connect(site.addr).await.unwrap();
    stream.write_all(request).await.unwrap();
    let mut head = [0; 12];
    stream.read_exact(&mut head).await.unwrap();
    String::from_utf8_lossy(&head).into_owned()
}

#[tokio::test]
async fn console_disconnect_leaves_change_and_record_or_neither() {
    let (count, findings) = walk(&Pages).await;
    assert_eq!(count, 31);
    assert!(findings.is_empty(), "{findings:#?}");
}

#[tokio::test]
async fn successful_form_redirects_unless_it_shows_secret() {
    let count = Pages.acts(&DoorSite::start(&Pages).await).await.len();
    let mut shown = Vec::new();
    for nth in 0..count {
        let site = DoorSite::start(&Pages).await;
        let act = Pages.acts(&site).await.swap_remove(nth);
        match &*status(&site, &act.request).await {
            "HTTP/1.1 303" => {}
            "HTTP/1.1 200" => shown.push(act.what),
            other => panic!("{}: {other}", act.what),
        }
    }
    let secrets = [
        "create key",
        "roll key",
        "create webhook",
        "rotate signing secret",
    ];
    assert_eq!(shown, secrets);
}

#[tokio::test]
async fn console_and_rest_audit_the_same_operation() {
    let (rest, console) = (words(&Rest).await, words(&Pages).await);
    assert_eq!(console.len(), 31);
    for (what, word) in &console {
        assert_eq!(rest.get(what).unwrap_or(word), word, "{what}");
    }
    let only_here: BTreeSet<_> = console
        .keys()
        .filter(|what| !rest.contains_key(*what))
        .copied()
        .collect();
    let expected = [
        "disable event",
        "enable event",
        "remove signing secrets",
        "retire signing secrets",
        "rotate signing secret",
        "send test",
        "test task",
    ];
    assert_eq!(only_here, BTreeSet::from(expected));
}

/// User 2, who administers the tenant, reads the webhook of user 3: the platform must answer about
/// 3.
#[tokio::test(start_paused = true)]
async fn faulty_accounts_interface_fails_only_asking_request() {
    let site = DoorSite::start(&Pages).await;
    let url = "http://127.0.0.1:9/".parse().unwrap();
    let webhook = Webhook::new(OwnerId(3), "of 3".parse().unwrap(), url);
    let id = site.parts.engine.create_webhook(&webhook).await.unwrap().id;
    let csrf = token(&site, 2).await;
    let path = format!("/console/webhooks/{id}");
    let pause = post(2, &format!("{path}/do/pause"), &csrf, "");
    for mood in [Mood::Panics, Mood::Hangs, Mood::Errs] {
        site.parts.platform.set_accounts(mood);
        assert_eq!(page(&site, 2, &path).await.status, 503, "{mood:?}");
        assert_eq!(status(&site, &pause).await, "HTTP/1.1 503", "{mood:?}");
        // A user about whom the platform cannot answer cannot log in either; others are not
        // affected.
        assert_eq!(page(&site, 3, "/console/").await.status, 503, "{mood:?}");
        assert_eq!(page(&site, 1, &path).await.status, 200, "{mood:?}");
    }
    assert!(site.parts.heard.all().is_empty());
    site.parts.platform.set_accounts(Mood::Well);
    assert_eq!(status(&site, &pause).await, "HTTP/1.1 303");
    assert_eq!(site.parts.heard.all().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn faulty_login_interface_fails_only_asking_request() {
    let site = DoorSite::start(&Pages).await;
    for user in ["panics", "hangs"] {
        assert_eq!(page(&site, user, "/console/").await.status, 503, "{user}");
        assert_eq!(page(&site, 1, "/console/").await.status, 200, "{user}");
    }
}

#[tokio::test(start_paused = true)]
async fn faulty_directory_shows_number_instead_of_name() {
    let site = DoorSite::start(&Pages).await;
    let keys = "/console/keys?owner=1";
    let well = page(&site, 1, keys).await;
    well.shows("API keys of users 1");
    for mood in [Mood::Panics, Mood::Hangs, Mood::Errs] {
        site.parts.platform.set_directory(mood);
        let page = page(&site, 1, keys).await;
        assert_eq!(page.status, 200, "{mood:?}");
        assert!(page.has("API keys of user 1"), "{mood:?}: {}", page.html);
    }
}

#[tokio::test]
async fn audit_log_panic_does_not_undo_change() {
    let site = DoorSite::start(&Pages).await;
    let csrf = token(&site, 1).await;
    let path = format!("/console/webhooks/{}/do/pause", site.rows.webhook);
    site.parts.heard.set_panics(true);
    let answer = status(&site, &post(1, &path, &csrf, "")).await;
    assert_eq!(answer, "HTTP/1.1 303");
    let shown = page(
        &site,
        1,
        &format!("/console/webhooks/{}", site.rows.webhook),
    )
    .await;
    shown.shows(">Paused<");
    assert!(site.parts.heard.all().is_empty());
}
