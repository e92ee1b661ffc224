//! The page of a key, the page of a user, and the findings of a review (SPEC 2.1, SPEC 5.1 rule 7),
//! without a browser.

use std::process::Command;
use std::sync::Arc;

use chrono::TimeDelta;
use examples::client::call;
use gatepost_storage::ManualClock;
use tests::browser::form_input::new_key;
use tests::browser::{Page, Site, Visitor, text};
use tests::world::HERE;

async fn probe(site: &Site, key: &str) -> u16 {
    let path = "/api/v4/system";
    let probed = call(site.addr, HERE, "GET", path, Some(key), None);
    probed.await.unwrap().status
}

/// Returns the words into which a shell splits the command in the popup, without the program's
/// name.
fn words_of_command(page: &Page) -> Vec<String> {
    let line = page.html.split("id=\"command\">").nth(1).unwrap();
    let line = text(line.split('<').next().unwrap());
    let words = line.strip_prefix("curl ").unwrap();
    let out = Command::new("sh")
        .args(["-c", &format!("printf '%s\\n' {words}")])
        .output();
    let out = String::from_utf8(out.unwrap().stdout).unwrap();
    out.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn command_for_new_key_works_when_pasted() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let page = new_key(&ulf, "ci '$(id)' <b>").await;
    let key = page.secret().unwrap();
    let words = words_of_command(&page);
    let header = format!("Authorization: Bearer {key}");
    assert_eq!(words, ["-H", &header, &site.url("/api/v4/system")]);
    let answer = reqwest::Client::new()
        .get(&words[2])
        .header("authorization", words[1].split_once(": ").unwrap().1);
    assert_eq!(answer.send().await.unwrap().status(), 200);
    assert!(page.has("ci &#39;$(id)&#39; &lt;b&gt;") || page.has("ci '$(id)' &lt;b&gt;"));
}

/// Returns the secret part of a key, which its masked form does not show.
fn secret_part(key: &str) -> &str {
    key.rsplit('_').next().unwrap()
}

#[tokio::test]
async fn full_key_in_search_redirects_to_masked_key() {
    let (site, ulf) = Site::visited_by("ulf").await;
    let key = new_key(&ulf, "nightly").await.secret().unwrap();
    let hint = &key[..key.find('_').unwrap() + 9];
    for (path, kept) in [
        (
            format!("/console/keys?sort=name&q={key}"),
            format!("sort=name&q={hint}"),
        ),
        (
            format!("/console/tasks?q=%22{key}%22"),
            format!("q=%22{hint}%22"),
        ),
        (
            format!("/console/deliveries?id={key}"),
            format!("id={hint}"),
        ),
        (format!("/console/deliveries?q={key}"), format!("q={hint}")),
        (
            format!("/console/nothing?{key}={key}"),
            format!("{hint}={hint}"),
        ),
    ] {
        let led = ulf.get(&path).await;
        assert_eq!(led.status, 303, "{path}");
        let at = path.split('?').next().unwrap();
        led.leads_to(&format!("{at}?{kept}&done=key-withheld"));
        assert_eq!(led.header("cache-control"), "no-store");
        let page = ulf.follow(&led).await;
        assert!(!page.has(secret_part(&key)) && page.header("referrer-policy") == "same-origin");
        page.shows("complete API key");
        // Like every confirmation, it is shown once.
        assert!(!ulf.get(led.to()).await.has("complete API key"));
    }
    let found = ulf.get(&format!("/console/keys?q={hint}")).await;
    found.shows("1 of 1 key matches");
    // The key is not in the redirections to the login and back either.
    let stranger = Visitor::stranger(&site);
    let led = stranger.get(&format!("/console/keys?q={key}")).await;
    assert!(led.status == 303 && !led.to().contains(secret_part(&key)));
    assert!(stranger.get(led.to()).await.to().contains("login"));
    // A truncated or mistyped key, or the key of another issuer, is an ordinary search text.
    let cut = &key[..key.len() - 1];
    assert_eq!(ulf.get(&format!("/console/keys?q={cut}")).await.status, 200);
}

#[tokio::test]
async fn page_behind_key_popup_is_inert() {
    let site = Site::start().await;
    let (ulf, admin) = (
        Visitor::login(&site, "ulf").await,
        Visitor::login(&site, "admin").await,
    );
    let own = new_key(&ulf, "ci").await;
    let fields = [("name", "his"), ("user", "3"), ("expires_type", "never")];
    let of_another = admin.submit("/console/keys/new", &fields).await;
    for page in [own, of_another] {
        assert!(page.secret().is_some(), "{}", page.html);
        let (before, popup) = page.html.split_once("<dialog").unwrap();
        for behind in [
            "<a class=\"skip\" href=\"#main\" inert",
            "<header class=\"top\" inert",
            "tabindex=\"-1\" inert",
        ] {
            assert!(before.contains(behind), "{behind}: {before}");
        }
        assert!(before.contains("</main>") && !popup.contains("inert"));
    }
    let list = ulf.get("/console/keys").await;
    assert!(!list.has("inert") && !list.has("<dialog"));
}

#[tokio::test]
async fn forged_host_header_is_in_no_command() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    for (at, host) in ["a';id;'", "$(id)", "x@evil.example"].iter().enumerate() {
        let hidden = ulf.get("/console/keys/new").await.hidden();
        let mut form = url::form_urlencoded::Serializer::new(String::new());
        form.extend_pairs(hidden);
        form.extend_pairs([("name", &*format!("k{at}")), ("expires_type", "30")]);
        let request = ulf
            .request(reqwest::Method::POST, "/console/keys/new")
            .header("content-type", "application/x-www-form-urlencoded")
            .header("host", *host)
            .body(form.finish());
        let page = ulf.send(request).await;
        assert!(!page.has("id=\"command\""), "{host}");
    }
}

