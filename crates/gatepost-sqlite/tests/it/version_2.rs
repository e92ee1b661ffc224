//! A database as version 2 of the schema left it, with deliveries in every state, is opened: the
//! log is as it was, and the queue goes on where it stood.

use std::sync::Arc;

use apikey_core::RateLimit;
use gatepost_ids::{OwnerId, Place};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use gatepost_storage::audit::AuditQuery;
use gatepost_storage::keys::{KeyQuery, KeyStore as _, Rolled};
use gatepost_storage::seal::{SealingKey, SealingKeys};
use gatepost_storage::webhooks::*;
use gatepost_storage::{AuditStore as _, OwnerStore as _, Page};
use gatepost_testkit::Webhooks;
use gatepost_testkit::fixtures::{
    UNLIMITED, at, direct, entry, full_grant, full_webhook, key, lane, message, outbox, settlement,
    trace,
};
use rusqlite::Connection;
use webhook_model::{Activity, Chosen, WebhookId};

use crate::of_before::{are_counted, can_be_labelled, one_was_run_by_a_user};

const DUMP: &str = include_str!("../fixtures/version_2.sql");
/// The third step: what it left is opened by the fourth.
const THIRD: &str = concat!(
    include_str!("../../migrations/0003_queue/a_log.sql"),
    include_str!("../../migrations/0003_queue/b_rest.sql"),
    include_str!("../../migrations/0003_queue/c_copy.sql"),
    include_str!("../../migrations/0003_queue/d_queue.sql"),
);
/// The fourth, opened by the fifth.
const FOURTH: &str = include_str!("../../migrations/0004_cause.sql");
/// The fifth, opened by the versions after it.
const FIFTH: &str = include_str!("../../migrations/0005_key_use.sql");
const SIXTH: &str = include_str!("../../migrations/0006_data.sql");
const SEVENTH: &str = include_str!("../../migrations/0007_key_grant.sql");
/// The eighth, before keys could be limited and rolled.
const EIGHTH: &str = include_str!("../../migrations/0008_key_expires.sql");
/// Opened by the one that knows traces.
const UNTRACED: [&str; 3] = [SIXTH, SEVENTH, EIGHTH];
/// The ninth to the twelfth, before webhooks could have client certificates.
const UNIDENTIFIED: [&str; 4] = [
    include_str!("../../migrations/0009_key_limit.sql"),
    include_str!("../../migrations/0010_audit.sql"),
    include_str!("../../migrations/0011_channels.sql"),
    include_str!("../../migrations/0012_trace.sql"),
];
/// The thirteenth, before events could have labels of their own.
const UNLABELLED: [&str; 1] = [include_str!("../../migrations/0013_client_identity.sql")];
/// The fourteenth, before the outbox kept who ran something by hand.
const UNNAMED: [&str; 1] = [include_str!("../../migrations/0014_event_label.sql")];
const PLAIN: WebhookId = WebhookId(2);

async fn migrated() -> (SqliteStore, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    let file = Connection::open(&path).unwrap();
    file.execute_batch(DUMP).unwrap();
    file.close().unwrap();
    let sealing = SealingKeys::new(SealingKey::new(1, [7; 32]));
    let config = SqliteConfig::file(path).with_sealing(sealing);
    (SqliteStore::open(config).await.unwrap(), folder)
}

/// A file that these steps left, opened.
async fn written_by(steps: &[&str]) -> (SqliteStore, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gatepost.db");
    let file = Connection::open(&path).unwrap();
    file.pragma_update(None, "foreign_keys", false).unwrap();
    file.pragma_update(None, "legacy_alter_table", true)
        .unwrap();
    file.execute_batch(DUMP).unwrap();
    for (version, step) in (3..).zip(steps) {
        file.execute_batch(step).unwrap();
        file.execute("INSERT INTO gatepost_schema VALUES (?1)", [version])
            .unwrap();
    }
    file.close().unwrap();
    let sealing = SealingKeys::new(SealingKey::new(1, [7; 32]));
    let config = SqliteConfig::file(path).with_sealing(sealing);
    (SqliteStore::open(config).await.unwrap(), folder)
}

async fn all(store: &SqliteStore) -> Vec<Delivery> {
    let query = DeliveryQuery::all(Page::first(99));
    store.list_deliveries(&query).await.unwrap()
}

