//! Lists are searched, filtered, sorted and paged in the same way; no number includes other users'
//! rows; a query that would read too much says so.

use apikey_core::{Description, Expiration, KeyDraft};
use chrono::TimeDelta;
use gatepost_storage::{Clock as _, SystemClock};
use tests::browser::form_input::new_key;
use tests::browser::{Page, Site, Visitor};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use webhook_model::{Action, Activity, Event, Message, OwnerId, Target, Task, Webhook, WebhookId};

const LISTS: [&str; 4] = [
    "/console/keys",
    "/console/webhooks",
    "/console/tasks",
    "/console/events",
];

async fn key(site: &Site, owner: u128, name: &str, description: &str, days: Option<i64>) {
    let expiration = days.map_or(Expiration::Never, |days| {
        Expiration::At(SystemClock.now() + TimeDelta::days(days))
    });
    let draft = KeyDraft::new(OwnerId(owner), name.parse().unwrap())
        .with_description(Description::try_from(description.to_owned()).unwrap())
        .with_expiration(expiration);
    drop(site.keys.create(&site.user(1), draft).await.unwrap());
}

/// Creates a paused webhook, a task and an event of a user.
async fn records(site: &Site, owner: u128, name: &str, url: &str) -> WebhookId {
    let (name, url) = (format!("hook {name}"), url.parse().unwrap());
    let mut webhook = Webhook::new(OwnerId(owner), name.parse().unwrap(), url);
    webhook.activity = Activity::Paused;
    let webhook = site.engine.create_webhook(&webhook).await.unwrap().id;
    let task = Task {
        creator: OwnerId(owner),
        name: name.replace("hook", "task").parse().unwrap(),
        description: "of the <night>".parse().unwrap(),
        enabled: true,
        delete_after_run: false,
        action: Action::Send {
            webhook,
            message: Message::default(),
        },
    };
    let task = site.engine.create_task(&task).await.unwrap().id;
    let event = Event::new(
        "alarms".parse().unwrap(),
        "raised".parse().unwrap(),
        Target::Generic,
        task,
    );
    site.engine.create_event(&event).await.unwrap();
    webhook
}

/// Returns the names in the first column.
fn names(page: &Page) -> Vec<String> {
    let cells = page.html.split("data-label=\"Name\">").skip(1);
    let name = |cell: &str| {
        let cell = cell.split("</a>").next().unwrap();
        let name = cell.rsplit_once("<strong>");
        let name = name.map_or_else(|| cell.rsplit_once('>').unwrap().1, |(_, name)| name);
        tests::browser::text(name.trim_end_matches("</strong>"))
    };
    cells.map(name).collect()
}

/// Returns the address of a link by its text.
fn link(page: &Page, text: &str) -> Option<String> {
    let before = page.html.split(&format!(">{text}<")).next()?;
    if before.len() == page.html.len() {
        return None;
    }
    let href = before.rsplit("href=\"").next()?;
    Some(tests::browser::text(href.split('"').next()?))
}

fn count(page: &Page) -> &str {
    let rest = page.html.split("role=\"status\">").nth(1).unwrap_or("");
    rest.split('<').next().unwrap()
}

#[tokio::test]
async fn list_paginates_both_ways_and_shows_row_count() {
    let site = Site::start().await;
    for at in 0..120 {
        key(&site, 3, &format!("key {at:03}"), "", None).await;
        key(&site, 4, &format!("other {at:03}"), "", None).await;
    }
    let ulf = Visitor::login(&site, "ulf").await;
    for (sort, oldest_first) in [("", false), ("?sort=created", true), ("?sort=name", true)] {
        let (mut seen, mut path) = (Vec::new(), Some(format!("/console/keys{sort}")));
        let mut pages = Vec::new();
        while let Some(at) = path {
            let page = ulf.get(&at).await;
            assert_eq!(page.status, 200, "{at}");
            assert!(page.has("120 keys"), "{at}: {}", count(&page));
            seen.extend(names(&page));
            pages.push(names(&page));
            path = link(&page, "Next page");
            if path.is_none() {
                // The same pages are read backwards.
                let mut back = link(&page, "Previous page");
                for before in [1, 0] {
                    let page = ulf.get(&back.unwrap()).await;
                    assert_eq!(names(&page), pages[before], "{sort}");
                    back = link(&page, "Previous page");
                }
                assert_eq!(back, None);
            }
        }
        let mut expected: Vec<_> = (0..120).map(|at| format!("key {at:03}")).collect();
        if !oldest_first {
            expected.reverse();
        }
        assert_eq!(seen, expected, "{sort}");
    }
    assert!(ulf.get("/console/keys").await.has("120 keys, showing 1–50"));
}

