//! Routes matched in a realm.

use gatepost_ids::Realm;
use gatepost_storage::webhooks::{
    EventRoute, RouteChanges, Routes, RoutesVersion, TaskRoute, WebhookRoute,
};
use webhook_model::{Activity, DeliveryOrder, Timeout};

use crate::fixtures::{UNLIMITED, at, change, event, place, routes, tenant};
use crate::harness::Webhooks;
use crate::world::{Set, set};

async fn row_of(store: &Webhooks, of: Set) -> (WebhookRoute, TaskRoute, EventRoute) {
    let records = &store.records;
    let hook = records.webhook(of.webhook).await.unwrap().unwrap();
    let task = records.task(of.task).await.unwrap().unwrap();
    let event = records.event(of.event).await.unwrap().unwrap();
    (
        WebhookRoute::of(&hook),
        TaskRoute::of(&task).unwrap(),
        EventRoute::of(&event).unwrap(),
    )
}

/// The store must match the enabled tasks and events of the owners in a realm, in order, with their
/// webhooks, and nothing of another realm.
pub async fn r33_a_realm_matches_its_enabled_records(store: Webhooks) {
    let records = &store.records;
    place(&store, 1, tenant(1)).await;
    place(&store, 2, tenant(2)).await;
    let (a, other, b) = (
        set(&store, 1, "a").await,
        set(&store, 2, "a").await,
        set(&store, 1, "b").await,
    );
    change(&store, a.webhook, |w| {
        w.activity = Activity::Paused;
        w.order = DeliveryOrder::InOrder;
        w.timeout = Timeout::MAX;
    })
    .await;
    let (hook_a, task_a, event_a) = row_of(&store, a).await;
    let (hook_b, task_b, event_b) = row_of(&store, b).await;
    assert!(hook_a.in_order && !hook_a.active, "R33 as it was changed");
    let found = routes(&store, tenant(1)).await;
    for hook in [hook_a, hook_b] {
        assert!(found.webhooks.contains(&hook), "R33 webhooks");
    }
    assert!(found.webhooks.is_sorted_by_key(|w| w.id), "R33 in order");
    assert_eq!(found.tasks, [task_a, task_b], "R33 tasks");
    assert_eq!(found.events, [event_a, event_b.clone()], "R33 events");
    let theirs = routes(&store, tenant(2)).await;
    let theirs: Vec<_> = theirs.tasks.iter().map(|t| t.id).collect();
    assert_eq!(theirs, [other.task], "R33 the other realm");

    let mut row = records.task(a.task).await.unwrap().unwrap();
    row.value.enabled = false;
    records.update_task(&row, UNLIMITED, at(1)).await.unwrap();
    let mut row = records.event(b.event).await.unwrap().unwrap();
    row.value.enabled = false;
    records.update_event(&row, UNLIMITED, at(1)).await.unwrap();
    let found = routes(&store, tenant(1)).await;
    assert_eq!(found.tasks, [task_b], "R33 a disabled task");
    assert!(!found.events.contains(&event_b), "R33 a disabled event");
    for empty in [tenant(3), Realm::Shared, Realm::System] {
        let found = routes(&store, empty).await;
        let rows = (found.webhooks.len(), found.tasks.len(), found.events.len());
        assert_eq!(rows, (0, 0, 0), "R33 {empty}");
    }
}

/// The routes of one event of a realm must be the same whether they are requested for it or with
/// those of all events.
pub async fn r35_routes_of_an_event_equal_those_of_all(store: Webhooks) {
    let records = &store.records;
    let mut sets = Vec::new();
    for n in 0..8 {
        let of = set(&store, n % 3 + 1, &format!("w{n}")).await;
        for (kind, name) in [("vms", "off"), ("alarms", "poweron")] {
            let mut on = event(of.task);
            on.event_type = kind.parse().unwrap();
            on.event = name.parse().unwrap();
            on.enabled = n % 4 != 1;
            let stored = records.insert_event(&on, UNLIMITED, at(0)).await;
            assert!(stored.is_ok(), "R35 stored");
        }
        sets.push(of);
    }
    let mut row = records.task(sets[3].task).await.unwrap().unwrap();
    row.value.enabled = false;
    records.update_task(&row, UNLIMITED, at(1)).await.unwrap();
    place(&store, 1, tenant(1)).await;
    place(&store, 2, tenant(1)).await;
    for at_place in [tenant(1), Realm::Shared] {
        let all = routes(&store, at_place).await;
        for (kind, name) in [("vms", "off"), ("vms", "poweron"), ("alarms", "off")] {
            let (kind, name) = (kind.parse().unwrap(), name.parse().unwrap());
            let found = records.routes_of(at_place, &kind, &name).await.unwrap();
            let mut wanted = all.clone();
            wanted
                .events
                .retain(|e| e.event_type == kind && e.event == name);
            let runs = |task| wanted.events.iter().any(|event| event.task == task);
            wanted.tasks.retain(|task| runs(task.id));
            let sent = |hook| wanted.tasks.iter().any(|task| task.webhook == hook);
            wanted.webhooks.retain(|hook| sent(hook.id));
            let mut found = Routes { ..found };
            found.webhooks.retain(|hook| sent(hook.id));
            assert_eq!(found, wanted, "R35 {kind} {name} in {at_place}");
        }
    }
}

/// Versions must be returned in the order of the request; a realm of which nothing is known must
/// have one, too, and no changes after it.
pub async fn r36_every_realm_has_a_version(store: Webhooks) {
    set(&store, 1, "w").await;
    let records = &store.records;
    let asked = [tenant(5), Realm::Shared, tenant(5), Realm::System];
    let versions = records.routes_versions(&asked).await.unwrap();
    assert_eq!(versions.len(), 4, "R36 one each");
    assert_eq!(versions[0], versions[2], "R36 in the order of the request");
    assert!(versions[1] > versions[0], "R36 the one that changed");
    let changes = records.route_changes(tenant(5), versions[0]).await.unwrap();
    let nothing = RouteChanges::none(versions[0]);
    assert_eq!(changes, Some(nothing), "R36 nothing has changed");
    assert_eq!(records.routes_versions(&[]).await.unwrap(), [], "R36 none");
    let future = RoutesVersion(versions[1].0 + 1000);
    let changes = records.route_changes(Realm::Shared, future).await.unwrap();
    assert_eq!(changes, None, "R36 a version never given");
}
