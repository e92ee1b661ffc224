//! Requests that a page of another site makes a browser send: if the browser adds a login by
//! itself, such as a password that it keeps for this site, nothing is changed.

use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tests::entry_points::{Doors, PASSWORD};

const HERE: &str = "127.0.0.1";
const WEBHOOKS: &str = "/api/v4/webhook_urls";

/// Returns a request of a browser that has this password for the site, from a page of this kind.
fn browsed(doors: &Doors, method: Method, path: &str, page: Option<&str>) -> RequestBuilder {
    let request = doors.request(HERE, method, path);
    let request = request.basic_auth("admin", Some(PASSWORD));
    match page {
        Some(page) => request.header("sec-fetch-site", page),
        None => request,
    }
}

/// A request that any page can send without a preflight: a form, an image, a script without CORS.
fn hook(name: &str) -> String {
    json!({"name": name, "url": "https://evil.example/", "delivery_mode": "fetch"}).to_string()
}

#[tokio::test]
async fn cross_site_form_changes_nothing_over_api() {
    let doors = Doors::open().await;
    let post = async |name: &str, page: Option<&str>, kind: Option<&str>| {
        let request = browsed(&doors, Method::POST, WEBHOOKS, page).body(hook(name));
        let request = match kind {
            Some(kind) => request.header("content-type", kind),
            None => request,
        };
        request.send().await.unwrap()
    };
    for page in ["cross-site", "same-site", "anything"] {
        for kind in [
            Some("text/plain"),
            Some("TEXT/PLAIN; charset=utf-8"),
            Some("application/x-www-form-urlencoded"),
            Some("multipart/form-data; boundary=x"),
            Some("application/jsonp"),
            None,
        ] {
            let refused = post("forged", page.into(), kind).await;
            assert_eq!(refused.status(), 403, "{page} {kind:?}");
            let said = refused.text().await.unwrap();
            assert!(said.contains("another site"), "{said}");
        }
    }
    // Another site may send JSON only if the platform permits it (CORS), and only a browser says
    // from which site a request comes.
    for (at, (page, kind)) in [
        (Some("cross-site"), Some("application/json")),
        (Some("same-site"), Some("application/json; charset=utf-8")),
        (Some("same-origin"), Some("text/plain")),
        (Some("none"), None),
        (None, None),
    ]
    .into_iter()
    .enumerate()
    {
        let made = post(&format!("w{at}"), page, kind).await;
        assert_eq!(made.status(), 201, "{page:?} {kind:?}");
    }
    let key = format!("Bearer {}", doors.world.admin);
    let by_key = doors.request(HERE, Method::POST, WEBHOOKS);
    let by_key = by_key.header("authorization", key).body(hook("by key"));
    let by_key = by_key.header("sec-fetch-site", "cross-site");
    let by_key = by_key.send().await.unwrap();
    assert_eq!(by_key.status(), 201, "no browser adds a key by itself");
}

#[tokio::test]
async fn an_image_of_another_site_acknowledges_no_message() {
    let doors = Doors::open().await;
    let made = browsed(&doors, Method::POST, WEBHOOKS, None).body(hook("w"));
    assert_eq!(made.send().await.unwrap().status(), 201);
    let messages = format!("{WEBHOOKS}/1/messages");
    for method in [Method::GET, Method::HEAD] {
        for (page, status) in [
            (Some("cross-site"), 403),
            (Some("same-origin"), 200),
            (None, 200),
        ] {
            let asked = browsed(&doors, method.clone(), &messages, page);
            assert_eq!(
                asked.send().await.unwrap().status(),
                status,
                "{method} {page:?}"
            );
        }
    }
    let read = browsed(&doors, Method::GET, WEBHOOKS, Some("cross-site"));
    assert_eq!(
        read.send().await.unwrap().status(),
        200,
        "reading changes nothing"
    );
}