#[tokio::test]
async fn search_covers_all_texts_of_own_rows_only() {
    let site = Site::start().await;
    key(&site, 3, "Nightly build", "asks for Jenkins", Some(5)).await;
    key(&site, 3, "terraform", "", None).await;
    key(&site, 4, "nightly of vera", "", None).await;
    let hook = records(
        &site,
        3,
        "chat",
        "https://chat.example/hooks/T1?token=s3cret",
    )
    .await;
    records(&site, 4, "vera", "https://vera.example/").await;
    let ulf = Visitor::login(&site, "ulf").await;
    let rows = async |path: &str| {
        let page = ulf.get(path).await;
        assert_eq!(page.status, 200, "{path}");
        assert!(!page.has("of vera") && !page.has("k vera"), "{path}");
        (
            page.html.matches("<tr>").count().saturating_sub(1),
            count(&page).to_owned(),
        )
    };
    for (path, found, said) in [
        ("/console/keys?q=JENKINS+night", 1, "1 of 2 keys matches"),
        ("/console/keys?q=vera", 0, "No matches in 2 keys"),
        (
            "/console/keys?q=nightly+terraform",
            0,
            "No matches in 2 keys",
        ),
        ("/console/keys?state=expiring", 1, "1 of 2 keys matches"),
        ("/console/keys?state=never", 2, "2 of 2 keys match"),
        ("/console/keys?state=expired&q=n", 0, "No matches in 2 keys"),
        ("/console/keys", 2, "2 keys"),
        (
            "/console/webhooks?q=hooks%2Ft1",
            1,
            "1 of 1 webhook matches",
        ),
        ("/console/webhooks?q=s3cret", 0, "No matches in 1 webhook"),
        (
            "/console/webhooks?state=active",
            0,
            "No matches in 1 webhook",
        ),
        ("/console/tasks?q=hook+night", 1, "1 of 1 task matches"),
        (&format!("/console/tasks?webhook={hook}"), 1, "1 task"),
        ("/console/tasks?webhook=2", 0, "0 tasks"),
        ("/console/events?q=alarm+task", 1, "1 of 1 event matches"),
        ("/console/events?type=alarms", 1, "1 event"),
        ("/console/events?type=vms", 0, "0 events"),
    ] {
        assert_eq!(rows(path).await, (found, said.to_owned()), "{path}");
    }
    let of_one = ulf.get(&format!("/console/tasks?webhook={hook}")).await;
    assert!(of_one.has("Only the tasks of one webhook are listed."));
    // Another user's rows are not found by their owner either.
    for list in LISTS {
        assert_eq!(ulf.get(&format!("{list}?owner=4")).await.status, 404);
        assert_eq!(ulf.get(&format!("{list}?owner=3")).await.status, 200);
    }
}

#[tokio::test]
async fn column_sort_links_keep_search_and_reverse_order() {
    let site = Site::start().await;
    for (name, days) in [("b", None), ("C", Some(3)), ("a", Some(40)), ("d", Some(3))] {
        key(&site, 3, name, "x", days).await;
    }
    let ulf = Visitor::login(&site, "ulf").await;
    let sorted = async |sort: &str| {
        let page = ulf.get(&format!("/console/keys?sort={sort}")).await;
        (names(&page).concat(), page)
    };
    for (sort, order) in [
        ("name", "abCd"),
        ("-name", "dCba"),
        ("created", "bCad"),
        ("-created", "daCb"),
        ("expires", "Cdab"),
        ("-expires", "badC"),
        ("used", "daCb"),
        ("state", "daCb"),
        // An unknown value is ignored.
        ("owner", "daCb"),
        ("", "daCb"),
        ("--name", "daCb"),
        ("name'--", "daCb"),
        ("NAME", "daCb"),
    ] {
        assert_eq!(sorted(sort).await.0, order, "{sort}");
    }
    let (_, page) = sorted("name").await;
    assert!(page.has("<th scope=\"col\" aria-sort=\"ascending\"><a class=\"sort\" href=\"/console/keys?sort=-name\">Name "));
    assert_eq!(page.html.matches("aria-sort").count(), 1);
    let page = ulf.get("/console/keys?q=x&state=never&sort=-name").await;
    assert!(page.has("href=\"/console/keys?q=x&amp;state=never&amp;sort=expires\""));
    assert!(page.has("name=\"q\" value=\"x\"") && page.has("value=\"never\" selected"));
    assert!(page.has("value=\"-name\" selected"));
    // By age, the column of creation is marked.
    let page = ulf.get("/console/keys").await;
    assert!(page.has(
        "aria-sort=\"descending\"><a class=\"sort\" href=\"/console/keys?sort=created\">Created "
    ));
}

