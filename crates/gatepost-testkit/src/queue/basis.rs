//! Preconditions of an enqueue, and where they come from.

use gatepost_ids::Realm;
use gatepost_storage::webhooks::{Basis, Cascade, Enqueue, Enqueued, Origin, RecordId};
use webhook_model::WebhookId;

use crate::fixtures::{
    UNLIMITED, at, change, claim, direct, message, named, place, queued, tenant, under, version,
};
use crate::harness::Webhooks;
use crate::world::set;

fn on(basis: Basis, hook: WebhookId, id: &str) -> Enqueue {
    Enqueue {
        basis,
        ..direct(vec![message(hook, id, at(0))])
    }
}

fn is_stored(enqueued: &Enqueued) -> bool {
    matches!(enqueued, Enqueued::Stored { .. })
}

/// An enqueue by realms is stored if none of these has changed, whatever has changed elsewhere.
pub async fn q25_each_place_of_a_basis_is_checked(store: Webhooks) {
    place(&store, 1, tenant(1)).await;
    place(&store, 2, Realm::System).await;
    place(&store, 3, tenant(3)).await;
    let (mine, ours) = (set(&store, 1, "w").await, set(&store, 2, "w").await);
    let (common, theirs) = (set(&store, 4, "w").await, set(&store, 3, "w").await);
    let places = [tenant(1), Realm::System, Realm::Shared];
    let basis = under(&store, &places).await;
    change(&store, theirs.webhook, |w| w.allow_insecure = true).await;
    let stored = store
        .queue
        .enqueue(on(basis, mine.webhook, "a"), at(0))
        .await;
    assert!(is_stored(&stored.unwrap()), "Q25 another place has changed");
    for (of, id) in [(mine, "b"), (ours, "c"), (common, "d")] {
        let basis = under(&store, &places).await;
        change(&store, of.webhook, |w| w.allow_insecure = true).await;
        let stored = store
            .queue
            .enqueue(on(basis, mine.webhook, id), at(0))
            .await;
        assert_eq!(stored.unwrap(), Enqueued::RoutesChanged, "Q25 {id}");
    }
    let swapped = vec![
        (tenant(1), version(&store, tenant(3)).await),
        (tenant(3), version(&store, tenant(1)).await),
    ];
    let stored = on(Basis::Realms(swapped), mine.webhook, "e");
    let stored = store.queue.enqueue(stored, at(0)).await.unwrap();
    assert_eq!(
        stored,
        Enqueued::RoutesChanged,
        "Q25 another place's version"
    );
    let found = claim(&store, mine.webhook, 0).await.len();
    assert_eq!(found, 1, "Q25 stored once");
}

/// An enqueue by rows is stored if these have their revisions, whatever else has changed in their
/// realm; otherwise nothing is, and it says which have changed or are gone.
pub async fn q26_each_row_of_a_basis_is_checked(store: Webhooks) {
    let records = &store.records;
    let (a, b) = (set(&store, 1, "a").await, set(&store, 2, "b").await);
    let task_a = records.task(a.task).await.unwrap().unwrap();
    let task_b = records.task(b.task).await.unwrap().unwrap();
    let event_a = records.event(a.event).await.unwrap().unwrap();
    let hook_a = records.webhook(a.webhook).await.unwrap().unwrap();
    let rows = vec![
        (RecordId::Task(task_a.id), task_a.revision),
        (RecordId::Event(event_a.id), event_a.revision),
        (RecordId::Webhook(hook_a.id), hook_a.revision),
        (RecordId::Task(task_b.id), task_b.revision),
    ];
    let basis = Basis::Rows(rows.clone());
    set(&store, 1, "new").await;
    change(&store, b.webhook, |w| w.allow_insecure = true).await;
    let stored = store
        .queue
        .enqueue(on(basis.clone(), a.webhook, "a"), at(0))
        .await;
    assert!(is_stored(&stored.unwrap()), "Q26 other rows have changed");

    records
        .update_task(&task_b, UNLIMITED, at(1))
        .await
        .unwrap();
    records.delete_event(a.event, at(1)).await.unwrap();
    let stored = store
        .queue
        .enqueue(on(basis.clone(), a.webhook, "b"), at(1))
        .await;
    let Enqueued::RowsChanged(mut changed) = stored.unwrap() else {
        panic!("Q26 it was stored by rows that changed");
    };
    changed.sort_unstable();
    assert_eq!(changed, [rows[3].0, rows[1].0], "Q26 which");

    change(&store, a.webhook, |w| w.allow_insecure = true).await;
    let one = Basis::Rows(vec![rows[2]]);
    let stored = store.queue.enqueue(on(one, b.webhook, "c"), at(1)).await;
    let wanted = Enqueued::RowsChanged(vec![rows[2].0]);
    assert_eq!(stored.unwrap(), wanted, "Q26 a webhook");
    let deleted = records
        .delete_webhook(a.webhook, Cascade::Tasks, at(2))
        .await;
    assert!(deleted.is_ok(), "Q26 deleted");
    let one = Basis::Rows(vec![rows[0]]);
    let stored = store.queue.enqueue(on(one, b.webhook, "d"), at(2)).await;
    let wanted = Enqueued::RowsChanged(vec![rows[0].0]);
    assert_eq!(stored.unwrap(), wanted, "Q26 deleted with its webhook");
    assert!(
        claim(&store, b.webhook, 3).await.is_empty(),
        "Q26 nothing stored"
    );
}

