//! Each method authorizes its caller, and leaves one record of its change.

use std::collections::BTreeSet;
use std::path::PathBuf;

use gatepost_keys::{AccessLevel, Via};
use gatepost_manage::{Actor, ManageError, Operation};
use gatepost_storage::keys::KeyQuery;
use gatepost_storage::webhooks::{DeliveryQuery, EventQuery, TaskQuery, WebhookQuery};
use gatepost_storage::{Page, Scope};

use crate::calls::{OTHERS, calls};
use crate::world::{
    ADMIN, NOWHERE, OWNER, STRANGER, TENANT, World, draft, event, task, user, webhook,
};

/// Methods that read no user's row: features of the platform, names, who is managed, metrics of the
/// process.
const OF_NO_ROW: [&str; 7] = [
    "check_target",
    "choices",
    "example",
    "health",
    "managed",
    "name",
    "names",
];

#[test]
fn the_table_holds_every_method() {
    let mut folders = vec![PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/src"))];
    let mut sources = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.extension() {
                Some(end) if end == "rs" => sources.push(std::fs::read_to_string(path).unwrap()),
                _ if path.is_dir() => folders.push(path),
                _ => {}
            }
        }
    }
    let blocks = sources.iter().flat_map(|source| source.split("\nimpl "));
    let own = blocks.filter(|block| block.starts_with("Actor {"));
    let heads = own.flat_map(|block| block.split("\n    pub ").skip(1));
    let heads = heads.filter_map(|method| method.split(" {\n").next());
    let is_call = |head: &&str| head.starts_with("async fn ") || head.contains("-> Answer<");
    let names = heads
        .filter(is_call)
        .filter_map(|head| head.split_once("fn "));
    let methods: BTreeSet<_> = names
        .map(|(_, rest)| rest.split(['(', '<']).next().unwrap())
        .collect();
    let mut told: BTreeSet<_> = calls(NOWHERE).iter().map(|call| call.name).collect();
    told.extend(OTHERS);
    told.extend(OF_NO_ROW);
    assert_eq!(methods, told);
}

#[tokio::test]
async fn stranger_finds_no_row_and_nothing_is_audited() {
    let world = World::start().await;
    for call in calls(world.rows) {
        let answer = (call.run)(world.of(STRANGER)).await;
        let is_hidden = matches!(answer, Err(ManageError::NotFound));
        assert!(is_hidden, "{}: {answer:?}", call.name);
    }
    assert_eq!(world.heard(), []);
}

#[tokio::test]
async fn authorized_call_succeeds_and_is_audited_once() {
    for by in [OWNER, TENANT, ADMIN] {
        let count = calls(World::start().await.rows).len();
        for nth in 0..count {
            let world = World::start().await;
            let call = calls(world.rows).swap_remove(nth);
            let answer = (call.run)(world.of(by)).await;
            assert!(answer.is_ok(), "{} by {by}: {answer:?}", call.name);
            let expected = call.record.map(|(table, row, word)| (by, table, row, word));
            let expected: Vec<_> = expected.into_iter().collect();
            assert_eq!(world.heard(), expected, "{}", call.name);
        }
    }
}

#[tokio::test]
async fn abandoned_call_is_finished_and_audited() {
    let count = calls(World::start().await.rows).len();
    for nth in 0..count {
        let world = World::start().await;
        let call = calls(world.rows).swap_remove(nth);
        let Some((table, row, word)) = call.record else {
            continue;
        };
        let mut answer = (call.run)(world.of(OWNER));
        std::future::poll_fn(|cx| {
            let _ = answer.as_mut().poll(cx);
            std::task::Poll::Ready(())
        })
        .await;
        drop(answer);
        for _ in 0..10_000 {
            if !world.heard().is_empty() {
                break;
            }
            tokio::time::sleep(std::time::Duration::from_millis(1)).await;
        }
        assert_eq!(world.heard(), [(OWNER, table, row, word)], "{}", call.name);
    }
}

#[tokio::test]
async fn a_caller_learns_by_which_key_it_came() {
    let world = World::start().await;
    assert!(world.of(OWNER).acting_key().await.unwrap().is_none());
    let id = world.rows.key;
    let mut by_key = user(OWNER);
    by_key.via = Via::Key(id);
    let actor = world.door.of(&by_key);
    let acting = actor.acting_key().await.unwrap();
    assert_eq!(acting.map(|row| row.id), Some(id));
    world.of(OWNER).delete_key(id).await.unwrap();
    let answer = actor.acting_key().await;
    assert!(matches!(answer, Err(ManageError::Forbidden)), "{answer:?}");
}

