//! The list of deliveries is paged forwards and backwards in both orders, and shows the number of
//! rows up to a limit, with bounded reads. No number includes another user's deliveries.

use std::sync::Arc;

use chrono::TimeDelta;
use examples::receiver::Receiver;
use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{DeliveryId, DeliveryLog as _, QueueStore as _};
use gatepost_storage::{Clock as _, SystemClock};
use gatepost_testkit::fixtures::{direct, message};
use tests::browser::form_input::new_webhook;
use tests::browser::{Page, Setup, Site, Visitor, text};
use webhook_model::WebhookId;

const LIST: &str = "/console/deliveries";

/// A site with a store to which the test writes; webhook 1 is Ulf's, 2 is Vera's.
struct World {
    store: Arc<MemoryStore>,
    site: Site,
    ulf: Visitor,
}

impl World {
    async fn start() -> Self {
        let store = Arc::new(MemoryStore::new());
        let site = Setup::on(&store).start().await;
        let receiver = Receiver::start(None).await.unwrap();
        let ulf = Visitor::login(&site, "ulf").await;
        new_webhook(&ulf, &receiver, "0").await;
        let vera = Visitor::login(&site, "vera").await;
        new_webhook(&vera, &receiver, "0").await;
        Self { store, site, ulf }
    }

    /// Stores deliveries that wait for an hour.
    async fn wait(&self, webhook: i64, ids: impl Iterator<Item = String>) {
        let now = SystemClock.now();
        let due = now + TimeDelta::hours(1);
        let some = ids.map(|id| message(WebhookId(webhook), &id, due));
        let some = direct(some.collect());
        self.store.enqueue(some, now).await.unwrap();
    }
}

/// Returns the numbers of the deliveries on a page.
fn rows(page: &Page) -> Vec<i64> {
    let rows = page.html.split("<tr id=\"delivery-").skip(1);
    rows.map(|row| row.split('"').next().unwrap().parse().unwrap())
        .collect()
}

/// Returns the address of a link by its text.
fn link(page: &Page, label: &str) -> Option<String> {
    let (before, _) = page.html.split_once(&format!(">{label}<"))?;
    let href = before.rsplit("href=\"").next()?;
    Some(text(href.split('"').next()?))
}

/// Returns the line above the table.
fn count(page: &Page) -> String {
    let line = page.html.split("<p class=\"quiet count\">").nth(1);
    text(
        line.and_then(|line| line.split("</p>").next())
            .unwrap_or(""),
    )
}

#[tokio::test]
async fn delivery_list_paginates_both_ways_and_shows_total() {
    let world = World::start().await;
    // Ulf's deliveries have the odd numbers.
    for at in 0..120 {
        world.wait(1, [format!("ulf-{at}")].into_iter()).await;
        world.wait(2, [format!("vera-{at}")].into_iter()).await;
    }
    let oldest_first: Vec<i64> = (0..120).map(|at| 2 * at + 1).collect();
    let mut newest_first = oldest_first.clone();
    newest_first.reverse();
    for (query, expected, said) in [
        ("", &newest_first, "120 deliveries"),
        ("sort=created", &oldest_first, "120 deliveries"),
        (
            "webhook=1&state=queued&id=ulf-",
            &newest_first,
            "120 matching deliveries",
        ),
        (
            "webhook=1&state=queued&id=ulf-&sort=created",
            &oldest_first,
            "120 matching deliveries",
        ),
    ] {
        let mut page = world.ulf.get(&format!("{LIST}?{query}")).await;
        assert_eq!(count(&page), format!("{said}, showing 1–50"), "{query}");
        assert_eq!(link(&page, "Previous page"), None);
        let mut pages = vec![rows(&page)];
        while let Some(next) = link(&page, "Next page") {
            assert!(next.contains(query), "{next}");
            page = world.ulf.get(&next).await;
            assert_eq!(count(&page), said, "{next}");
            pages.push(rows(&page));
        }
        assert_eq!(pages.concat(), *expected, "{query}");
        assert_eq!(pages.len(), 3);
        for before in pages[..2].iter().rev() {
            let previous = link(&page, "Previous page").unwrap();
            assert!(previous.contains(query), "{previous}");
            page = world.ulf.get(&previous).await;
            assert_eq!(rows(&page), *before, "{previous}");
            assert!(count(&page).starts_with(said), "{previous}");
        }
        assert_eq!(link(&page, "Previous page"), None, "it is the first");
    }
    let admin = Visitor::login(&world.site, "admin").await;
    let all = admin.get(LIST).await;
    assert_eq!(count(&all), "240 deliveries, showing 1–50");
}

