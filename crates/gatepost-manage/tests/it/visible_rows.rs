//! Pages are filled for callers who may see only some of the rows, and no row is left out or listed
//! twice.

use gatepost_manage::ManageError;
use gatepost_storage::keys::KeyQuery;
use gatepost_storage::webhooks::{DeliveryQuery, EventQuery, TaskQuery, WebhookQuery};
use gatepost_storage::{Bodies, Order, Page, Scope};
use gatepost_testkit::fault::When;
use tokio::task::JoinSet;

use crate::users::{INSIDE, user};
use crate::world::{ADMIN, OWNER, STRANGER, TENANT, World, draft, event, task, webhook};

/// Returns a world with rows of the owner among rows of others, some of them in the owner's tenant
/// and yet hidden from its administrator; and then many rows of others.
async fn furnished() -> World {
    let world = World::start().await;
    for n in 0..40 {
        let owner = match n {
            _ if n % 3 == 0 && n < 30 => OWNER,
            _ if n % 5 == 1 => INSIDE,
            _ => STRANGER,
        };
        let draft = draft(owner, &format!("key {n}"));
        let made = world.keys.create(&user(owner), draft).await;
        assert!(made.is_ok());
        let hook = webhook(owner, &format!("webhook {n}"));
        let hook = world.engine.create_webhook(&hook).await.unwrap().id;
        world.engine.pause_webhook(hook).await.unwrap();
        let task = task(owner, &format!("task {n}"), hook);
        let task = world.engine.create_task(&task).await.unwrap().id;
        world.engine.create_event(&event(task)).await.unwrap();
        world.engine.send(hook, None).await.unwrap();
    }
    world
}

macro_rules! walked {
    ($actor:expr, $method:ident, $page:expr, $query:expr) => {
        walked!(@ |page| $actor.$method(&$query(page)), $page)
    };
    (@ |$asked:ident| $listed:expr, $page:expr) => {{
        let mut page = $page;
        let mut all = Vec::new();
        let mut pages = 0;
        loop {
            let $asked = page;
            let found = $listed.await.unwrap();
            assert!(found.rows.len() <= page.limit as usize);
            if found.next.is_some() {
                assert_eq!(found.rows.len(), page.limit as usize, "a page is filled");
                let last = found.rows.last().map(|row| row.id);
                assert_eq!(found.next, last, "no number of a row that is not listed");
            }
            all.extend(found.rows.iter().map(|row| row.id));
            pages += 1;
            assert!(pages < 200);
            match found.next {
                Some(next) => page = page.beyond(next),
                None => break all,
            }
        }
    }};
}

#[tokio::test]
async fn paged_lists_return_each_row_once_in_order() {
    let world = furnished().await;
    for (user, expected) in [(ADMIN, 42), (TENANT, 12), (OWNER, 12), (STRANGER, 24)] {
        let actor = world.of(user);
        for limit in [1, 3, 7, 12, 500] {
            for order in [Order::Ascending, Order::Descending] {
                let what = format!("{user} {limit} {order:?}");
                let webhooks = walked!(actor, webhooks, page(limit, order), |page| {
                    WebhookQuery {
                        scope: Scope::All,
                        name: None,
                        page,
                    }
                });
                let tasks = walked!(actor, tasks, page(limit, order), |page| {
                    TaskQuery {
                        scope: Scope::All,
                        creator: None,
                        webhook: None,
                        name: None,
                        page,
                    }
                });
                let events = walked!(actor, events, page(limit, order), |page| {
                    EventQuery {
                        scope: Scope::All,
                        task: None,
                        event_type: None,
                        page,
                    }
                });
                let keys = walked!(@ |page| actor.keys(KeyQuery::all(page)), page(limit, order));
                let log = walked!(actor, deliveries, page(limit, order), DeliveryQuery::all);
                assert_eq!(webhooks.len(), expected, "{what}");
                // One webhook of the fixture has no task, and both have a delivery; there is one
                // key.
                let without = usize::from(user != STRANGER);
                assert_eq!(tasks.len(), expected - without, "{what}");
                assert_eq!(events.len(), expected - without, "{what}");
                assert_eq!(keys.len(), expected - without, "{what}");
                assert_eq!(log.len(), expected, "{what}");
                let sorted = [
                    webhooks.iter().map(|id| id.0).collect::<Vec<_>>(),
                    tasks.iter().map(|id| id.0).collect(),
                    events.iter().map(|id| id.0).collect(),
                    keys.iter().map(|id| id.0).collect(),
                    log.iter().map(|id| id.0).collect(),
                ];
                for ids in sorted {
                    let rising = ids.is_sorted_by(|a, b| a < b);
                    let falling = ids.is_sorted_by(|a, b| a > b);
                    let in_order = if order == Order::Ascending {
                        rising
                    } else {
                        falling
                    };
                    assert!(in_order || ids.len() < 2, "{what}: {ids:?}");
                }
            }
        }
    }
}

fn page<I>(limit: u32, order: Order) -> Page<I> {
    Page {
        order,
        ..Page::first(limit)
    }
}

#[tokio::test]
async fn byte_limited_page_stops_even_without_visible_rows() {
    let world = furnished().await;
    let tenant = world.of(TENANT);
    let bodies = Bodies::UpTo(1);
    let mut page = page(500, Order::Ascending).with_bodies(bodies);
    let (mut seen, mut unseen) = (0, 0);
    loop {
        let found = tenant.deliveries(&DeliveryQuery::all(page)).await.unwrap();
        assert!(found.rows.len() <= 1);
        let Some(next) = found.next else { break };
        seen += found.rows.len();
        unseen += usize::from(found.rows.is_empty());
        page = page.beyond(next);
    }
    assert_eq!(seen, 12);
    assert!(unseen > 0, "others' messages are not read on behind it");
}

#[tokio::test(start_paused = true)]
async fn concurrent_lists_of_user_wait_or_are_refused() {
    let world = World::start().await;
    let gate = world.store.gate();
    gate.hold("list_webhooks", 1, When::Before);
    let list = |user| {
        let actor = world.of(user);
        let query = WebhookQuery {
            scope: Scope::All,
            name: None,
            page: Page::first(10),
        };
        async move { actor.webhooks(&query).await.map(|found| found.rows.len()) }
    };
    let first = tokio::spawn(list(OWNER));
    gate.arrived().await;
    let mut lists = JoinSet::new();
    for _ in 0..40 {
        lists.spawn(list(OWNER));
    }
    for _ in 0..8 {
        let refused = lists.join_next().await.unwrap().unwrap();
        let is_refused = matches!(refused, Err(ManageError::TooFast { .. }));
        assert!(is_refused, "{refused:?}");
    }
    let keys = world.of(OWNER).keys(KeyQuery::all(Page::first(10))).await;
    assert!(
        matches!(keys, Err(ManageError::TooFast { .. })),
        "a list as any other"
    );
    let others = list(STRANGER).await;
    assert_eq!(others.unwrap(), 0, "others do not wait for him");
    // The permission that each read and edit of a task requires.
    let (owner, rows) = (world.of(OWNER), &world.rows);
    let row = owner.task(rows.task).await.unwrap();
    assert!(owner.running_tasks(&[row]).await.unwrap().is_empty());
    gate.open();
    assert_eq!(first.await.unwrap().unwrap(), 2);
    for listed in lists.join_all().await {
        assert_eq!(listed.unwrap(), 2);
    }
}
