//! The usage of a key on its page.

use std::sync::Arc;

use apikey_core::KeyId;
use chrono::{DateTime, Days, Utc};
use examples::client::call;
use gatepost_kv::MemoryStore;
use gatepost_storage::keys::KeyUse;
use gatepost_storage::{KeyStore as _, ManualClock};
use tests::browser::form_input::new_key;
use tests::browser::{Setup, Site, Visitor};
use tests::world::HERE;

const NOW: &str = "2026-11-19T23:59:00Z";

async fn start() -> (Arc<MemoryStore>, Site) {
    let store = Arc::new(MemoryStore::new());
    let now: DateTime<Utc> = NOW.parse().unwrap();
    let setup = Setup {
        clock: Arc::new(ManualClock::at(now)),
        ..Setup::on(&store)
    };
    (store, setup.start().await)
}

fn ago(days: u64, used: u64, refused: u64) -> KeyUse {
    let today = NOW.parse::<DateTime<Utc>>().unwrap().date_naive();
    KeyUse {
        key: KeyId(1),
        day: today - Days::new(days),
        used,
        refused,
    }
}

#[tokio::test]
async fn daily_key_uses_appear_as_chart_and_table() {
    let (store, site) = start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    new_key(&ulf, "ci").await;
    let page = ulf.get("/console/keys/1").await;
    assert!(page.has("Not used in the last 30 days."), "the control");
    assert!(!page.has("<figure"), "{}", page.html);
    let home = ulf.get("/console/").await;
    assert!(!home.has("API keys to look at"), "{}", home.html);
    let uses = [
        ago(1, 1_200, 3),
        ago(8, 4, 0),
        ago(40, 7, 0),
        ago(100, 1, 0),
    ];
    store.record_uses(&uses).await.unwrap();

    let home = ulf.get("/console/").await;
    let told = "ci</a> <span class=\"quiet\">refused 3 times since yesterday<";
    assert!(
        home.has("API keys to look at") && home.has(told),
        "{}",
        home.html
    );
    let page = ulf.get("/console/keys/1").await;
    assert!(page.has("Used 1,204 times in the last 30 days. Refused 3 times."));
    let bars = |page: &tests::browser::Page| {
        page.html
            .matches("<rect class=\"sent\" width=\"14\"")
            .count()
    };
    let rows = |page: &tests::browser::Page| page.html.matches("data-label=\"Used\"").count();
    assert_eq!((bars(&page), rows(&page)), (2, 3), "and all together");
    assert!(page.has(">1,204<") && page.has("aria-current=\"true\">30 days"));
    for (days, wanted) in [("7", (1, 2)), ("90", (3, 4)), ("x", (2, 3))] {
        let page = ulf.get(&format!("/console/keys/1?days={days}")).await;
        assert_eq!((bars(&page), rows(&page)), wanted, "{days}");
        assert!(page.has("Used 1,204 times in the last 30 days"), "{days}");
    }
    let vera = Visitor::login(&site, "vera").await;
    assert_eq!(vera.get("/console/keys/1").await.status, 404);
}

#[tokio::test]
async fn key_page_includes_most_recent_use() {
    let (_, site) = start().await;
    let ulf = Visitor::login(&site, "ulf").await;
    let key = new_key(&ulf, "ci").await.secret().unwrap();
    let path = "/api/v4/system";
    let probed = call(site.addr, HERE, "GET", path, Some(&key), None);
    assert_eq!(probed.await.unwrap().status, 200);
    let page = ulf.get("/console/keys/1").await;
    assert!(page.has("Used once in the last 30 days."));
}
