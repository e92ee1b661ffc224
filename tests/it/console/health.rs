//! The health of webhooks: in the list, on their pages, on the first page.

use std::sync::Arc;

use gatepost_kv::MemoryStore;
use gatepost_storage::webhooks::{DeliveryLog as _, HourlyCount};
use gatepost_storage::{Clock as _, SystemClock};
use tests::browser::form_input::hook;
use tests::browser::{Setup, Site, Visitor};
use webhook_model::WebhookId;

const NEW: &str = "/console/webhooks/new";

struct World {
    store: Arc<MemoryStore>,
    site: Site,
}

impl World {
    async fn start() -> Self {
        let store = Arc::new(MemoryStore::new());
        let site = Setup::on(&store).start().await;
        Self { store, site }
    }

    /// Writes counters of this hour.
    async fn counted(&self, webhook: i64, sent: u64, failed: u64, milliseconds: u64) {
        let count = HourlyCount {
            sent,
            failed,
            milliseconds,
            ..HourlyCount::failed(WebhookId(webhook), SystemClock.now())
        };
        self.store.add_counts(&[count]).await.unwrap();
    }
}

#[tokio::test]
async fn failing_webhook_is_marked_in_list_and_pages() {
    let world = World::start().await;
    let ulf = Visitor::login(&world.site, "ulf").await;
    for name in ["dead", "well", "idle", "shaky"] {
        let fields = hook("https://example.com/in", &[("name", name)]);
        assert_eq!(ulf.submit(NEW, &fields).await.status, 303, "{name}");
    }
    let fails = async |visitor: &Visitor| {
        let page = visitor.get("/console/").await;
        page.has("is failing.") || page.has("are failing.")
    };
    assert!(!fails(&ulf).await, "the control");
    world.counted(1, 0, 12, 100).await;
    world.counted(2, 1_000, 0, 100).await;
    world.counted(4, 997, 3, 100).await;
    let list = ulf.get("/console/webhooks").await;
    let rows: Vec<_> = list.html.split("<tr>").collect();
    let row = |name: &str| {
        let name = format!(">{name}</a>");
        *rows.iter().find(|row| row.contains(&name)).unwrap()
    };
    assert!(row("dead").contains(">Failing<") && row("dead").contains("12 failed (0% success)"));
    assert!(row("well").contains(">Active<") && row("well").contains("1,000 sent"));
    assert!(
        row("well").contains("between "),
        "the hour: {}",
        row("well")
    );
    assert!(row("idle").contains(">Active<") && row("idle").contains("none in the last 24 hours"));
    assert!(row("shaky").contains(">Some failures<") && row("shaky").contains("(99.7% success)"));
    let page = ulf.get("/console/webhooks/1").await;
    assert!(page.has(">Failing<") && page.has("No delivery has succeeded yet."));
    let first = ulf.get("/console/").await;
    assert!(first.has("A webhook is failing.") && first.has("12 attempts failed"));
    assert!(first.has("href=\"/console/webhooks/1\"") && !first.has(">shaky<"));
    // Users only see their own webhooks; a paused one does not fail.
    let vera = Visitor::login(&world.site, "vera").await;
    assert!(fails(&ulf).await && !fails(&vera).await);
    ulf.fill(NEW, "/console/webhooks/1/do/pause", &[]).await;
    assert!(!fails(&ulf).await);
    assert!(ulf.get("/console/webhooks").await.has(">Paused<"));
}

#[tokio::test]
async fn charts_have_axes_ranges_and_a_table() {
    let world = World::start().await;
    let ulf = Visitor::login(&world.site, "ulf").await;
    ulf.submit(NEW, &hook("https://example.com/in", &[])).await;
    world.counted(1, 30, 10, 8_000).await;
    for (range, name, rows) in [
        ("24h", "last 24 hours", 24),
        ("7d", "last 7 days", 28),
        ("30d", "last 30 days", 30),
        ("nonsense", "last 24 hours", 24),
    ] {
        let page = ulf.get(&format!("/console/webhooks/1?range={range}")).await;
        assert!(page.has(&format!("<h2>In the {name}</h2>")), "{range}");
        assert_eq!(page.html.matches("<figure").count(), 3, "{range}");
        let table = page.html.split("The numbers as a table").nth(1).unwrap();
        let table = table.split("</table>").next().unwrap();
        // There is one row for each part, one for the total, and the heading.
        assert_eq!(table.matches("<tr>").count(), rows + 2, "{range}");
        assert!(
            table.contains(">75%<") && table.contains(">200 ms<"),
            "{range}"
        );
        assert!(page.has(">40</span>"), "the axis: {range}");
        let live = format!(
            "/console/webhooks/1/live?range={}",
            &range.replace("nonsense", "24h")
        );
        assert!(page.has(&live), "{range}");
        assert!(ulf.get(&live).await.has(name), "{range}");
    }
}