#[tokio::test]
async fn key_page_shows_everything_except_key_string() {
    let clock = Arc::new(ManualClock::at("2026-11-20T12:00:00Z".parse().unwrap()));
    let site = Site::start_at(clock.clone()).await;
    let ulf = Visitor::login(&site, "ulf").await;
    let vera = Visitor::login(&site, "vera").await;
    let key = new_key(&ulf, "ci").await.secret().unwrap();
    let page = ulf.get("/console/keys/1").await;
    page.shows_all([
        "expires in 90 days (<time",
        "never used",
        "any address",
        "ulf",
    ]);
    assert!(!page.has(&key) && page.has("/console/users/3"));
    assert_eq!(vera.get("/console/keys/1").await.status, 404);
    assert_eq!(ulf.get("/console/keys/2").await.status, 404);
    assert_eq!(probe(&site, &key).await, 200);
    let page = ulf.get("/console/keys/1").await;
    assert!(page.has("127.0.0.1") && !page.has("never used"));
    clock.jump(TimeDelta::days(76));
    assert!(ulf.get("/console/keys/1").await.has("expires soon"));
    clock.jump(TimeDelta::days(14));
    let page = ulf.get("/console/keys/1").await;
    page.shows("expired now");
    assert!(!page.has("/keys/1/edit") && page.has("/keys/1/delete"));
}

#[tokio::test]
async fn keys_to_review_are_pointed_out_and_found() {
    let clock = Arc::new(ManualClock::at("2026-11-20T12:00:00Z".parse().unwrap()));
    let site = Site::start_at(clock.clone()).await;
    let ulf = Visitor::login(&site, "ulf").await;
    let create = async |name: &str| {
        let fields = [("name", name), ("expires_type", "never")];
        let page = ulf.submit("/console/keys/new", &fields).await;
        page.secret().unwrap()
    };
    let (used, _idle, _never) = (
        create("used").await,
        probe(&site, &create("idle").await).await,
        create("never").await,
    );
    clock.jump(TimeDelta::days(89));
    assert!(!ulf.get("/console/keys").await.has("unused for"));
    clock.jump(TimeDelta::days(1));
    assert_eq!(probe(&site, &used).await, 200);
    let list = ulf.get("/console/keys").await;
    assert!(list.has("unused for 90 days") && list.has("never used"));
    for (state, shown, hidden) in [
        ("unused", ["idle", "never"], "used"),
        ("never", ["never", "never"], "idle"),
    ] {
        let list = ulf.get(&format!("/console/keys?state={state}")).await;
        for name in shown {
            assert!(list.has(&format!("<strong>{name}</strong>")), "{state}");
        }
        assert!(!list.has(&format!("<strong>{hidden}</strong>")), "{state}");
    }
}

#[tokio::test]
async fn user_page_shows_keys_only_to_their_managers() {
    let site = Site::start().await;
    let (admin, tina, ulf, vera) = (
        Visitor::login(&site, "admin").await,
        Visitor::login(&site, "tina").await,
        Visitor::login(&site, "ulf").await,
        Visitor::login(&site, "vera").await,
    );
    new_key(&ulf, "ci").await;
    new_key(&vera, "of vera").await;
    for (visitor, sees) in [(&admin, true), (&tina, true), (&ulf, true), (&vera, false)] {
        let page = visitor.get("/console/users/3").await;
        assert_eq!(page.status, if sees { 200 } else { 404 });
        assert_eq!(page.has("<strong>ci</strong>"), sees);
        assert!(!page.has("of vera"));
    }
    // A user who does not exist, and a text that is not a number, are not found.
    for path in ["99", "0", "-1", "x", "9223372036854775807"] {
        let path = format!("/console/users/{path}");
        assert_eq!(admin.get(&path).await.status, 404, "{path}");
    }
    assert!(admin.get("/console/users/5").await.has("is disabled"));
    admin
        .get("/console/keys")
        .await
        .shows("href=\"/console/users/3\"");
    // The same list at the same address.
    let page = admin.get("/console/users/3?q=ci&sort=name").await;
    page.shows("1 of 1 key matches");
    page.shows("href=\"/console/users/3?q=ci&amp;sort=-name\"");
    assert!(!page.has("name=\"owner\""));
    // A key that is created on this page is shown on it.
    let fields = [("name", "made"), ("expires_type", "30"), ("user", "3")];
    let page = admin.submit("/console/keys/new?owner=3", &fields).await;
    assert!(page.has("data-once=\"/console/users/3\"") && page.secret().is_some());
    page.shows("<h1>ulf</h1>");
}

#[tokio::test]
async fn ip_list_warning_appears_when_page_is_opened() {
    let (_site, ulf) = Site::visited_by("ulf").await;
    let lists = [("expires_type", "30"), ("allow.0.net", "10.0.0.1")];
    let says = |page: &Page| {
        let hint = page.html.split("data-hint=\"ip\"").nth(1).unwrap();
        hint.split('<')
            .next()
            .unwrap()
            .contains("works from nowhere")
    };
    let refused = ulf.submit("/console/keys/new", &lists).await;
    assert_eq!(refused.status, 422);
    assert!(says(&refused), "{}", refused.html);
    let named = [&[("name", "ci")], &lists[..]].concat();
    assert!(
        ulf.submit("/console/keys/new", &named)
            .await
            .secret()
            .is_some()
    );
    assert!(says(&ulf.get("/console/keys/1/edit").await));
    assert!(ulf.get("/console/keys/1").await.has("works from nowhere"));
    assert!(!says(&ulf.get("/console/keys/new").await));
}