#[tokio::test]
async fn filtering_over_2000_rows_asks_for_an_owner() {
    let site = Site::start().await;
    for at in 0..2_001 {
        key(&site, 3, &format!("key {at}"), "", None).await;
    }
    key(&site, 4, "vera's", "", None).await;
    let admin = Visitor::login(&site, "admin").await;
    let page = admin.get("/console/keys").await;
    assert!(page.has("2,000+ keys"), "{}", count(&page));
    assert_eq!(names(&page).len(), 50);
    for asked in ["q=vera", "sort=name", "state=active"] {
        let page = admin.get(&format!("/console/keys?{asked}")).await;
        assert!(page.has("More than 2,000 keys") && page.has("Choose an owner."));
        assert_eq!(names(&page), Vec::<String>::new(), "{asked}");
        let page = admin.get(&format!("/console/keys?{asked}&owner=4")).await;
        assert_eq!(names(&page), ["vera's"], "{asked}");
    }
    // The number of one user's rows is known; it includes no other user's.
    let page = admin.get("/console/keys?owner=3").await;
    assert!(page.has("2,001 keys"), "{}", count(&page));
    let ulf = Visitor::login(&site, "ulf").await;
    ulf.get("/console/keys")
        .await
        .shows("2,001 keys, showing 1–50");
    assert!(ulf.get("/console/keys?q=1").await.has("More than 2,000"));
    let vera = Visitor::login(&site, "vera").await;
    vera.get("/console/keys?q=key")
        .await
        .shows("No matches in 1 key");
}

#[tokio::test]
async fn hostile_list_addresses_never_become_markup() {
    let (site, ulf) = Site::visited_by("ulf").await;
    new_key(&ulf, "ci").await;
    records(&site, 3, "chat", "https://chat.example/").await;
    let many: String = (0..200).map(|at| format!("q=w{at}&")).collect();
    let words = "w+".repeat(200);
    let long = "%C3%A9".repeat(1_000);
    for list in LISTS {
        for query in [
            "q=%22%3E%3Cscript%3Ealert(1)%3C%2Fscript%3E",
            "q=%27%20onfocus%3Dalert(1)%20x%3D%27",
            "sort=%22%3E%3Cscript%3E&state=%3Cscript%3E&type=%3Cscript%3E&webhook=%3Cscript%3E",
            "q=%00%0D%0ASet-Cookie:x%3D1&sort=%00",
            "q=%FF%FE&sort=%FF",
            "page=99999999999999999999&sort=name",
            "page=9223372036854775807&sort=name",
            "page=-1&sort=name",
            "page=0&q=e",
            "after=-1",
            "after=9223372036854775807",
            "before=1",
            "before=9223372036854775807",
            "after=1&before=1&page=1",
            "&&&==&q",
            &many,
            &format!("q={words}"),
            &format!("q={long}"),
        ] {
            let path = format!("{list}?{query}");
            let page = ulf.get(&path).await;
            let start = &path[..path.len().min(90)];
            assert_eq!(page.status, 200, "{start}");
            assert!(!page.has("<script>"), "{start}");
            assert!(page.html.len() < 64 * 1024, "{start}");
        }
        let page = ulf.get(&format!("{list}?q={words}")).await;
        assert!(page.has("Only the first 8 words"), "{list}");
    }
}

#[tokio::test]
async fn a_megabyte_is_no_address() {
    let site = Site::start().await;
    let mut wire = TcpStream::connect(site.addr).await.unwrap();
    let query = "x".repeat(1024 * 1024);
    let head = format!("GET /console/keys?q={query} HTTP/1.1\r\nHost: x\r\n\r\n");
    // The server may respond before the whole request is sent.
    let _ = wire.write_all(head.as_bytes()).await;
    let mut answer = Vec::new();
    let _ = wire.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer);
    let status = answer.split(' ').nth(1).unwrap_or("closed");
    assert!(
        ["400", "414", "431", "closed"].contains(&status),
        "{status}"
    );
    // Other users are still served.
    let ulf = Visitor::login(&site, "ulf").await;
    assert_eq!(ulf.get("/console/keys").await.status, 200);
}

#[tokio::test]
async fn missing_page_position_falls_back_to_existing_rows() {
    let site = Site::start().await;
    for at in 0..60 {
        key(&site, 3, &format!("key {at:02}"), "", None).await;
    }
    let ulf = Visitor::login(&site, "ulf").await;
    // A page after the end.
    let page = ulf.get("/console/keys?after=1").await;
    assert_eq!((page.status, names(&page).len()), (200, 0));
    assert_eq!(link(&page, "First page").unwrap(), "/console/keys");
    // Before the first full page: the first page.
    let page = ulf.get("/console/keys?before=55").await;
    assert_eq!((names(&page).len(), &*names(&page)[0]), (50, "key 59"));
    assert_eq!(link(&page, "Previous page"), None);
    // After the last page of an order: the last page.
    let page = ulf.get("/console/keys?sort=name&page=9").await;
    assert_eq!((names(&page).len(), &*names(&page)[0]), (10, "key 50"));
    assert!(page.has("60 keys, showing 51–60"), "{}", count(&page));
}
