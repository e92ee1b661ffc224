//! The pages of a user's API keys (SPEC 2.1, SPEC 3), without a browser.

use examples::client::call;
use tests::browser::Site;
use tests::browser::form_input::new_key;
use tests::world::HERE;

const NEW: &str = "/console/keys/new";

async fn probe(site: &Site, key: &str) -> u16 {
    let path = "/api/v4/system";
    call(site.addr, HERE, "GET", path, Some(key), None)
        .await
        .unwrap()
        .status
}

#[tokio::test]
async fn new_key_is_shown_only_in_creating_response() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let list = ulf.get("/console/keys").await;
    assert!(list.has("No API keys yet"));
    let fields = [
        ("name", "ci <b>"),
        ("description", "nightly\r\nbuild"),
        ("expires_type", "30"),
        ("allow.0.net", "127.0.0.0/8"),
        ("allow.0.on", "on"),
        ("allow.1.net", " 10.1.2.3/8 "),
        ("deny.0.net", ""),
    ];
    let page = ulf.submit(NEW, &fields).await;
    assert_eq!(
        (page.status, page.header("cache-control")),
        (200, "no-store")
    );
    let key = page.secret().unwrap();
    assert!(
        page.has("download=\"ci _b_.PAK\"") || page.has(".PAK\""),
        "{}",
        page.html
    );
    assert_eq!(probe(&site, &key).await, 200);
    // The popup is above the list, and the list never contains the key: the popup shows it, and the
    // command next to it.
    let (popup, list) = page.html.split_once("</dialog>").unwrap();
    assert_eq!(popup.matches(&key).count(), 2);
    assert!(!list.contains(&key));
    for path in [
        "/console/keys",
        NEW,
        "/console/keys/1/edit",
        "/console/keys/1/delete",
    ] {
        let later = ulf.get(path).await;
        assert_eq!(later.status, 200, "{path}");
        assert!(!later.has(&key) && later.secret().is_none(), "{path}");
    }
    site.keys.shutdown().await;
    let list = ulf.get("/console/keys").await;
    list.shows_all([
        "ci &lt;b&gt;",
        "nightly\nbuild",
        "30 days",
        "127.0.0.1",
        "active",
        "10.0.0.0/8",
        "title=\"disabled\"",
    ]);
    assert_eq!(site.heard(), ["3 Create user_api_keys/1"]);
}

#[tokio::test]
async fn saved_file_in_response_contains_only_the_key() {
    use base64::Engine as _;
    let (_site, ulf) = Site::visited_by("ulf").await;
    let page = new_key(&ulf, "ci").await;
    page.shows("download=\"ci.PAK\"");
    let data = page
        .html
        .split("data:application/octet-stream;base64,")
        .nth(1)
        .unwrap();
    let data = tests::browser::text(data.split('"').next().unwrap());
    let data = base64::engine::general_purpose::STANDARD
        .decode(data)
        .unwrap();
    assert_eq!(String::from_utf8(data).unwrap(), page.secret().unwrap());
}

#[tokio::test]
async fn resubmitted_form_creates_and_shows_no_key() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let hidden = ulf.get(NEW).await.hidden();
    let mut fields: Vec<_> = hidden
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    fields.extend([("name", "once"), ("expires_type", "never")]);
    let first = ulf.post(NEW, &fields).await;
    assert!(first.secret().is_some());
    let again = ulf.post(NEW, &fields).await;
    assert_eq!(again.status, 422);
    assert!(again.secret().is_none() && again.has("already created a key"));
    // The same holds under another name.
    let at = fields.iter().position(|(name, _)| *name == "name").unwrap();
    fields[at].1 = "twice";
    assert!(ulf.post(NEW, &fields).await.secret().is_none());
    assert_eq!(site.heard().len(), 1);
}

