//! What holds of rows of an earlier version, whichever database they are in. The tests of each
//! backend take this file in.

use gatepost_storage::keys::{KeyRow, KeyStore, KeyUse};
use gatepost_storage::webhooks::RecordStore;
use gatepost_testkit::Webhooks;
use gatepost_testkit::fixtures::{UNLIMITED, at, full_webhook, outbox};
use webhook_model::{Channels, DeliveryMode, EventId, EventLabel, OwnerId, Webhook};

/// The full webhook without what the first two versions did not have.
pub(crate) fn first_webhook() -> Webhook {
    Webhook {
        channels: Channels::default(),
        retry_schedule: None,
        client_identity: None,
        mode: DeliveryMode::Push,
        ..full_webhook()
    }
}

/// Uses of these keys, which have none, are counted from now on.
pub(crate) async fn are_counted(store: &impl KeyStore, keys: &[KeyRow]) {
    let day = at(0).date_naive();
    let all = async |key| {
        let uses = store.key_uses(key, day, day.succ_opt().unwrap(), 9).await;
        uses.unwrap()
    };
    for row in keys {
        assert_eq!(all(row.id).await, []);
        let uses = KeyUse {
            key: row.id,
            day,
            used: 2,
            refused: 1,
        };
        store.record_uses(&[uses]).await.unwrap();
        assert_eq!(all(row.id).await, [uses]);
    }
}

/// Of what waits, one was run by the seventh user, and what is of before by nobody.
pub(crate) async fn one_was_run_by_a_user(store: &Webhooks) {
    let rows = outbox(store, 2_000_000_000).await;
    let by: Vec<_> = rows.iter().filter_map(|row| row.by).collect();
    assert!(rows.len() > 1, "those of before");
    assert_eq!(by, [OwnerId(7)]);
}

/// The second event has no label, and can be given one.
pub(crate) async fn can_be_labelled(store: &impl RecordStore) {
    let mut row = store.event(EventId(2)).await.unwrap().unwrap();
    assert_eq!(row.value.label, EventLabel::default());
    row.value.label = "at night".parse().unwrap();
    let edited = store.update_event(&row, UNLIMITED, at(1)).await.unwrap();
    assert_eq!(edited.value, row.value);
    assert_eq!(store.event(row.id).await.unwrap(), Some(edited));
}