async fn one(store: &SqliteStore, message: &str) -> Delivery {
    let mut all = all(store).await;
    all.retain(|d| d.message_id.as_str() == message);
    all.pop().unwrap()
}

fn names(claimed: &[Claimed]) -> Vec<&str> {
    claimed
        .iter()
        .map(|claimed| claimed.delivery.message_id.as_str())
        .collect()
}

#[tokio::test]
async fn every_delivery_is_listed_as_it_stood() {
    let (store, _folder) = migrated().await;
    let all = all(&store).await;
    let told: Vec<_> = all
        .iter()
        .map(|d| {
            let (state, class) = (d.state.as_str(), d.class.as_str());
            let counts = (d.attempts, d.tries, d.lost_claims);
            (
                d.message_id.as_str(),
                state,
                class,
                d.status_info.as_str(),
                counts,
            )
        })
        .collect();
    assert_eq!(
        told,
        [
            ("sent", "sent", "ok", "200 OK", (1, 1, 0)),
            ("failed", "error", "timeout", "timeout", (1, 1, 0)),
            ("retry", "queued", "timeout", "timeout", (1, 1, 0)),
            ("replayed", "queued", "timeout", "", (1, 0, 0)),
            ("resent", "sent", "ok", "200 OK", (2, 1, 0)),
            ("lost", "queued", "", "", (0, 0, 1)),
            ("dropped-body", "sent", "ok", "200 OK", (1, 1, 0)),
            ("released", "queued", "", "given back", (0, 0, 0)),
            ("cancelled", "error", "", "cancelled by hand", (0, 0, 0)),
            ("leased", "queued", "", "", (0, 0, 0)),
            ("waiting", "queued", "", "", (0, 0, 0)),
            ("of-occurrence", "queued", "", "", (0, 0, 0)),
            ("ordered-0", "queued", "", "", (0, 0, 0)),
            ("ordered-1", "queued", "", "", (0, 0, 0)),
            ("ordered-2", "queued", "", "", (0, 0, 0)),
            ("held", "queued", "", "", (0, 0, 0)),
            ("moved", "queued", "", "", (0, 0, 0)),
        ],
        "what was claimed waits for the end of its lease; that of the owner who is gone is not shown"
    );
    assert_eq!(all[2].due, at(500));
    assert_eq!(all[9].due, at(900), "the end of its lease");
    assert!(!all[6].message_kept && all[6].body.is_empty());
    assert_eq!(all[12].body.len(), 9_000);
    let resent = store.attempts(all[4].id, 99).await.unwrap();
    let resent: Vec<_> = resent
        .iter()
        .map(|a| (a.number, a.class.as_str(), a.started))
        .collect();
    assert_eq!(resent, [(1, "timeout", at(2)), (2, "ok", at(81))]);
    assert_eq!(resent[1].2, all[4].last_attempt.unwrap());
    let failed = DeliveryQuery {
        webhook: Some(PLAIN),
        states: vec![DeliveryState::Error],
        ..DeliveryQuery::all(Page::newest(9))
    };
    let failed = store.list_deliveries(&failed).await.unwrap();
    assert_eq!(failed.iter().map(|d| d.id.0).collect::<Vec<_>>(), [9, 2]);
}