#[tokio::test]
async fn records_can_be_created_only_for_managed_users() {
    let world = World::start().await;
    let (stranger, tenant) = (world.of(STRANGER), world.of(TENANT));
    let hook = world.rows.webhook;
    let refused = [
        stranger.create_key(draft(OWNER, "new")).await.map(drop),
        stranger
            .create_webhook(webhook(OWNER, "new"))
            .await
            .map(drop),
        stranger
            .create_task(task(OWNER, "new", hook))
            .await
            .map(drop),
        tenant.create_key(draft(ADMIN, "new")).await.map(drop),
        tenant.create_webhook(webhook(ADMIN, "new")).await.map(drop),
        tenant.create_task(task(ADMIN, "new", hook)).await.map(drop),
    ];
    for answer in refused {
        assert!(matches!(answer, Err(ManageError::Forbidden)), "{answer:?}");
    }
    assert_eq!(world.heard(), []);
    let key = tenant.create_key(draft(OWNER, "new")).await.unwrap().0.id;
    let made = tenant
        .create_webhook(webhook(OWNER, "new"))
        .await
        .unwrap()
        .id;
    let ran = tenant
        .create_task(task(OWNER, "new", made))
        .await
        .unwrap()
        .id;
    let fired = tenant.create_event(event(ran)).await.unwrap().id;
    let create = |table, row| (TENANT, table, row, Operation::Create);
    let expected = [
        create("user_api_keys", key.into()),
        create("webhook_urls", made.into()),
        create("tasks", ran.into()),
        create("task_events", fired.into()),
    ];
    assert_eq!(world.heard(), expected);
}

/// Returns how many rows of each table a caller is listed.
async fn seen(actor: &Actor) -> [usize; 5] {
    let (scope, name) = (Scope::All, None);
    let webhooks = WebhookQuery {
        scope,
        name: name.clone(),
        page: Page::first(50),
    };
    let tasks = TaskQuery {
        scope,
        creator: None,
        webhook: None,
        name,
        page: Page::first(50),
    };
    let events = EventQuery {
        scope,
        task: None,
        event_type: None,
        page: Page::first(50),
    };
    let log = DeliveryQuery::all(Page::first(50));
    let deliveries = actor.deliveries(&log).await.unwrap().rows;
    let with = actor.deliveries_with_responses(&log).await.unwrap().rows;
    assert!(with.iter().map(|(delivery, _)| delivery).eq(&deliveries));
    [
        actor
            .keys(KeyQuery::all(Page::first(50)))
            .await
            .unwrap()
            .rows
            .len(),
        actor.webhooks(&webhooks).await.unwrap().rows.len(),
        actor.tasks(&tasks).await.unwrap().rows.len(),
        actor.events(&events).await.unwrap().rows.len(),
        deliveries.len(),
    ]
}

#[tokio::test]
async fn lists_and_names_contain_only_visible_rows() {
    let world = World::start().await;
    let rows = world.rows;
    for (user, expected) in [
        (ADMIN, [1, 2, 1, 1, 2]),
        (TENANT, [1, 2, 1, 1, 2]),
        (OWNER, [1, 2, 1, 1, 2]),
        (STRANGER, [0; 5]),
    ] {
        let actor = world.of(user);
        assert_eq!(seen(&actor).await, expected, "{user}");
        let webhooks = actor.webhook_names([rows.webhook, rows.paused]).await;
        assert_eq!(webhooks.unwrap().len(), expected[1], "{user}");
        let tasks = actor.task_names([rows.task]).await;
        assert_eq!(tasks.unwrap().len(), expected[2], "{user}");
        let health = actor.health().await.unwrap();
        let may = actor.principal().access == AccessLevel::SystemAdministrator;
        assert_eq!(health.is_some(), may, "{user}");
        let may = actor.may_manage(gatepost_keys::OwnerId(OWNER)).await;
        assert_eq!(may.unwrap(), user != STRANGER, "{user}");
    }
    let row = world.of(OWNER).task(rows.task).await.unwrap();
    let running = world.of(OWNER).running_tasks(&[row]).await.unwrap();
    assert!(running.is_empty(), "{running:?}");
}
