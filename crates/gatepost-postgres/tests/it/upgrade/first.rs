//! What the first versions wrote: rows of every table, and deliveries in every state.

use std::sync::Arc;

use gatepost_ids::{OwnerId, Place};
use gatepost_postgres::PostgresStore;
use gatepost_storage::keys::{KeyQuery, KeyStore};
use gatepost_storage::webhooks::*;
use gatepost_storage::{OwnerStore, Page, Scope};
use gatepost_testkit::Webhooks;
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, full_event, full_occurrence, full_task, message, named, outbox,
    settlement_of, webhook,
};
use webhook_model::{Event, EventLabel, Filter, TaskId, WebhookId};

use super::versions::*;
use crate::of_before::{are_counted, first_webhook};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_row_of_the_version_before_is_found_again_and_all_owners_are_unplaced() {
    let (config, client) = old().await;
    let before = text_of(&client).await;
    let store = PostgresStore::connect(config).await.unwrap();
    assert_eq!(text_of(&client).await, before);

    let owners = [OwnerId(1), OwnerId(2), OwnerId(7), OwnerId(9)];
    assert_eq!(store.unplaced_owners(None, 9).await.unwrap(), owners);
    assert_eq!(store.owner(OwnerId(1)).await.unwrap(), None);

    let keys = store.list_keys(&KeyQuery::all(Page::first(9))).await;
    let keys = keys.unwrap();
    let names: Vec<_> = keys.iter().map(|row| row.key.name.as_str()).collect();
    assert_eq!(names, ["kept", "only a key"]);
    assert!(keys[0].key.last_login.is_some());
    let found = store.key_by_lookup(keys[0].key.lookup).await.unwrap();
    assert_eq!(found.as_ref(), Some(&keys[0]));

    let hooks = store.webhooks(&[1, 2, 3].map(WebhookId)).await.unwrap();
    assert_eq!(hooks[0].value, first_webhook(), "its secrets too");
    assert_eq!(hooks[1].value, webhook("plain"));
    let whose: Vec<_> = hooks.iter().map(|row| row.owner.0).collect();
    assert_eq!(whose, [7, 1, 2]);

    let tasks = TaskQuery {
        scope: Scope::Owner(OwnerId(7)),
        creator: None,
        webhook: None,
        name: None,
        page: Page::first(9),
    };
    let tasks = store.list_tasks(&tasks).await.unwrap();
    assert_eq!(tasks.len(), 1);
    assert_eq!(tasks[0].task, full_task(hooks[0].id));
    let ran = store.task(TaskId(2)).await.unwrap().unwrap();
    assert_eq!((ran.owner, ran.last_run), (OwnerId(1), Some(at(5))));
    let events = EventQuery {
        scope: Scope::Owner(OwnerId(7)),
        task: None,
        event_type: None,
        page: Page::first(9),
    };
    let events = store.list_events(&events).await.unwrap();
    assert_eq!(events.len(), 1);
    // Its filter was kept for clients, and is not understood: it is kept, and matches nothing.
    let filter = Filter::stored(r#"{"":{},"a":[null,"é\"",1.5],"b":1}"#).unwrap();
    assert!(filter.problem().is_some());
    let full = Event {
        filters: filter,
        label: EventLabel::default(),
        ..full_event(tasks[0].id)
    };
    assert_eq!(events[0].value, full);

    let usage = store.record_usage(OwnerId(1)).await.unwrap();
    let task = ran.task.stored_bytes();
    let event = store.event(webhook_model::EventId(2)).await.unwrap();
    let event = event.unwrap().value.stored_bytes();
    assert_eq!((usage.webhooks, usage.tasks, usage.events), (1, 1, 1));
    // What is sealed is counted with the marks between its parts, until it is stored again.
    let exact = hooks[1].value.stored_bytes() + task + event;
    assert!((exact..exact + 9).contains(&usage.bytes), "{usage:?}");
    let edited = store.update_webhook(&hooks[1], UNLIMITED, at(9)).await;
    assert_eq!(edited.unwrap().value, hooks[1].value);
    let usage = store.record_usage(OwnerId(1)).await.unwrap();
    assert_eq!(usage.bytes, exact);

    let routes = store.routes(Place::Common, 99).await.unwrap().unwrap();
    assert_eq!((routes.tasks.len(), routes.events.len()), (1, 1));
    let again = store.route_changes(Place::Common, RoutesVersion(1)).await;
    assert_eq!(
        again.unwrap().changed,
        ChangedRoutes::All,
        "what was before is not remembered"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_waited_in_the_version_before_goes_on() {
    let (config, _) = old().await;
    let store = PostgresStore::connect(config).await.unwrap();
    let (plain, ordered) = (WebhookId(2), WebhookId(3));
    let query = DeliveryQuery {
        scope: Scope::Owner(OwnerId(1)),
        ..DeliveryQuery::all(Page::first(9))
    };
    let log = store.list_deliveries(&query).await.unwrap();
    let state = |id: &str| log.iter().find(|d| d.message_id.as_str() == id).unwrap();
    assert_eq!(state("sent").state, DeliveryState::Sent);
    assert_eq!(state("failed").state, DeliveryState::Error);
    let attempts = store.attempts(state("sent").id, 99).await.unwrap();
    assert_eq!((attempts.len(), attempts[0].kept), (1, true));
    assert!(log.iter().all(|d| d.message_kept && d.tenant.is_none()));

    // The lease of before runs out, and the id is known in the place of all who are unplaced.
    let back = store.reclaim(9, at(70)).await.unwrap();
    assert_eq!((back.requeued, back.ended), (1, 0));
    let known = Enqueue {
        origin: named("seen-1"),
        ..direct(vec![message(plain, "again", at(70))])
    };
    let known = store.enqueue(known, at(70)).await.unwrap();
    assert_eq!(known, Enqueued::AlreadyKnown);
    let lanes = [LaneClass::First, LaneClass::Retry, LaneClass::Alone];
    let lanes = lanes.map(|class| gatepost_testkit::fixtures::lane(plain, class));
    let claimed = store.claim(&lanes, at(99), at(70)).await.unwrap();
    let ids: Vec<_> = claimed
        .iter()
        .map(|c| c.delivery.message_id.as_str())
        .collect();
    assert_eq!(ids, ["queued", "retried", "running"]);
    let in_order = [gatepost_testkit::fixtures::lane(ordered, LaneClass::First)];
    for id in ["first", "second"] {
        let claimed = store.claim(&in_order, at(99), at(70)).await.unwrap();
        assert_eq!(claimed.len(), 1);
        assert_eq!(claimed[0].delivery.message_id.as_str(), id);
        let claim = Claim {
            delivery: claimed[0].delivery.id,
            token: claimed[0].token,
        };
        let sent = settlement_of(claim, Disposition::Sent);
        assert_eq!(
            store.settle(vec![sent], at(71)).await.unwrap(),
            [Settled::Done]
        );
    }
    let waiting = outbox(&Webhooks::of(Arc::new(store.clone())), 70).await;
    assert_eq!(waiting.len(), 1, "the one that was set aside stays aside");
    let mut of_before = full_occurrence();
    (of_before.data, of_before.trace) = (None, None);
    (of_before.to, of_before.channel) = (None, None);
    assert_eq!(waiting[0].occurrence, Ok(of_before));
    assert_eq!(
        (waiting[0].turn, &waiting[0].left),
        (0, &Left::After(TaskId(0)))
    );
    store
        .insert_webhook(&webhook("new"), UNLIMITED, at(72))
        .await
        .unwrap();
}

/// What is shown of a delivery: state, class, information, attempts, tries, lost claims, response.
type Shown<'a> = (DeliveryState, &'a str, &'a str, u32, u32, u32, Option<u16>);

fn shown(delivery: &Delivery) -> Shown<'_> {
    (
        delivery.state,
        &delivery.class,
        &delivery.status_info,
        delivery.attempts,
        delivery.tries,
        delivery.lost_claims,
        delivery.response_status,
    )
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn deliveries_in_every_state_stand_as_they_did_before_the_queue() {
    use DeliveryState::{Error, Queued, Running, Sent};
    let mark = "INSERT INTO gatepost_migration (version, name) VALUES (2, 'places')";
    let (config, client) = written_by(&[SCHEMA, ROWS, MARKED, SECOND, ROWS_SECOND, mark]).await;
    let store = PostgresStore::connect(config).await.unwrap();
    let log = DeliveryQuery::all(Page::first(99));
    let log = store.list_deliveries(&log).await.unwrap();
    assert_eq!(log.len(), 17);
    let find = |id: &str| log.iter().find(|d| d.message_id.as_str() == id).unwrap();
    let wanted: [(&str, Shown<'_>); 10] = [
        ("b-queued", (Queued, "", "", 0, 0, 0, None)),
        ("b-retried", (Queued, "timeout", "timeout", 2, 2, 0, None)),
        ("b-alone", (Queued, "", "", 0, 0, 2, None)),
        ("b-running", (Running, "timeout", "timeout", 1, 1, 1, None)),
        ("b-sent", (Sent, "ok", "200 OK", 2, 2, 0, Some(200))),
        ("b-failed", (Error, "timeout", "timeout", 1, 1, 0, None)),
        (
            "b-cancelled",
            (Error, "timeout", "cancelled", 1, 1, 0, None),
        ),
        (
            "b-died",
            (Error, "", "the sender died 3 times", 0, 0, 3, None),
        ),
        ("b-replayed", (Queued, "status", "", 3, 0, 0, Some(500))),
        ("b-ordered", (Running, "", "", 0, 0, 0, None)),
    ];
    for (id, wanted) in wanted {
        assert_eq!(shown(find(id)), wanted, "{id}");
    }
    assert_eq!(find("b-retried").due, at(40));
    assert_eq!(find("b-running").lease_until, Some(at(60)));
    assert!(!find("b-sent").message_kept && find("b-sent").body.is_empty());
    let tenant = find("b-sent").tenant.map(|tenant| tenant.0);
    assert_eq!((tenant, find("b-sent").task), (Some(5), Some(TaskId(2))));
    let numbers = store.attempts(find("b-replayed").id, 99).await.unwrap();
    let numbers: Vec<_> = numbers.iter().map(|a| a.number).collect();
    assert_eq!(numbers, [1, 2, 3]);

    // A webhook in order is busy until what runs is taken back; ids and tokens go on.
    let ordered = [gatepost_testkit::fixtures::lane(
        WebhookId(3),
        LaneClass::First,
    )];
    let none = store.claim(&ordered, at(99), at(50)).await.unwrap();
    assert!(none.is_empty());
    let back = store.reclaim(9, at(70)).await.unwrap();
    assert_eq!((back.requeued, back.ended), (3, 0));
    let head = store.claim(&ordered, at(99), at(70)).await.unwrap();
    assert_eq!(head[0].delivery.message_id.as_str(), "first");
    assert!(head[0].token.0 > 49, "above every token of before");
    let stored = direct(vec![message(WebhookId(2), "new", at(70))]);
    let Enqueued::Stored { deliveries, .. } = store.enqueue(stored, at(70)).await.unwrap() else {
        panic!("not stored");
    };
    assert_eq!(deliveries[0].id, DeliveryId(21));
    let attempts = "SELECT to_regclass('gatepost_attempt') IS NULL";
    assert!(
        client
            .query_one(attempts, &[])
            .await
            .unwrap()
            .get::<_, bool>(0)
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_stored_before_causes_were_has_none_and_what_comes_has_one() {
    let mark = "INSERT INTO gatepost_migration (version, name) VALUES (2, 'places'), (3, 'queue')";
    let scripts = [SCHEMA, ROWS, MARKED, SECOND, ROWS_SECOND, THIRD, mark];
    let (config, _client) = written_by(&scripts).await;
    let store = PostgresStore::connect(config).await.unwrap();
    let log = DeliveryQuery::all(Page::first(99));
    let before = store.list_deliveries(&log).await.unwrap();
    assert_eq!(before.len(), 17);
    assert!(before.iter().all(|delivery| delivery.cause.is_none()));
    let mut attempts = 0;
    for delivery in &before {
        for attempt in store.attempts(delivery.id, 99).await.unwrap() {
            assert_eq!(attempt.request_head, b"", "{}", delivery.message_id);
            attempts += 1;
        }
    }
    assert!(attempts > 3, "{attempts}");
    let cause: Cause = "vms poweron 3 7 order-4711".parse().unwrap();
    let new = NewDelivery {
        cause: Some(cause.clone()),
        ..message(before[0].webhook, "new", at(2_000_000_000))
    };
    store.enqueue(direct(vec![new]), at(1)).await.unwrap();
    let after = store.list_deliveries(&log).await.unwrap();
    assert_eq!(after.len(), 18);
    assert_eq!(after[17].cause, Some(cause));
    assert_eq!(after[..17], before);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_before_uses_were_counted_have_none_and_are_counted_from_now_on() {
    let (store, client) = opened(&[FOURTH], "(4, 'cause')").await;
    let keys = store.list_keys(&KeyQuery::all(Page::first(9))).await;
    let keys = keys.unwrap();
    assert_eq!(keys.len(), 2);
    are_counted(&store, &keys).await;
    store.delete_key(keys[0].id, at(1)).await.unwrap();
    let left = "SELECT key FROM gatepost_key_use";
    let left = client.query(left, &[]).await.unwrap();
    let left: Vec<i64> = left.iter().map(|row| row.get(0)).collect();
    assert_eq!(left, [keys[1].id.0], "a deleted key takes its days along");
}