#[tokio::test]
async fn the_queue_goes_on_where_it_stood() {
    let (store, _folder) = migrated().await;
    let claims =
        [LaneClass::First, LaneClass::Retry, LaneClass::Alone].map(|class| lane(PLAIN, class));
    let early = store.claim(&claims, at(2_000), at(100)).await.unwrap();
    assert_eq!(names(&early), ["of-occurrence", "waiting", "lost"]);
    let late = store.claim(&claims, at(2_000), at(1_000)).await.unwrap();
    assert_eq!(names(&late), ["replayed", "released", "retry", "leased"]);
    let sent = late
        .iter()
        .chain(&early)
        .map(|c| settlement(c, Disposition::Sent));
    let settled = store.settle(sent.collect(), at(1_001)).await.unwrap();
    assert_eq!(settled, [Settled::Done; 7]);
    assert_eq!(one(&store, "replayed").await.attempts, 2, "they count on");

    let head = store
        .claim(
            &[lane(WebhookId(3), LaneClass::First)],
            at(2_000),
            at(1_000),
        )
        .await;
    assert_eq!(names(&head.unwrap()), ["ordered-0"], "the head alone");
    let moved = [lane(WebhookId(5), LaneClass::First)];
    assert_eq!(store.claim(&moved, at(2_000), at(1_000)).await.unwrap(), []);
    assert!(store.remove_gone(99, at(1_000)).await.unwrap() > 0);
    assert_eq!(one(&store, "moved").await.status_info, "the owner moved");
    let new = direct(vec![message(WebhookId(5), "new", at(1_000))]);
    store.enqueue(new, at(1_000)).await.unwrap();
    assert_eq!(
        one(&store, "new").await.id,
        DeliveryId(19),
        "18 was given out before"
    );
    let claimed = store.claim(&moved, at(2_000), at(1_000)).await.unwrap();
    assert_eq!(names(&claimed), ["new"]);

    assert_eq!(store.expire_held(at(500), 9, at(1_000)).await.unwrap(), 1);
    assert_eq!(one(&store, "held").await.status_info, EXPIRED_INFO);
    let mut paused = store.webhook(WebhookId(4)).await.unwrap().unwrap();
    assert_eq!(paused.value.activity, Activity::Paused);
    paused.value.activity = Activity::Active;
    store
        .update_webhook(&paused, UNLIMITED, at(9))
        .await
        .unwrap();
    let failed = Replay::Failed {
        webhook: PLAIN,
        from: at(0),
        before: at(50),
    };
    assert_eq!(store.replay(&failed, 9, at(1_000)).await.unwrap(), 1);
}

#[tokio::test]
async fn ids_counts_and_the_outbox_are_found() {
    let (store, _folder) = migrated().await;
    let origin = Origin::Occurrence {
        place: Place::Common,
        id: "occurrence-1".parse().unwrap(),
    };
    let again = Enqueue {
        origin,
        ..direct(vec![message(PLAIN, "again", at(9))])
    };
    assert_eq!(
        store.enqueue(again, at(9)).await.unwrap(),
        Enqueued::AlreadyKnown
    );
    let mut taken = Vec::new();
    for holder in 1..=3 {
        let next = store.take_outbox(holder, 9, at(2_000), at(500)).await;
        let next = next.unwrap().unwrap();
        let ids = next.rows.iter().map(|row| row.id.0).collect::<Vec<_>>();
        taken.push((next.audience.tenant, next.audience.owner, ids));
    }
    taken.sort();
    assert_eq!(taken, [(0, 0, vec![1]), (0, 9, vec![5]), (4, 0, vec![4])]);
    let nobody = OutboxAudience {
        tenant: 0,
        owner: 0,
    };
    store.give_back_outbox(nobody, 1).await.unwrap();
    let later = store
        .take_outbox(1, 9, at(2_000), at(600))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        later.rows.iter().map(|row| row.id.0).collect::<Vec<_>>(),
        [1, 3]
    );
    assert_eq!(
        store
            .dropped(gatepost_storage::Scope::All, 9)
            .await
            .unwrap()[0]
            .count,
        3
    );
    let usage = store.log_usage(&[OwnerId(1)]).await.unwrap()[0];
    assert_eq!((usage.waiting, usage.log_bytes), (5, 999));
    assert!(store.prepare_log(at(9)).await.unwrap().bytes > 9_000);
}

#[tokio::test]
async fn what_was_stored_before_causes_were_has_none_and_what_comes_has_one() {
    let (store, _folder) = written_by(&[THIRD]).await;
    let before = all(&store).await;
    assert!(before.len() > 3 && before.iter().all(|delivery| delivery.cause.is_none()));
    let mut attempts = 0;
    for delivery in &before {
        for attempt in store.attempts(delivery.id, 99).await.unwrap() {
            assert_eq!(attempt.request_head, b"", "{}", delivery.message_id);
            attempts += 1;
        }
    }
    assert!(attempts > 0);
    let cause: Cause = "vms poweron 3 7 order-4711".parse().unwrap();
    let new = NewDelivery {
        cause: Some(cause.clone()),
        ..message(before[0].webhook, "new", at(2_000_000_000))
    };
    store.enqueue(direct(vec![new]), at(1)).await.unwrap();
    let after = all(&store).await;
    let (last, rest) = after.split_last().unwrap();
    assert_eq!(last.cause, Some(cause));
    assert_eq!(rest, before);
}