#[tokio::test]
async fn invalid_key_form_marks_fields_and_keeps_input() {
    let (site, ulf) = Site::visited_by("ulf").await;
    new_key(&ulf, "taken").await;
    let long = "n".repeat(129);
    let cases = [
        ("name", vec![("name", "")], "Name must not be blank."),
        (
            "name",
            vec![("name", &long)],
            "Name must be at most 128 characters long.",
        ),
        (
            "name",
            vec![("name", "taken")],
            "This user already has a key with this name.",
        ),
        (
            "expires",
            vec![("name", "k"), ("expires_type", "date")],
            "Enter a date and time.",
        ),
        (
            "expires",
            vec![
                ("name", "k"),
                ("expires_type", "date"),
                ("expires", "2001-01-01T00:00"),
            ],
            "Expires must lie in the future.",
        ),
        (
            "expires",
            vec![("name", "k"), ("expires_type", "date"), ("expires", "soon")],
            "Enter a date and time such as 2027-01-31T18:00.",
        ),
        (
            "allow",
            vec![
                ("name", "k"),
                ("allow.0.net", "::1"),
                ("allow.1.net", "10.0.0.256"),
            ],
            "Entry 2 is not an IPv4",
        ),
        (
            "deny",
            vec![("name", "k"), ("deny.4.net", "010.0.0.1")],
            "Entry 1",
        ),
    ];
    for (field, mut fields, rule) in cases {
        fields.push(("description", "typed <before>"));
        if !fields.iter().any(|(name, _)| *name == "expires_type") {
            fields.push(("expires_type", "60"));
        }
        let page = ulf.submit(NEW, &fields).await;
        assert_eq!(page.status, 422, "{field}: {}", page.html);
        assert!(
            page.error(field).starts_with(rule),
            "{field}: {:?}",
            page.error(field)
        );
        assert!(
            page.has("aria-invalid=\"true\"") && page.has("role=\"alert\""),
            "{field}"
        );
        for (name, typed) in &fields {
            let kept = typed.replace('<', "&lt;").replace('>', "&gt;");
            assert!(page.has(&kept), "{name} = {typed} is kept after {field}");
        }
    }
    assert_eq!(site.heard().len(), 1);
}

#[tokio::test]
async fn rows_are_edited_without_scripts_and_nothing_saved() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let fields = [
        ("name", "k"),
        ("allow.0.net", "10.0.0.1"),
        ("allow.0.on", "on"),
        ("allow.1.net", "10.0.0.2"),
        ("do", "allow.add.0"),
    ];
    let page = ulf.submit(NEW, &fields).await;
    assert_eq!(page.status, 200);
    page.shows("name=\"allow.2.net\" value=\"\"");
    let fields = [&fields[..4], &[("do", "allow.remove.0")]].concat();
    let page = ulf.submit(NEW, &fields).await;
    assert!(page.has("name=\"allow.0.net\" value=\"10.0.0.2\"") && !page.has("10.0.0.1"));
    assert!(site.heard().is_empty());
}

#[tokio::test]
async fn key_edit_keeps_key_string_and_applies_immediately() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let key = new_key(&ulf, "ci").await.secret().unwrap();
    assert_eq!(probe(&site, &key).await, 200);
    let fields = [
        ("name", "renamed"),
        ("expires_type", "keep"),
        ("allow.0.net", "10.0.0.0/8"),
        ("allow.0.on", "on"),
    ];
    let page = ulf.submit("/console/keys/1/edit", &fields).await;
    assert_eq!((page.status, page.to()), (303, "/console/keys?done=saved"));
    assert_eq!(probe(&site, &key).await, 403);
    let list = ulf.follow(&page).await;
    assert!(list.has("renamed") && list.has("90 days") && list.has("The key was saved"));
    let page = ulf
        .submit(
            "/console/keys/1/edit",
            &[("name", "renamed"), ("expires_type", "never")],
        )
        .await;
    assert_eq!(page.status, 303);
    assert_eq!(probe(&site, &key).await, 200);
}

#[tokio::test]
async fn key_is_deleted_after_confirmation_and_refused_immediately() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let key = new_key(&ulf, "ci").await.secret().unwrap();
    let question = ulf.get("/console/keys/1/delete").await;
    assert!(question.has("cannot be undone"));
    assert_eq!(probe(&site, &key).await, 200);
    let page = ulf.submit("/console/keys/1/delete", &[]).await;
    page.leads_to("/console/keys?done=deleted");
    assert_eq!(probe(&site, &key).await, 401);
    assert_eq!(ulf.get("/console/keys/1/delete").await.status, 404);
    assert_eq!(site.heard().last().unwrap(), "3 Delete user_api_keys/1");
}