/// A task to consume that is gone refuses the enqueue, by whatever basis; after one that is stored
/// it names the realms of the consumed tasks with their versions, each once.
pub async fn q27_consumed_tasks_move_their_places(store: Webhooks) {
    place(&store, 1, tenant(1)).await;
    let (a, b) = (set(&store, 1, "a").await, set(&store, 1, "b").await);
    let (c, stays) = (set(&store, 2, "c").await, set(&store, 3, "d").await);
    place(&store, 3, tenant(3)).await;
    let consume = vec![a.task, b.task, c.task];
    let places = [tenant(1), Realm::Shared, tenant(3)];
    let before = store.records.routes_versions(&places).await.unwrap();
    let batch = Enqueue {
        consume: consume.clone(),
        ..direct(vec![message(stays.webhook, "a", at(0))])
    };
    let stored = store.queue.enqueue(batch, at(0)).await.unwrap();
    let Enqueued::Stored { mut moved, .. } = stored else {
        panic!("Q27 it was not stored: {stored:?}");
    };
    moved.sort_unstable();
    let now = [Realm::Shared, tenant(1)];
    let versions = store.records.routes_versions(&now).await.unwrap();
    let wanted: Vec<_> = now.into_iter().zip(versions).collect();
    assert_eq!(
        moved, wanted,
        "Q27 the places of the tasks, as they are now"
    );
    assert!(
        moved[0].1 > before[1] && moved[1].1 > before[0],
        "Q27 they moved"
    );
    let third = version(&store, tenant(3)).await;
    assert_eq!(third, before[2], "Q27 where nothing was consumed");

    let again = |basis, id| Enqueue {
        consume: vec![stays.task, a.task],
        ..on(basis, stays.webhook, id)
    };
    let present = under(&store, &[tenant(1), tenant(3)]).await;
    for basis in [Basis::Nothing, present] {
        let refused = store.queue.enqueue(again(basis, "b"), at(1)).await.unwrap();
        assert_eq!(refused, Enqueued::RoutesChanged, "Q27 gone");
    }
    let rows = Basis::Rows(Vec::new());
    let refused = store.queue.enqueue(again(rows, "c"), at(1)).await.unwrap();
    let wanted = Enqueued::RowsChanged(vec![RecordId::Task(a.task)]);
    assert_eq!(refused, wanted, "Q27 gone, by rows");
    let kept = store.records.task(stays.task).await.unwrap();
    assert!(kept.is_some(), "Q27 a refused enqueue consumes nothing");
}

/// An occurrence's id is unique within its realm: another realm's is another occurrence.
pub async fn q28_an_occurrence_is_known_in_its_place(store: Webhooks) {
    let hook = queued(&store, &[]).await;
    let of = |place, id: &str| Enqueue {
        origin: Origin::Occurrence {
            place,
            id: "o1".parse().unwrap(),
        },
        ..direct(vec![message(hook, id, at(0))])
    };
    let places = [Realm::Shared, tenant(1), tenant(2), Realm::System];
    for place in places {
        let first = of(place, &format!("m-{}", place.to_string().replace(':', "-")));
        let first = store.queue.enqueue(first, at(0)).await.unwrap();
        assert!(is_stored(&first), "Q28 {place}");
    }
    for place in places {
        let again = store
            .queue
            .enqueue(of(place, "again"), at(1))
            .await
            .unwrap();
        assert_eq!(again, Enqueued::AlreadyKnown, "Q28 {place} again");
    }
}

/// The origin is looked at before the basis, and the basis before the rows.
pub async fn q29_the_origin_is_checked_first(store: Webhooks) {
    let hook = queued(&store, &["a"]).await;
    let old = under(&store, &[Realm::Shared]).await;
    let first = Enqueue {
        origin: named("o1"),
        ..direct(Vec::new())
    };
    store.queue.enqueue(first, at(0)).await.unwrap();
    change(&store, hook, |w| w.allow_insecure = true).await;
    let nowhere = WebhookId(hook.0 + 1000);
    let wrong = |origin| Enqueue {
        origin,
        basis: old.clone(),
        ..direct(vec![
            message(hook, "a", at(0)),
            message(nowhere, "b", at(0)),
        ])
    };
    let known = store.queue.enqueue(wrong(named("o1")), at(1)).await;
    assert_eq!(
        known.ok(),
        Some(Enqueued::AlreadyKnown),
        "Q29 the origin first"
    );
    let changed = store.queue.enqueue(wrong(named("o2")), at(1)).await;
    assert_eq!(
        changed.ok(),
        Some(Enqueued::RoutesChanged),
        "Q29 then the basis"
    );
    let now = Enqueue {
        origin: named("o2"),
        ..direct(vec![message(hook, "c", at(0))])
    };
    let stored = store.queue.enqueue(now, at(2)).await.unwrap();
    assert!(is_stored(&stored), "Q29 what was refused is not known");
}