#[tokio::test]
async fn keys_of_before_uses_were_counted_have_none_and_are_counted_from_now_on() {
    let (store, folder) = written_by(&[THIRD, FOURTH]).await;
    let keys = store.list_keys(&KeyQuery::all(Page::first(9))).await;
    let keys = keys.unwrap();
    assert_eq!(keys.len(), 1);
    are_counted(&store, &keys).await;
    store.delete_key(keys[0].id, at(1)).await.unwrap();
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let left = "SELECT count(*) FROM gatepost_key_use";
    let left: u32 = file.query_row(left, [], |row| row.get(0)).unwrap();
    assert_eq!(left, 0, "a deleted key takes its days along");
}

#[tokio::test]
async fn keys_of_before_grants_are_enabled_and_may_everything_and_can_be_narrowed() {
    let (store, _folder) = written_by(&[THIRD, FOURTH, FIFTH]).await;
    let all = KeyQuery::all(Page::first(9));
    let keys = store.list_keys(&all).await.unwrap();
    assert!(!keys.is_empty());
    for row in keys {
        assert!(row.key.enabled && row.key.grant.is_all());
        let found = store.key_by_lookup(row.key.lookup).await.unwrap();
        assert_eq!(found.as_ref(), Some(&row));
        let mut narrow = row.clone();
        (narrow.key.grant, narrow.key.enabled) = (full_grant(), false);
        let narrow = store.update_key(&narrow, at(1)).await.unwrap();
        assert_eq!(narrow.key.grant, full_grant());
        assert_eq!(store.key(row.id).await.unwrap(), Some(narrow));
    }
}

#[tokio::test]
async fn keys_of_before_limits_have_none_and_can_be_limited_and_rolled() {
    let steps = [THIRD, FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH];
    let (store, _folder) = written_by(&steps).await;
    let keys = store.list_keys(&KeyQuery::all(Page::first(9))).await;
    let keys = keys.unwrap();
    assert!(!keys.is_empty());
    for mut row in keys {
        assert_eq!((row.key.limit, row.rolled), (None, Rolled::default()));
        row.key.limit = Some(RateLimit::per_minute(60).unwrap());
        let limited = store.update_key(&row, at(1)).await.unwrap();
        assert_eq!(limited.key.limit, row.key.limit);
        let next = key(row.key.owner.0, row.key.name.next().as_str());
        let rolled = store.roll_key(&limited, &next, u64::MAX, at(1)).await;
        let (new, old) = rolled.unwrap();
        assert_eq!(
            (new.rolled.from, old.rolled.to),
            (Some(row.id), Some(new.id))
        );
        assert_eq!(store.key(old.id).await.unwrap(), Some(old));
    }
}

#[tokio::test]
async fn occurrences_that_waited_before_there_was_data_bring_nothing_along() {
    let (store, folder) = written_by(&[THIRD, FOURTH, FIFTH]).await;
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let insert = "INSERT INTO gatepost_occurrence (event_type, event, tenant, data)
        VALUES ('vms', 'poweron', 77, '{\"a\": 1}')";
    file.execute_batch(insert).unwrap();
    let store = Webhooks::of(Arc::new(store));
    let rows = outbox(&store, 2_000_000_000).await;
    let data = rows.iter().map(|row| row.occurrence.as_ref().unwrap());
    let data: Vec<_> = data
        .filter_map(|occurrence| occurrence.data.clone())
        .collect();
    assert!(rows.len() > 1, "those of before");
    assert_eq!(data, ["{\"a\":1}".parse().unwrap()]);
}

#[tokio::test]
async fn what_was_stored_before_there_were_traces_belongs_to_none_and_what_comes_to_one() {
    let [sixth, seventh, eighth] = UNTRACED;
    let caused = "UPDATE gatepost_delivery SET cause = 'vms poweron 3 7 order-4711'";
    let fourth = format!("{FOURTH}; {caused}");
    let steps = [THIRD, &fourth, FIFTH, sixth, seventh, eighth];
    let (store, folder) = written_by(&steps).await;
    let causes = all(&store).await.into_iter().map(|one| one.cause);
    let causes: Vec<_> = causes.flatten().collect();
    assert!(!causes.is_empty());
    let bare = |cause: &Cause| cause.trace.is_none() && cause.data.is_none();
    assert!(causes.iter().all(bare));
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let insert = "INSERT INTO gatepost_occurrence (event_type, event, tenant, trace)
        VALUES ('vms', 'poweron', 77, ?1), ('vms', 'poweron', 77, CAST(x'ff' AS TEXT)), ('vms', 'poweron', 77, 'x')";
    file.execute(insert, [trace().to_string()]).unwrap();
    let rows = outbox(&Webhooks::of(Arc::new(store)), 2_000_000_000).await;
    let traces = rows.iter().map(|row| row.occurrence.as_ref().unwrap());
    let traces: Vec<_> = traces.filter_map(|one| one.trace.clone()).collect();
    assert!(
        rows.len() > 3,
        "those of before, and those whose trace is none"
    );
    assert_eq!(traces, [trace()]);
}

