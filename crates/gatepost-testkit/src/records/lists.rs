//! Lists: the requested rows, page by page.

use gatepost_storage::webhooks::{EventQuery, TaskQuery, WebhookQuery};
use gatepost_storage::{Page, Scope};
use webhook_model::OwnerId;

use crate::fixtures::{UNLIMITED, at, event, task, webhook};
use crate::harness::Webhooks;

fn webhooks(page: Page<webhook_model::WebhookId>) -> WebhookQuery {
    WebhookQuery {
        scope: Scope::All,
        name: None,
        page,
    }
}

/// A list of webhooks holds those of the requested owner and name.
pub async fn r17_webhooks_are_listed_by_owner_and_name(store: Webhooks) {
    let records = &store.records;
    let mut ids = Vec::new();
    for (name, owner) in [("a", 1), ("b", 2), ("c", 1)] {
        let mut hook = webhook(name);
        hook.owner = OwnerId(owner);
        ids.push(
            records
                .insert_webhook(&hook, UNLIMITED, at(0))
                .await
                .unwrap()
                .id,
        );
    }
    let found = async |owner: Option<u128>, name: Option<&str>| {
        let query = WebhookQuery {
            scope: owner.map_or(Scope::All, |owner| Scope::Owner(OwnerId(owner))),
            name: name.map(str::to_owned),
            ..webhooks(Page::first(9))
        };
        let rows = records.list_webhooks(&query).await.unwrap();
        rows.into_iter().map(|r| r.id).collect::<Vec<_>>()
    };
    assert_eq!(found(None, None).await, ids, "R17 all");
    assert_eq!(found(Some(1), None).await, [ids[0], ids[2]], "R17 owner");
    assert_eq!(found(None, Some("b")).await, [ids[1]], "R17 name");
    assert_eq!(found(Some(1), Some("b")).await, [], "R17 both");
    assert_eq!(found(None, Some("A")).await, [], "R17 exactly this name");
}

/// A list of tasks holds those of the requested creator, webhook and name.
pub async fn r18_tasks_are_listed_by_creator_webhook_and_name(store: Webhooks) {
    let records = &store.records;
    let one = records
        .insert_webhook(&webhook("one"), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let two = records
        .insert_webhook(&webhook("two"), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let mut ids = Vec::new();
    for (name, creator, hook) in [("a", 1, one), ("a", 2, two), ("b", 1, two)] {
        let mut new = task(hook);
        new.name = name.parse().unwrap();
        new.creator = OwnerId(creator);
        ids.push(
            records
                .insert_task(&new, UNLIMITED, at(0))
                .await
                .unwrap()
                .id,
        );
    }
    let found = async |creator: Option<u128>, webhook, name: Option<&str>| {
        let query = TaskQuery {
            scope: Scope::All,
            creator: creator.map(OwnerId),
            webhook,
            name: name.map(str::to_owned),
            page: Page::first(9),
        };
        let rows = records.list_tasks(&query).await.unwrap();
        rows.into_iter().map(|r| r.id).collect::<Vec<_>>()
    };
    assert_eq!(found(None, None, None).await, ids, "R18 all");
    assert_eq!(
        found(Some(1), None, None).await,
        [ids[0], ids[2]],
        "R18 creator"
    );
    assert_eq!(found(None, Some(two), None).await, ids[1..], "R18 webhook");
    assert_eq!(found(None, None, Some("a")).await, ids[..2], "R18 name");
    assert_eq!(
        found(Some(1), Some(two), Some("a")).await,
        [],
        "R18 all three"
    );
}

/// A list of events holds those of the requested task and type.
pub async fn r19_events_are_listed_by_task_and_type(store: Webhooks) {
    let records = &store.records;
    let hook = records
        .insert_webhook(&webhook("w"), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let one = records
        .insert_task(&task(hook), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let two = records
        .insert_task(&task(hook), UNLIMITED, at(0))
        .await
        .unwrap()
        .id;
    let mut ids = Vec::new();
    for (of, kind) in [(one, "vms"), (one, "alarms"), (two, "vms")] {
        let mut on = event(of);
        on.event_type = kind.parse().unwrap();
        ids.push(
            records
                .insert_event(&on, UNLIMITED, at(0))
                .await
                .unwrap()
                .id,
        );
    }
    let found = async |task, kind: Option<&str>| {
        let query = EventQuery {
            scope: Scope::All,
            task,
            event_type: kind.map(|k| k.parse().unwrap()),
            page: Page::first(9),
        };
        let rows = records.list_events(&query).await.unwrap();
        rows.into_iter().map(|r| r.id).collect::<Vec<_>>()
    };
    assert_eq!(found(None, None).await, ids, "R19 all");
    assert_eq!(found(Some(one), None).await, ids[..2], "R19 task");
    assert_eq!(found(None, Some("vms")).await, [ids[0], ids[2]], "R19 type");
    assert_eq!(found(Some(two), Some("alarms")).await, [], "R19 both");
}

/// A walk in pages, either way, neither skips nor repeats a row while others come and go.
pub async fn r20_a_walk_neither_skips_nor_repeats(store: Webhooks) {
    let records = &store.records;
    let mut ids = Vec::new();
    for n in 0..6 {
        let hook = webhook(&format!("w{n}"));
        ids.push(
            records
                .insert_webhook(&hook, UNLIMITED, at(0))
                .await
                .unwrap()
                .id,
        );
    }
    let first = records
        .list_webhooks(&webhooks(Page::first(2)))
        .await
        .unwrap();
    let mut walked: Vec<_> = first.iter().map(|r| r.id).collect();
    let refuse = gatepost_storage::webhooks::Cascade::Refuse;
    records.delete_webhook(ids[0], refuse, at(1)).await.unwrap();
    records
        .insert_webhook(&webhook("late"), UNLIMITED, at(1))
        .await
        .unwrap();
    while let Some(&last) = walked.last() {
        let page = webhooks(Page::first(2).beyond(last));
        let rows = records.list_webhooks(&page).await.unwrap();
        assert!(rows.len() <= 2, "R20 at most a page");
        if rows.is_empty() {
            break;
        }
        walked.extend(rows.iter().map(|r| r.id));
        assert!(walked.len() < 20, "R20 the walk ends");
    }
    assert_eq!(walked.len(), 7, "R20 the late one too");
    assert_eq!(walked[..6], ids, "R20 forwards");
    let newest = records
        .list_webhooks(&webhooks(Page::newest(3)))
        .await
        .unwrap();
    let newest: Vec<_> = newest.iter().map(|r| r.id).collect();
    assert_eq!(
        newest,
        [walked[6], walked[5], walked[4]],
        "R20 newest first"
    );
    let beyond = webhooks(Page::newest(9).beyond(newest[2]));
    let rest = records.list_webhooks(&beyond).await.unwrap();
    let rest: Vec<_> = rest.iter().map(|r| r.id).collect();
    assert_eq!(rest, [walked[3], walked[2], walked[1]], "R20 backwards");
}
