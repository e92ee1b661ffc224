//! Typed values outlive the session, and a confirmation does not outlive its page.

use reqwest::Method;
use tests::browser::form_input::{ON_TAG, new_event, new_task, visited_with_webhook};
use tests::browser::{Page, Site, Visitor};

/// Sends a form as a browser does from a page of this site.
async fn from_here(visitor: &Visitor, path: &str, fields: &[(&str, &str)]) -> Page {
    let mut body = url::form_urlencoded::Serializer::new(String::new());
    body.extend_pairs(fields);
    let request = visitor
        .request(Method::POST, path)
        .header("sec-fetch-site", "same-origin")
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body.finish());
    visitor.send(request).await
}

/// Returns the fields that a page keeps, and the address to which it sends them.
fn kept(page: &Page) -> (String, Vec<(String, String)>) {
    let form = page.html.split("<main").nth(1).unwrap();
    let action = form.split("action=\"").nth(1).unwrap();
    let action = action.split('"').next().unwrap().to_owned();
    let main = Page {
        status: page.status,
        headers: page.headers.clone(),
        html: form.to_owned(),
    };
    (action, main.hidden())
}

fn pairs(fields: &[(String, String)]) -> Vec<(&str, &str)> {
    let fields = fields.iter();
    fields
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

#[tokio::test]
async fn a_form_outlives_its_session_without_its_secrets() {
    let site = Site::start().await;
    let nobody = Visitor::stranger(&site);
    let typed = [
        ("csrf", "old"),
        ("ticket", "old"),
        ("name", "chat <b>"),
        ("url", "https://example.com/in"),
        ("auth", "bearer"),
        ("token", "s3cret-token"),
        ("header_mode", "text"),
        ("headers_text", "X-Api-Token: s3cret-header\nX-Route: ops"),
        ("timeout", "7"),
        ("retries", "2"),
        ("enabled", "on"),
    ];
    let page = from_here(&nobody, "/console/webhooks/new", &typed).await;
    assert_eq!(page.status, 401);
    page.shows("Your session has ended");
    page.shows("/login?back=");
    page.hides("s3cret");
    let (action, fields) = kept(&page);
    assert_eq!(action, "/console/webhooks/new/again");
    // The user is still not logged in: the page does not change.
    let again = from_here(&nobody, &action, &pairs(&fields)).await;
    assert_eq!(
        (again.status, kept(&again)),
        (401, (action.clone(), fields.clone()))
    );
    // In a new session the form is shown, and only its own button stores it.
    let ulf = Visitor::login(&site, "ulf").await;
    let form = from_here(&ulf, &action, &pairs(&fields)).await;
    assert_eq!(form.status, 200);
    form.shows_all([
        "value=\"chat &lt;b&gt;\"",
        "value=\"7\"",
        "X-Route: ops",
        "Check your entries and send the form again.",
        "action=\"/console/webhooks/new\"",
    ]);
    assert!(site.heard().is_empty());
    // The same holds in a session other than the form's.
    let page = from_here(&ulf, "/console/webhooks/new", &typed).await;
    assert_eq!(page.status, 403);
    assert_eq!(kept(&page), (action, fields));
}

#[tokio::test]
async fn every_form_of_a_record_is_opened_again() {
    let (site, ulf, _receiver) = visited_with_webhook("ulf", "0").await;
    new_task(&ulf, "x", &[]).await;
    new_event(&ulf, &ON_TAG).await;
    ulf.submit(
        "/console/keys/new",
        &[("name", "k"), ("expires_type", "never")],
    )
    .await;
    let before = site.heard();
    let nobody = Visitor::stranger(&site);
    let of_event = [
        ("type", "vms"),
        ("event", "poweroff"),
        ("target", "tag"),
        ("tag", "1"),
        ("task", "1"),
    ];
    let named = [
        ("name", "typed before"),
        ("webhook", "1"),
        ("message", "typed before"),
    ];
    for (path, fields, shown) in [
        ("keys/new", &named[..], "typed before"),
        ("keys/1/edit", &named, "typed before"),
        ("webhooks/new", &named, "typed before"),
        ("webhooks/1/edit", &named, "typed before"),
        ("tasks/new", &named, "typed before"),
        ("tasks/1/edit", &named, "typed before"),
        ("events/new", &of_event, "value=\"poweroff\" selected"),
        ("events/1/edit", &of_event, "value=\"tag\" checked"),
    ] {
        let path = format!("/console/{path}");
        let (action, fields) = kept(&from_here(&nobody, &path, fields).await);
        let form = from_here(&ulf, &action, &pairs(&fields)).await;
        assert_eq!(form.status, 200, "{path}: {}", form.html);
        assert!(form.has(shown), "{path}: {}", form.html);
    }
    assert_eq!(site.heard(), before);
}

/// Otherwise another site could open a form with values of its choice.
#[tokio::test]
async fn only_same_origin_forms_are_kept_or_opened() {
    let site = Site::start().await;
    let fields = [("name", "planted"), ("expires_type", "never")];
    let nobody = Visitor::stranger(&site);
    let ulf = Visitor::login(&site, "ulf").await;
    for from in ["", "cross-site", "same-site", "none"] {
        for (visitor, path) in [
            (&nobody, "/console/keys/new"),
            (&ulf, "/console/keys/new"),
            (&ulf, "/console/keys/new/again"),
        ] {
            let request = visitor
                .request(Method::POST, path)
                .header("content-type", "application/x-www-form-urlencoded")
                .body("name=planted&expires_type=never");
            let request = match from {
                "" => request,
                from => request.header("sec-fetch-site", from),
            };
            let page = visitor.send(request).await;
            assert!([401, 403].contains(&page.status), "{from} {path}");
            assert!(!page.has("planted"), "{from} {path}: {}", page.html);
        }
    }
    // A long form of a user who is not logged in is not read.
    let long = "x".repeat(300 * 1024);
    let page = from_here(
        &nobody,
        "/console/tasks/new",
        &[("message", &long), fields[0]],
    )
    .await;
    assert_eq!(page.status, 401);
    assert!(page.html.len() < 10_000);
}

#[tokio::test]
async fn a_confirmation_is_shown_once() {
    let (_site, ulf, _receiver) = visited_with_webhook("ulf", "0").await;
    let done = ulf
        .fill("/console/tasks/new", "/console/webhooks/1/do/pause", &[])
        .await;
    let (to, cookie) = (done.to().to_owned(), done.header("set-cookie").to_owned());
    assert!(
        cookie.starts_with("gatepost_done=paused; Path=/console/; Max-Age=60; HttpOnly"),
        "{cookie}"
    );
    // A link to the confirmation shows nothing.
    let note = "The webhook is paused.";
    assert!(!ulf.get(&to).await.has(note));
    let page = ulf.follow(&done).await;
    page.shows(note);
    let gone = page.header("set-cookie");
    assert!(
        gone.starts_with("gatepost_done=; ") && gone.contains("Max-Age=0"),
        "{gone}"
    );
    // As a browser reloads it.
    assert!(!ulf.get(&to).await.has(note));
}

#[tokio::test]
async fn expiry_date_is_parsed_in_form_timezone() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    for (name, zone, shown) in [
        ("utc", "", "2031-05-01 12:00 UTC"),
        ("ist", "+05:30", "2031-05-01 06:30 UTC"),
    ] {
        let fields = [
            ("name", name),
            ("expires_type", "date"),
            ("expires", "2031-05-01T12:00"),
            ("expires_zone", zone),
        ];
        let page = ulf.submit("/console/keys/new", &fields).await;
        assert!(page.has(shown), "{name}: {}", page.html);
    }
    let wrong = [
        ("name", "odd"),
        ("expires_type", "date"),
        ("expires", "2031-05-01T12:00"),
        ("expires_zone", "Mars/Base"),
    ];
    let page = ulf.submit("/console/keys/new", &wrong).await;
    assert_eq!(page.status, 422);
    assert!(
        page.error("expires").contains("such as 2027-01-31T18:00"),
        "{}",
        page.html
    );
    assert!(page.has("(UTC)"), "without scripts the zone is said");
}