#[tokio::test]
async fn column_heading_reverses_order_and_keeps_filter() {
    let world = World::start().await;
    world
        .wait(1, ["a", "b"].map(str::to_owned).into_iter())
        .await;
    let page = world.ulf.get(&format!("{LIST}?state=queued")).await;
    assert_eq!(rows(&page), [2, 1]);
    page.shows("aria-sort=\"descending\"");
    assert_eq!(count(&page), "2 matching deliveries");
    let turn = link(&page, "Queued <span aria-hidden=\"true\">▼</span>").unwrap();
    assert_eq!(turn, format!("{LIST}?state=queued&sort=created"));
    let page = world.ulf.get(&turn).await;
    assert_eq!(rows(&page), [1, 2]);
    assert!(page.has("aria-sort=\"ascending\""));
    assert!(page.has("value=\"created\" selected"), "the form keeps it");
    let back = link(&page, "Queued <span aria-hidden=\"true\">▲</span>");
    assert_eq!(back.unwrap(), format!("{LIST}?state=queued"));
}

#[tokio::test]
async fn page_neighbours_stay_correct_after_rows_change() {
    let world = World::start().await;
    world.wait(1, (0..120).map(|at| format!("a-{at}"))).await;
    let first = world.ulf.get(LIST).await;
    let second = world.ulf.get(&link(&first, "Next page").unwrap()).await;
    assert_eq!(rows(&second), (21..=70).rev().collect::<Vec<_>>());
    world.wait(1, (0..60).map(|at| format!("b-{at}"))).await;
    let now = SystemClock.now();
    for gone in [70, 90] {
        world
            .store
            .delete_delivery(DeliveryId(gone), now)
            .await
            .unwrap();
    }
    let mut page = world
        .ulf
        .get(&link(&second, "Previous page").unwrap())
        .await;
    let mut expected: Vec<i64> = (71..=121).rev().collect();
    expected.retain(|row| *row != 90);
    assert_eq!(rows(&page), expected);
    assert_eq!(count(&page), "178 deliveries");
    page = world.ulf.get(&link(&page, "Previous page").unwrap()).await;
    assert_eq!(rows(&page), (122..=171).rev().collect::<Vec<_>>());
    // Fewer rows than a page come before: it is the first page.
    page = world.ulf.get(&link(&page, "Previous page").unwrap()).await;
    assert_eq!(rows(&page), (131..=180).rev().collect::<Vec<_>>());
    assert_eq!(count(&page), "178 deliveries, showing 1–50");
    assert_eq!(link(&page, "First page"), None);
    // A page after the end has a link to the last rows.
    let page = world.ulf.get(&format!("{LIST}?after=1")).await;
    assert_eq!(rows(&page), Vec::<i64>::new());
    assert_eq!(link(&page, "First page").unwrap(), LIST);
    let page = world
        .ulf
        .get(&format!("{LIST}?sort=created&after=180"))
        .await;
    let page = world.ulf.get(&link(&page, "Previous page").unwrap()).await;
    assert_eq!(rows(&page), (131..=180).collect::<Vec<_>>());
}

#[tokio::test]
async fn live_page_total_includes_new_deliveries() {
    let world = World::start().await;
    world.wait(1, (0..60).map(|at| format!("a-{at}"))).await;
    world.wait(1, ["b".to_owned()].into_iter()).await;
    let live = async |query: &str| world.ulf.get(&format!("{LIST}/live?{query}")).await;
    let page = live("top=60").await;
    assert_eq!(count(&page), "61 deliveries");
    page.shows("Show 1 newer delivery");
    assert_eq!(rows(&page), (11..=60).rev().collect::<Vec<_>>());
    // The live part of a later page is read at its position and in its order.
    let page = live("back=5").await;
    assert_eq!(rows(&page), (6..=55).rev().collect::<Vec<_>>());
    page.shows("live?back=5\"");
    let page = live("sort=created&top=3").await;
    assert_eq!(rows(&page), (1..=50).collect::<Vec<_>>());
    page.shows("live?sort=created\"");
}