#[tokio::test]
async fn webhooks_of_before_channels_hear_everything_and_can_list_some() {
    let (store, folder) = written_by(&[THIRD, FOURTH, FIFTH]).await;
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let insert = "INSERT INTO gatepost_occurrence (event_type, event, tenant, webhooks, channel)
        VALUES ('vms', 'poweron', 77, '[7, 3]', 'billing')";
    file.execute_batch(insert).unwrap();
    let mut row = store.webhook(WebhookId(1)).await.unwrap().unwrap();
    assert!(row.value.channels.is_empty() && row.value.retry_schedule.is_none());
    (row.value.channels, row.value.retry_schedule) =
        (full_webhook().channels, full_webhook().retry_schedule);
    let edited = store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
    assert_eq!(edited.value, row.value);
    let store = Webhooks::of(Arc::new(store));
    let rows = outbox(&store, 2_000_000_000).await;
    let meant = rows.iter().map(|row| row.occurrence.as_ref().unwrap());
    let meant: Vec<_> = meant
        .filter(|o| o.to.is_some() || o.channel.is_some())
        .collect();
    assert!(
        rows.len() > 1 && meant.len() == 1,
        "one more than those of before"
    );
    let to = Chosen::new([WebhookId(3), WebhookId(7)]).unwrap();
    assert_eq!(meant[0].to, Some(to));
    assert_eq!(meant[0].channel, Some("billing".parse().unwrap()));
}

#[tokio::test]
async fn a_file_of_before_there_was_a_log_of_changes_has_an_empty_one() {
    let (store, _folder) = written_by(&[THIRD, FOURTH, FIFTH]).await;
    let all = AuditQuery::all(Page::first(9));
    assert_eq!(store.list_audit(&all).await.unwrap(), []);
    store.append_audit(&[entry(1, 1, 0)], 9).await.unwrap();
    assert_eq!(store.list_audit(&all).await.unwrap().len(), 1);
}

#[tokio::test]
async fn webhooks_of_before_client_certificates_have_none_and_can_be_given_one() {
    let before = [&[THIRD, FOURTH, FIFTH][..], &UNTRACED, &UNIDENTIFIED].concat();
    let (store, _folder) = written_by(&before).await;
    let mut row = store.webhook(WebhookId(1)).await.unwrap().unwrap();
    assert_eq!(row.value.client_identity, None);
    row.value.client_identity = full_webhook().client_identity;
    let edited = store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
    assert_eq!(edited.value, row.value);
    assert_eq!(store.webhook(row.id).await.unwrap(), Some(edited));
}

#[tokio::test]
async fn events_of_before_labels_have_none_and_can_be_given_one() {
    let before = [
        &[THIRD, FOURTH, FIFTH][..],
        &UNTRACED,
        &UNIDENTIFIED,
        &UNLABELLED,
    ]
    .concat();
    let (store, _folder) = written_by(&before).await;
    can_be_labelled(&store).await;
}

#[tokio::test]
async fn occurrences_that_waited_before_it_was_kept_were_run_by_nobody() {
    let before = [
        &[THIRD, FOURTH, FIFTH][..],
        &UNTRACED,
        &UNIDENTIFIED,
        &UNLABELLED,
        &UNNAMED,
    ]
    .concat();
    let (store, folder) = written_by(&before).await;
    let file = Connection::open(folder.path().join("gatepost.db")).unwrap();
    let insert = "INSERT INTO gatepost_occurrence (event_type, event, tenant, run_by)
        VALUES ('vms', 'poweron', 77, 7)";
    file.execute_batch(insert).unwrap();
    one_was_run_by_a_user(&Webhooks::of(Arc::new(store))).await;
}
