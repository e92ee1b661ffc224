//! The list of deliveries as the console requests it, through `Management`, with 1,000,000 kept:
//! its pages and totals, and searches by text, id, state and time.

use std::sync::Arc;
use std::time::{Duration, Instant};

use benches::platform::{Platform, Users, key_store, now};
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_ids::{AccessLevel, Account, TenantId};
use gatepost_keys::{KeyService, Principal, Via};
use gatepost_manage::{Actor, DeliveryMatch, FoundDeliveries, Management};
use gatepost_storage::webhooks::{DeliveryId, DeliveryQuery, DeliveryState, MessageId};
use gatepost_storage::{Order, Page};
use webhook_model::{OwnerId, WebhookId};

use crate::report::row;
use crate::stage::Stage;

const KEPT: i64 = 1_000_000;
/// The number of tenants, each with one webhook, whose 2,500 deliveries are all shown.
const TENANTS: i64 = 400;
const DAYS: i64 = 20;
const CALLS: usize = 10;
/// A page of the console, and one row to see whether there is another.
const PAGE: u32 = 51;
/// The rows that the console counts, and one to see whether there are more.
const COUNT: u32 = 2_001;
const SOON: &str = "<= 100 ms";
/// The budget of a search, and its last page.
const SEARCHED: &str = "<= 1,100 ms";

/// A search, and a check of its result.
struct Case {
    what: &'static str,
    goal: &'static str,
    by_tenant: bool,
    query: DeliveryQuery,
    wanted: DeliveryMatch,
    is_meant: fn(&FoundDeliveries) -> bool,
}

pub(crate) async fn measure(stage: &mut Stage) {
    let store = stage.fresh().await;
    let tenants = stage.scaled(TENANTS);
    store.hooks(stage.receiver.addr.port(), tenants, true).await;
    let (kept, until) = (stage.scaled(KEPT), now() - TimeDelta::hours(1));
    let from = until - TimeDelta::days(DAYS);
    let mut bulk = store.bulk().await;
    bulk.ended(kept, from, until).await;
    let middle = from + (until - from) / 2;
    let id = MessageId::new(middle, 7);
    let name = format!(
        "UPDATE gatepost_delivery SET message_id = '{}' WHERE id = {} RETURNING id",
        id.as_str(),
        kept / 2
    );
    bulk.count(&name).await;
    drop(bulk);

    let platform = Platform::at(store.kind, &store.place).await;
    let keys = key_store(store.kind, &store.place).await;
    let keys = KeyService::builder(keys, Arc::new(Users)).build();
    let engine = platform.engine().await;
    let door = Management::builder(keys, engine.clone()).build();
    let system = Account::enabled(AccessLevel::SystemAdministrator);
    let system = door.of(&Principal::new(OwnerId(1), system, Via::Platform));
    let tenant = Account::enabled(AccessLevel::TenantAdministrator).in_tenant(TenantId(7));
    let tenant = door.of(&Principal::new(OwnerId(70), tenant, Via::Platform));
    for case in cases(&id, middle) {
        let actor = if case.by_tenant { &tenant } else { &system };
        let (mut medians, mut worst) = (Vec::new(), 0.0_f64);
        for _ in 0..stage.rounds(3) {
            let (median, most) = ask(actor, &case).await;
            medians.push(median);
            worst = worst.max(most);
        }
        let what = format!("deliveries, {} (worst call {worst:.1} ms)", case.what);
        row(stage.kind, &what, &medians, "ms", case.goal);
    }
    engine.shutdown(Duration::ZERO).await;
    drop((platform, door));
    store.remove().await;
}

/// Returns the median of the calls and the longest, in milliseconds.
async fn ask(actor: &Actor, case: &Case) -> (f64, f64) {
    let mut waits = Vec::new();
    for _ in 0..CALLS {
        let begun = Instant::now();
        let found = actor.find_deliveries(&case.query, &case.wanted).await;
        waits.push(begun.elapsed().as_secs_f64() * 1e3);
        let found = found.unwrap();
        let (rows, next) = (found.rows.len(), found.next);
        assert!((case.is_meant)(&found), "{}: {rows}, {next:?}", case.what);
    }
    let (median, _, most) = benches::spread(waits);
    (median, most)
}

fn cases(id: &MessageId, middle: DateTime<Utc>) -> Vec<Case> {
    let page = DeliveryQuery::all(Page::newest(PAGE));
    let counted = DeliveryQuery::all(Page::newest(COUNT));
    let case = |what, query: &DeliveryQuery, is_meant| Case {
        what,
        goal: SOON,
        by_tenant: false,
        query: query.clone(),
        wanted: DeliveryMatch::default(),
        is_meant,
    };
    let by_id = |what, id: &str, is_meant| {
        let mut case = case(what, &counted, is_meant);
        case.wanted.id = Some(id.to_owned());
        case
    };
    let by_text = |what, text: &str, is_meant| {
        let mut case = case(what, &page, is_meant);
        case.wanted.text = Some(text.to_owned());
        case.goal = SEARCHED;
        case
    };
    let full = |found: &FoundDeliveries| found.rows.len() == PAGE as usize;
    let more = |found: &FoundDeliveries| found.rows.len() == COUNT as usize;
    let cut = |found: &FoundDeliveries| found.rows.is_empty() && found.next.is_some();
    let of_webhook = DeliveryQuery {
        webhook: Some(WebhookId(7)),
        ..counted.clone()
    };
    let failed = DeliveryQuery {
        states: vec![DeliveryState::Error],
        created_from: Some(middle),
        created_before: Some(middle + TimeDelta::days(1)),
        ..counted.clone()
    };
    let oldest = DeliveryQuery {
        page: Page::first(PAGE),
        ..page.clone()
    };
    let back = DeliveryQuery {
        page: Page {
            order: Order::Ascending,
            ..Page::newest(PAGE).beyond(DeliveryId(90_000))
        },
        ..page.clone()
    };
    let mut status = case("by a status that none has: 5,000 rows", &counted, |found| {
        found.rows.is_empty()
    });
    status.wanted.status = Some(404);
    let mut of_tenant = case("total of a tenant, by its administrator", &counted, more);
    of_tenant.by_tenant = true;
    vec![
        case("a page, newest first", &page, full),
        case("a page, oldest first", &oldest, full),
        case("a page back", &back, full),
        case("the first page with the total, 2,000+", &counted, more),
        case("total of a webhook, 2,000+", &of_webhook, more),
        of_tenant,
        case(
            "in error, of a day ten days ago, with the total",
            &failed,
            |found| (20..COUNT as usize).contains(&found.rows.len()) && found.next.is_none(),
        ),
        by_id(
            "by a whole message ID of ten days ago",
            id.as_str(),
            |found| found.rows.len() == 1 && found.next.is_none(),
        ),
        by_id(
            "by the beginning of an ID, which says ten hours",
            &id.as_str()[..9],
            |found| found.rows.len() <= 1,
        ),
        status,
        by_text("by a text that all have", "\"pad\"", full),
        by_text("by a text that one in 100 has", "00\",\"PAD", full),
        by_text("by a text that none has: 20,000 rows", "nowhere", cut),
    ]
}
