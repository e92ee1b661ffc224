//! The operations on the pages of a webhook: signing, tests, deletion, and the permissions for them
//! (SPEC 2.2), without a browser.

use axum::http::StatusCode;
use examples::receiver::Receiver;
use tests::browser::form_input::hook;
use tests::browser::{Site, Visitor};

const NEW: &str = "/console/webhooks/new";

#[tokio::test]
async fn created_or_rotated_signing_secret_is_shown_once() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let page = ulf
        .submit(NEW, &hook("https://example.com/", &[("sign", "on")]))
        .await;
    let first = page.secret().unwrap();
    assert!(first.starts_with("whsec_") && page.header("cache-control") == "no-store");
    let signing = "/console/webhooks/1/signing";
    let show = ulf.get(signing).await;
    assert!(!show.has(&first) && show.has("Rotate signing secret"));
    let rotated = ulf.submit(signing, &[]).await;
    let second = rotated.secret().unwrap();
    assert_ne!(first, second);
    let active: Vec<_> = site
        .webhook(1)
        .await
        .signing
        .iter()
        .map(|s| s.expose().to_owned())
        .collect();
    assert_eq!(active, [second.clone(), first.clone()]);
    // The guide continues at the record's state, and ends when only the newest secret is left.
    let guide = ulf.get(signing).await;
    assert!(guide.has("two secrets") && guide.has("Remove old secret"));
    assert!(!guide.has(&first) && !guide.has(&second));
    let retire = "/console/webhooks/1/signing/retire";
    assert!(ulf.get(retire).await.has("cannot be restored"));
    let retired = ulf.submit(retire, &[]).await;
    retired.leads_to("/console/webhooks/1?done=retired");
    let left = site.webhook(1).await.signing;
    let left: Vec<_> = left.iter().map(|s| s.expose().to_owned()).collect();
    assert_eq!(left, std::slice::from_ref(&second));
    // The same form sent again rotates nothing and shows nothing.
    let hidden = show.hidden();
    let fields: Vec<_> = hidden
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    assert!(
        ulf.post("/console/webhooks/1/signing", &fields)
            .await
            .secret()
            .is_some()
    );
    let again = ulf.post("/console/webhooks/1/signing", &fields).await;
    assert!(again.secret().is_none() && again.has("already submitted"));
    // A confirmation comes before signing ends.
    let remove = "/console/webhooks/1/signing/remove";
    assert!(ulf.get(remove).await.has("no longer be signed"));
    assert!(!site.webhook(1).await.signing.is_empty());
    ulf.submit(remove, &[]).await;
    assert!(site.webhook(1).await.signing.is_empty());
}

#[tokio::test]
async fn test_of_a_webhook_is_a_marked_delivery() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let receiver = Receiver::start(None).await.unwrap();
    let url = format!("http://{}/in", receiver.addr);
    ulf.submit(NEW, &hook(&url, &[])).await;
    let test = "/console/webhooks/1/test";
    let page = ulf
        .fill(
            "/console/webhooks/1",
            test,
            &[
                ("message", "{\"x\":\"${SITE}\",\"of\":\"${NAME}\"}"),
                ("name", "web-1"),
            ],
        )
        .await
        .expect(303);
    page.leads_to("/console/deliveries/1?done=tested");
    assert_eq!(
        receiver.wait_for("/in", 1).await.unwrap().body,
        r#"{"x":"north","of":"web-1"}"#
    );
    site.ended(1).await;
    let page = ulf.get("/console/deliveries/1").await;
    page.shows_all([">Delivered<", ">Test<", "200"]);
    assert!(ulf.get(test).await.has("value=\"web-1\""));
    receiver.answer_with(&[StatusCode::SERVICE_UNAVAILABLE]);
    let page = ulf
        .fill(
            "/console/webhooks/1",
            test,
            &[("message", "<script>alert(1)</script>")],
        )
        .await;
    page.leads_to("/console/deliveries/2?done=tested");
    site.ended(2).await;
    let page = ulf.get("/console/deliveries/2").await;
    page.shows(">Failed<");
    page.shows("503");
    page.hides("<script>alert");
    let long = "x".repeat((1 << 20) + 1);
    let page = ulf
        .fill("/console/webhooks/1", test, &[("message", &long)])
        .await
        .expect(422);
    page.shows("Nothing was sent.");
}

#[tokio::test]
async fn webhook_in_use_is_deleted_only_with_tasks() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    ulf.submit(NEW, &hook("https://example.com/", &[])).await;
    ulf.submit(
        "/console/tasks/new",
        &[
            ("name", "tell <them>"),
            ("webhook", "1"),
            ("message", "x"),
            ("enabled", "on"),
        ],
    )
    .await;
    let delete = "/console/webhooks/1/delete";
    assert!(ulf.get(delete).await.has("tell &lt;them&gt;"));
    let page = ulf.submit(delete, &[]).await;
    assert_eq!(page.status, 409);
    assert!(page.has("tell &lt;them&gt;"));
    let page = ulf.submit(delete, &[("cascade", "on")]).await;
    page.leads_to("/console/webhooks?done=deleted");
    assert!(ulf.get("/console/tasks").await.has("No tasks yet"));
}

#[tokio::test]
async fn webhooks_are_visible_only_to_owner_and_administrators() {
    let (site, ulf) = Site::visited_by("ulf").await;
    ulf.submit(NEW, &hook("https://example.com/", &[])).await;
    let vera = Visitor::login(&site, "vera").await;
    for what in ["", "/edit", "/delete", "/live"] {
        let path = format!("/console/webhooks/1{what}");
        assert_eq!(vera.get(&path).await.status, 404, "{path}");
        for user in ["admin", "tina", "ulf"] {
            let user = Visitor::login(&site, user).await;
            assert_eq!(user.get(&path).await.status, 200, "{path}");
        }
    }
    assert!(vera.get("/console/webhooks").await.has("No webhooks yet"));
    for what in [
        "edit",
        "delete",
        "test",
        "signing",
        "signing/remove",
        "do/pause",
        "do/resume",
    ] {
        let path = format!("/console/webhooks/1/{what}");
        let page = vera
            .fill(NEW, &path, &hook("https://example.com/", &[]))
            .await;
        assert_eq!(page.status, 404, "{path}");
    }
    let page = vera
        .fill(
            NEW,
            "/console/webhooks/check?id=1",
            &hook("https://e.com/", &[]),
        )
        .await;
    assert_eq!(page.status, 404);
    assert_eq!(site.heard().len(), 1);
    ulf.fill("/console/webhooks/1", "/console/webhooks/1/do/pause", &[])
        .await;
    assert!(ulf.get("/console/webhooks/1").await.has(">Paused<"));
    // An edit of another field does not resume it.
    ulf.submit(
        "/console/webhooks/1/edit",
        &hook("https://example.com/2", &[]),
    )
    .await;
    assert!(ulf.get("/console/webhooks/1").await.has(">Paused<"));
}
