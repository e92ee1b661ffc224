//! What later versions added: rows of before have none of it, and can be given it.

use std::sync::Arc;
use std::time::Duration;

use apikey_core::RateLimit;
use gatepost_postgres::PostgresStore;
use gatepost_storage::audit::AuditQuery;
use gatepost_storage::keys::{KeyQuery, KeyStore, Rolled};
use gatepost_storage::webhooks::*;
use gatepost_storage::{AuditStore as _, Page};
use gatepost_testkit::Webhooks;
use gatepost_testkit::fixtures::{
    UNLIMITED, at, entry, full_grant, full_webhook, key, outbox, trace,
};
use webhook_model::{Chosen, WebhookId};

use super::versions::*;
use crate::common::{fresh_at, raw};
use crate::of_before::{can_be_labelled, one_was_run_by_a_user};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_before_grants_are_enabled_and_may_everything_and_can_be_narrowed() {
    let (store, _client) = from_the_fifth().await;
    let keys = store.list_keys(&KeyQuery::all(Page::first(9))).await;
    let keys = keys.unwrap();
    assert_eq!(keys.len(), 2);
    for row in keys {
        assert!(row.key.enabled && row.key.grant.is_all());
        let mut narrow = row.clone();
        (narrow.key.grant, narrow.key.enabled) = (full_grant(), false);
        let narrow = store.update_key(&narrow, at(1)).await.unwrap();
        assert_eq!(narrow.key.grant, full_grant());
        assert_eq!(store.key(row.id).await.unwrap(), Some(narrow));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn keys_of_before_limits_have_none_and_can_be_limited_and_rolled() {
    let marks = "(4, 'cause'), (5, 'key_use'), (6, 'data'), (7, 'key_grant'), (8, 'key_expires')";
    let later = [FOURTH, FIFTH, SIXTH, SEVENTH, EIGHTH];
    let (store, _client) = opened(&later, marks).await;
    let keys = store.list_keys(&KeyQuery::all(Page::first(9))).await;
    let keys = keys.unwrap();
    assert_eq!(keys.len(), 2);
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn occurrences_that_waited_before_there_was_data_bring_nothing_along() {
    let (store, client) = from_the_fifth().await;
    let insert = "INSERT INTO gatepost_occurrence (event_type, event, tenant, data, due)
        VALUES ('vms', 'poweron', 77, '{\"b\": 1.50, \"a\": 1}', 'epoch')";
    client.batch_execute(insert).await.unwrap();
    let rows = outbox(&Webhooks::of(Arc::new(store)), 2_000_000_000).await;
    let data = rows.iter().filter_map(|row| row.occurrence.as_ref().ok());
    let data: Vec<_> = data
        .filter_map(|occurrence| occurrence.data.clone())
        .collect();
    assert!(rows.len() > 1, "those of before");
    assert_eq!(data, ["{\"a\":1,\"b\":1.5}".parse().unwrap()]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_stored_before_there_were_traces_belongs_to_none_and_what_comes_to_one() {
    let [sixth, seventh, eighth] = UNTRACED;
    let marks = "(4, 'cause'), (5, 'key_use'), (6, 'data'), (7, 'key_grant'), (8, 'key_expires');
        UPDATE gatepost_delivery SET cause = 'vms poweron 3 7 order-4711'";
    let (store, client) = opened(&[FOURTH, FIFTH, sixth, seventh, eighth], marks).await;
    let log = DeliveryQuery::all(Page::first(99));
    let deliveries = store.list_deliveries(&log).await.unwrap();
    let causes = deliveries.into_iter().map(|one| one.cause);
    let causes: Vec<_> = causes.flatten().collect();
    assert!(!causes.is_empty());
    let bare = |cause: &Cause| cause.trace.is_none() && cause.data.is_none();
    assert!(causes.iter().all(bare));
    let insert = format!(
        "INSERT INTO gatepost_occurrence (event_type, event, tenant, trace, due)
        VALUES ('vms', 'poweron', 77, '{}', 'epoch')",
        trace()
    );
    client.batch_execute(&insert).await.unwrap();
    let rows = outbox(&Webhooks::of(Arc::new(store)), 2_000_000_000).await;
    let traces = rows.iter().filter_map(|row| row.occurrence.as_ref().ok());
    let traces: Vec<_> = traces.filter_map(|one| one.trace.clone()).collect();
    assert!(rows.len() > 1, "those of before");
    assert_eq!(traces, [trace()]);
}

#[tokio::test]
async fn webhooks_of_before_channels_hear_everything_and_can_list_some() {
    let (store, client) = from_the_fifth().await;
    let insert =
        "INSERT INTO gatepost_occurrence (event_type, event, tenant, webhooks, channel, due)
        VALUES ('vms', 'poweron', 77, '[7, 3]', 'billing', 'epoch')";
    client.batch_execute(insert).await.unwrap();
    let mut row = store.webhook(WebhookId(1)).await.unwrap().unwrap();
    assert!(row.value.channels.is_empty() && row.value.retry_schedule.is_none());
    (row.value.channels, row.value.retry_schedule) =
        (full_webhook().channels, full_webhook().retry_schedule);
    let edited = store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
    assert_eq!(edited.value, row.value);
    let rows = outbox(&Webhooks::of(Arc::new(store)), 2_000_000_000).await;
    let meant = rows.iter().filter_map(|row| row.occurrence.as_ref().ok());
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

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_database_of_before_there_was_a_log_of_changes_has_an_empty_one() {
    let (store, _client) = from_the_fifth().await;
    let all = AuditQuery::all(Page::first(9));
    assert_eq!(store.list_audit(&all).await.unwrap(), []);
    store.append_audit(&[entry(1, 1, 0)], 9).await.unwrap();
    assert_eq!(store.list_audit(&all).await.unwrap().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn webhooks_of_before_client_certificates_have_none_and_can_be_given_one() {
    let marks = "(4, 'cause'), (5, 'key_use'), (6, 'data'), (7, 'key_grant'), (8, 'key_expires'),
        (9, 'key_limit'), (10, 'audit'), (11, 'channels'), (12, 'trace')";
    let later = [&[FOURTH, FIFTH][..], &UNTRACED, &UNIDENTIFIED].concat();
    let (store, _client) = opened(&later, marks).await;
    let mut row = store.webhook(WebhookId(1)).await.unwrap().unwrap();
    assert_eq!(row.value.client_identity, None);
    row.value.client_identity = full_webhook().client_identity;
    let edited = store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
    assert_eq!(edited.value, row.value);
    assert_eq!(store.webhook(row.id).await.unwrap(), Some(edited));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn events_of_before_labels_have_none_and_can_be_given_one() {
    let marks = "(4, 'cause'), (5, 'key_use'), (6, 'data'), (7, 'key_grant'), (8, 'key_expires'),
        (9, 'key_limit'), (10, 'audit'), (11, 'channels'), (12, 'trace'), (13, 'client_identity')";
    let later = [&[FOURTH, FIFTH][..], &UNTRACED, &UNIDENTIFIED, &UNLABELLED].concat();
    let (store, _client) = opened(&later, marks).await;
    can_be_labelled(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn occurrences_that_waited_before_it_was_kept_were_run_by_nobody() {
    let marks = "(4, 'cause'), (5, 'key_use'), (6, 'data'), (7, 'key_grant'), (8, 'key_expires'),
        (9, 'key_limit'), (10, 'audit'), (11, 'channels'), (12, 'trace'), (13, 'client_identity'),
        (14, 'event_label')";
    let later = [
        &[FOURTH, FIFTH][..],
        &UNTRACED,
        &UNIDENTIFIED,
        &UNLABELLED,
        &UNNAMED,
    ]
    .concat();
    let (store, client) = opened(&later, marks).await;
    let insert = "INSERT INTO gatepost_occurrence (event_type, event, tenant, run_by, due)
        VALUES ('vms', 'poweron', 77, 7, 'epoch')";
    client.batch_execute(insert).await.unwrap();
    one_was_run_by_a_user(&Webhooks::of(Arc::new(store))).await;
}

/// A change of a record reads its webhook, its task, then its owner. Whoever upgrades waits for a
/// list that has read owners, and nobody waits behind.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_changes_records_does_not_wait_behind_an_upgrade_that_waits() {
    let (store, config, place) = fresh_at().await;
    drop(store);
    let [client, reader, writer] = [raw(&place).await, raw(&place).await, raw(&place).await];
    let before = "
        DROP TRIGGER gatepost_leave_tenant ON gatepost_owner; DROP FUNCTION gatepost_leave_tenant;
        DROP TRIGGER gatepost_leave_webhook ON gatepost_task; DROP FUNCTION gatepost_leave_webhook;
        ALTER TABLE gatepost_owner DROP COLUMN left_tenants; ALTER TABLE gatepost_task DROP COLUMN left_webhooks;
        ALTER TABLE gatepost_kept DROP COLUMN left_from;
        ALTER TABLE gatepost_webhook DROP COLUMN beside, DROP COLUMN beside_tokens;
        ALTER TABLE gatepost_key DROP COLUMN locked;
        DELETE FROM gatepost_migration WHERE version > 17";
    client.batch_execute(before).await.unwrap();
    reader
        .batch_execute("BEGIN; SELECT FROM gatepost_owner")
        .await
        .unwrap();
    let upgrade = tokio::spawn(PostgresStore::connect(config));
    let change = "BEGIN; SET LOCAL lock_timeout = '2s'; SELECT FROM gatepost_webhook;
        SELECT FROM gatepost_task; SELECT FROM gatepost_owner; COMMIT";
    for _ in 0..20 {
        writer.batch_execute(change).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!upgrade.is_finished(), "it waits");
    reader.batch_execute("COMMIT").await.unwrap();
    upgrade.await.unwrap().unwrap();
}
