//! Keys are narrowed by the form, and their page and the list say so.

use examples::client::call;
use serde_json::Value;
use tests::browser::form_input::new_key;
use tests::browser::{Page, Site};
use tests::world::HERE;

async fn whoami(site: &Site, key: &str) -> Value {
    let path = "/api/v4/whoami";
    let said = call(site.addr, HERE, "GET", path, Some(key), None).await;
    said.unwrap().json()
}

fn ticked(page: &Page, name: &str, value: &str) -> bool {
    let field = format!("name=\"{name}\" value=\"{value}\"");
    let rest = page.html.split(&field).nth(1);
    let rest = rest.unwrap_or_else(|| panic!("no box {name} {value}: {}", page.html));
    rest.split('>').next().unwrap().contains("checked")
}

#[tokio::test]
async fn key_form_narrows_key_and_page_shows_it() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let form = ulf.get("/console/keys/new").await;
    for table in [
        "user_api_keys",
        "webhook_urls",
        "webhooks",
        "tasks",
        "task_events",
    ] {
        assert!(!ticked(&form, "tables", table), "{table}");
    }
    let fields = [
        ("name", "narrow"),
        ("expires_type", "90"),
        ("read_only", "on"),
        ("tables", "tasks"),
        ("tables", "webhooks"),
        ("scopes", "machines:power"),
    ];
    let key = ulf
        .submit("/console/keys/new", &fields)
        .await
        .secret()
        .unwrap();
    let said = whoami(&site, &key).await;
    assert_eq!(said["read_only"], true);
    assert_eq!(said["tables"], "tasks,webhooks");
    assert_eq!(said["scopes"], "machines:power");
    let page = ulf.get("/console/keys/1").await;
    page.shows_all([
        "The key can only read.",
        "Tables: <code>tasks</code>, <code>webhooks</code>",
        "Scopes: <code>machines:power</code>",
        ">limited</span>",
    ]);
    assert!(ulf.get("/console/keys").await.has(">limited</span>"));
    let form = ulf.get("/console/keys/1/edit").await;
    assert!(ticked(&form, "tables", "tasks") && !ticked(&form, "tables", "task_events"));
    assert!(ticked(&form, "scopes", "machines:power") && ticked(&form, "read_only", "on"));
    // An unticked box removes the permission.
    let fields = [
        ("name", "narrow"),
        ("expires_type", "keep"),
        ("read_only", "on"),
    ];
    ulf.submit("/console/keys/1/edit", &fields)
        .await
        .expect(303);
    let said = whoami(&site, &key).await;
    assert_eq!(
        (&said["read_only"], &said["tables"]),
        (&true.into(), &"".into())
    );
    assert!(ulf.get("/console/keys").await.has(">read-only</span>"));
    new_key(&ulf, "whole").await;
    ulf.get("/console/keys/2")
        .await
        .shows("The key has all permissions of its owner.");
}

#[tokio::test]
async fn unknown_table_or_scope_is_refused_keeping_ticks() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    for (name, value, words) in [
        (
            "tables",
            "nothing",
            "Must be tables of this API: user_api_keys, ",
        ),
        ("tables", "No Table", "Must name tables by 1 to 64"),
        (
            "scopes",
            "others",
            "Must be scopes of this platform: machines:power",
        ),
    ] {
        let fields = [
            ("name", "n"),
            ("expires_type", "90"),
            ("tables", "tasks"),
            (name, value),
        ];
        let page = ulf.submit("/console/keys/new", &fields).await.expect(422);
        let said = page.error(name);
        assert!(said.starts_with(words), "{name}: {said}");
        assert!(ticked(&page, "tables", "tasks"));
    }
}
