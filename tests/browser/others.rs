//! Other sites and other users, in a real browser: a forged form changes nothing, a frame stays
//! empty, and another user's page does not exist.

use std::net::SocketAddr;

use axum::Router;
use axum::response::Html;
use axum::routing::get;
use serde_json::json;
use tests::browser::{Browser, Look, Site, Visitor};
use tokio::net::TcpListener;

/// Starts an attacking site: with a form that sends itself, and a frame.
async fn evil(ours: SocketAddr) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let addr = listener.local_addr().unwrap();
    let form = format!(
        "<form method=post action='http://{ours}/console/keys/new'><input name=name value=forged><input name=expires_type value=never><input name=ticket value=AAAAAAAAAAAAAAAAAAAAAA><input name=csrf value=guess></form><script>document.forms[0].submit()</script>"
    );
    let frame = format!("<iframe src='http://{ours}/console/keys/1/delete'></iframe>");
    let app = Router::new()
        .route("/form", get(async || Html(form)))
        .route("/frame", get(async || Html(frame)));
    let forever = std::future::pending();
    tokio::spawn(examples::serve::serve(listener, None, app, forever));
    addr
}

#[tokio::test(flavor = "multi_thread")]
async fn a_form_of_another_site_changes_nothing() {
    let site = Site::start().await;
    let evil = evil(site.addr).await;
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("admin").await;
        // Another port is the same site, so the cookie is sent: the form is refused.
        b.driver.goto(format!("http://{evil}/form")).await.unwrap();
        b.until("h1", "Nothing was changed").await;
        // From another site the cookie is not even sent.
        b.driver
            .goto(format!("http://localhost:{}/form", evil.port()))
            .await
            .unwrap();
        b.until("h1", "Logged out").await;
        b.goto("/console/keys").await;
        b.until("main", "No API keys yet").await;
    })
    .await;
    assert!(site.heard().is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn no_page_is_shown_in_a_frame() {
    let site = Site::start().await;
    let admin = Visitor::login(&site, "admin").await;
    admin
        .submit(
            "/console/keys/new",
            &[("name", "k"), ("expires_type", "never")],
        )
        .await;
    let evil = evil(site.addr).await;
    Browser::run(&site, Look::default(), async move |b: Browser| {
        b.login("admin").await;
        b.driver.goto(format!("http://{evil}/frame")).await.unwrap();
        b.see("iframe").await;
        let complaints = b.complaints().await;
        assert!(
            complaints
                .iter()
                .any(|said| said.contains("frame-ancestors 'none'")),
            "{complaints:?}"
        );
        b.driver.enter_frame(0).await.unwrap();
        assert!(!b.source().await.contains("Delete key"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn another_users_pages_are_not_there() {
    let site = Site::start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    ulf.submit(
        "/console/keys/new",
        &[("name", "ulf's own"), ("expires_type", "never")],
    )
    .await;
    let hook = [
        ("name", "ulf's own"),
        ("url", "https://example.com/"),
        ("auth", "none"),
        ("timeout", "5"),
        ("retries", "0"),
    ];
    ulf.submit("/console/webhooks/new", &hook).await;
    ulf.submit(
        "/console/tasks/new",
        &[("name", "ulf's own"), ("webhook", "1"), ("message", "x")],
    )
    .await;
    Browser::run(&site, Look::default(), async |b: Browser| {
        b.login("vera").await;
        for path in [
            "keys/1/edit",
            "keys/1/delete",
            "webhooks/1",
            "webhooks/1/edit",
            "tasks/1/edit",
            "tasks/1/delete",
            "deliveries?webhook=1",
        ] {
            b.goto(&format!("/console/{path}")).await;
            assert_eq!(b.text("h1").await, "Not found", "{path}");
        }
        for path in [
            "",
            "keys",
            "webhooks",
            "tasks",
            "tasks/new",
            "events",
            "deliveries",
        ] {
            b.goto(&format!("/console/{path}")).await;
            assert!(!b.source().await.contains("ulf"), "{path}");
        }
        // After a logout the pages cannot be opened, even by Back.
        b.click(".user button").await;
        b.until("h1", "Log in").await;
        b.driver.back().await.unwrap();
        b.until("h1", "Log in").await;
        assert_eq!(
            b.script("return document.querySelector('[name=back]').value")
                .await,
            json!("/console/deliveries")
        );
    })
    .await;
}
