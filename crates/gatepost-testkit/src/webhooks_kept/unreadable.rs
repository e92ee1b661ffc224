//! Records that cannot be read.

use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::webhooks::{Cascade, RecordId};
use gatepost_storage::{ErrorKind, Page, Scope, StoreError};

use super::home::Home;
use crate::fixtures::{at, claim, routes};
use crate::harness::Webhooks;
use crate::outcome::Outcome;
use crate::world::{Set, enqueue, events_in, set_at, tasks_in, webhooks_in};

fn kind<T>(answer: Result<T, StoreError>) -> Option<ErrorKind> {
    answer.err().map(|e| e.kind())
}

/// Returns the first two rows of each list.
async fn listed(store: &Webhooks) -> [Vec<RecordId>; 3] {
    let records = &store.records;
    let webhooks = webhooks_in(Scope::All, Page::first(2));
    let tasks = tasks_in(Scope::All, Page::first(2));
    let events = events_in(Scope::All, Page::first(2));
    let webhooks = records.list_webhooks(&webhooks).await.expect("D9 list");
    let tasks = records.list_tasks(&tasks).await.expect("D9 list");
    let events = records.list_events(&events).await.expect("D9 list");
    [
        webhooks.iter().map(|r| RecordId::Webhook(r.id)).collect(),
        tasks.iter().map(|r| RecordId::Task(r.id)).collect(),
        events.iter().map(|r| RecordId::Event(r.id)).collect(),
    ]
}

async fn unreadable(store: &Webhooks, scope: Scope, limit: u32) -> Vec<RecordId> {
    let found = store.records.unreadable(scope, limit).await.unwrap();
    assert!(found.len() <= limit as usize, "D9 at most the limit");
    found.into_iter().map(|row| row.record).collect()
}

/// A record that cannot be read must be `Corrupt` if it is requested by its number, skipped in
/// lists and routes, and listed as unreadable with its owner, oldest first. It must be possible to
/// delete it, and it must affect nothing else.
pub async fn d09_unreadable_rows_stop_nothing(home: Home) -> Outcome {
    let store = home.fresh().await;
    let records = &store.records;
    let mut sets: Vec<Set> = Vec::new();
    for (second, (owner, name)) in (1..).zip([(1, "a"), (2, "b"), (1, "c")]) {
        sets.push(set_at(&store, owner, name, second).await);
    }
    let (a, b, c) = (sets[0], sets[1], sets[2]);
    let spoilt = [
        RecordId::Task(a.task),
        RecordId::Webhook(b.webhook),
        RecordId::Event(c.event),
    ];
    for record in spoilt {
        if !home.spoil(record).await {
            return Outcome::Ignored("the harness spoils no record");
        }
    }
    let corrupt = Some(ErrorKind::Corrupt);
    assert_eq!(kind(records.task(a.task).await), corrupt, "D9 task");
    assert_eq!(
        kind(records.webhook(b.webhook).await),
        corrupt,
        "D9 webhook"
    );
    assert_eq!(kind(records.event(c.event).await), corrupt, "D9 event");
    let wanted = [
        vec![RecordId::Webhook(a.webhook), RecordId::Webhook(c.webhook)],
        vec![RecordId::Task(b.task), RecordId::Task(c.task)],
        vec![RecordId::Event(a.event), RecordId::Event(b.event)],
    ];
    assert_eq!(
        listed(&store).await,
        wanted,
        "D9 lists continue until a page is full"
    );
    let some = records.webhooks(&[a.webhook, b.webhook]).await.unwrap();
    assert_eq!(some.len(), 1, "D9 webhooks by number");
    let some = records.tasks(&[a.task, c.task]).await.unwrap();
    assert_eq!(some.len(), 1, "D9 tasks by number");

    let matched = records.routes(Realm::Shared, u32::MAX).await;
    let matched = matched.expect("D9 routes").expect("D9 routes fit");
    let task = |id| matched.tasks.iter().any(|task| task.id == id);
    assert!(task(c.task) && !task(a.task), "D9 tasks matched");
    let event = |id| matched.events.iter().any(|event| event.id == id);
    assert!(event(b.event) && !event(c.event), "D9 events matched");
    let hook = |id| matched.webhooks.iter().any(|hook| hook.id == id);
    assert!(hook(c.webhook) && !hook(b.webhook), "D9 webhooks matched");
    enqueue(&store, a.webhook, &["sent"]).await;
    assert_eq!(
        claim(&store, a.webhook, 0).await.len(),
        1,
        "D9 others are sent"
    );

    let all = unreadable(&store, Scope::All, 9).await;
    assert_eq!(all, spoilt, "D9 unreadable, the oldest first");
    let own = [spoilt[0], spoilt[2]];
    let found = unreadable(&store, Scope::Owner(OwnerId(1)), 9).await;
    assert_eq!(found, own, "D9 unreadable, of an owner");
    let oldest = unreadable(&store, Scope::All, 1).await;
    assert_eq!(oldest, spoilt[..1], "D9 limit");
    for (record, owner) in spoilt.into_iter().zip([1, 2, 1]) {
        let found = records.owner_of(record).await.unwrap();
        assert_eq!(found, Some(OwnerId(owner)), "D9 its owner");
    }

    let deleted = [
        records.delete_task(a.task, at(1)).await,
        records
            .delete_webhook(b.webhook, Cascade::Tasks, at(1))
            .await,
        records.delete_event(c.event, at(1)).await,
    ];
    assert_eq!(deleted.map(kind), [None; 3], "D9 deleted");
    assert!(
        unreadable(&store, Scope::All, 9).await.is_empty(),
        "D9 none left"
    );
    let left = routes(&store, Realm::Shared).await.tasks.len();
    assert_eq!(left, 1, "D9 what is left");
    Outcome::Held
}