#[tokio::test]
async fn delivery_count_is_capped_and_says_so() {
    let world = World::start().await;
    for some in 0..13 {
        world
            .wait(1, (0..800).map(|at| format!("m{some}-{at}")))
            .await;
    }
    let get = async |query: &str| world.ulf.get(&format!("{LIST}?{query}")).await;
    let get_live = async |query: &str| world.ulf.get(&format!("{LIST}/live?{query}")).await;
    let page = get("").await;
    assert_eq!(count(&page), "2,000+ deliveries, showing 1–50");
    let each_few_seconds = "live?top=10400&amp;more=1\" data-pace=\"3\"";
    page.shows(each_few_seconds);
    let live = get_live("top=10400&more=1").await;
    assert_eq!(count(&live), "2,000+ deliveries, showing 1–50");
    let page = get("id=m").await;
    assert_eq!(count(&page), "2,000+ matching deliveries, showing 1–50");
    // Waiting deliveries may leave that state at any moment: they are counted again.
    let page = get("state=queued").await;
    page.shows("live?state=queued&amp;top=10400\"");
    // A search by id compares each of the 5,000 rows.
    for (query, said) in [
        ("id=m12-", "At least 800 deliveries, counted back to <"),
        (
            "id=m0-&sort=created",
            "At least 800 deliveries, counted up to <",
        ),
    ] {
        let page = get(query).await;
        assert!(count(&page).starts_with(said), "{query}: {}", count(&page));
        let page = world.ulf.get(&link(&page, "Next page").unwrap()).await;
        assert!(count(&page).starts_with(said), "{query}: {}", count(&page));
        assert_eq!(rows(&page).len(), 50);
    }
    // A search that stops before its page is full says so, in either direction.
    for (query, forth, back) in [
        ("status=599", "Searched back to", "Searched up to"),
        (
            "status=599&sort=created",
            "Searched up to",
            "Searched back to",
        ),
    ] {
        let mut page = get(query).await;
        let mut looks = 0;
        while let Some(further) = link(&page, "Search further") {
            assert!(page.has(forth) && page.has("No matches yet"), "{query}");
            assert_eq!(count(&page), "", "{query}");
            assert_eq!(link(&page, "Next page"), None, "{query}");
            page = world.ulf.get(&further).await;
            looks += 1;
        }
        assert_eq!(looks, 2, "{query}");
        page.shows("No matching deliveries");
        page = world.ulf.get(&link(&page, "Previous page").unwrap()).await;
        page.shows(back);
        page.shows("rel=\"prev\"");
        assert_eq!(link(&page, "Previous page"), None, "the search goes on");
        page = world.ulf.get(&link(&page, "Search further").unwrap()).await;
        assert!(page.has(forth), "it is the first page: {}", page.html);
    }
}

#[tokio::test]
async fn text_search_counts_only_matches_of_its_page() {
    let world = World::start().await;
    world.wait(1, (0..60).map(|at| format!("a-{at}"))).await;
    let page = world.ulf.get(&format!("{LIST}?q=A-&sort=created")).await;
    let said = "50 matches on this page. A search does not count matches on other pages.";
    assert_eq!(count(&page), said);
    assert_eq!(rows(&page), (1..=50).collect::<Vec<_>>());
    let page = world.ulf.get(&link(&page, "Next page").unwrap()).await;
    assert!(count(&page).starts_with("10 matches on this page."));
    let page = world.ulf.get(&link(&page, "Previous page").unwrap()).await;
    assert_eq!(rows(&page), (1..=50).collect::<Vec<_>>());
    assert_eq!(link(&page, "Previous page"), None);
    // One page contains all of them.
    let page = world.ulf.get(&format!("{LIST}?q=a-1")).await;
    assert_eq!(count(&page), "11 matching deliveries");
}

#[tokio::test]
async fn hostile_addresses_are_lists_and_never_markup() {
    let world = World::start().await;
    world.wait(1, ["a".to_owned()].into_iter()).await;
    for query in [
        "sort=%22%3E%3Cscript%3E&back=%3Cscript%3E&after=%3Cscript%3E",
        "back=9223372036854775807",
        "back=9223372036854775807&sort=created",
        "after=9223372036854775807&sort=created",
        "after=1&back=1",
        "back=1&sort=created",
        "sort=%00&back=-1",
    ] {
        for path in [LIST, "/console/deliveries/live"] {
            let page = world.ulf.get(&format!("{path}?{query}")).await;
            assert_eq!(page.status, 200, "{query}");
            assert!(!page.has("<script>"), "{query}");
        }
    }
}
