//! An edit during an enqueue, and the enqueues that changes refuse after they have returned.

use gatepost_ids::OwnerId;
use gatepost_postgres::PostgresStore;
use gatepost_storage::OwnerStore as _;
use gatepost_storage::owners::Removal;
use gatepost_storage::webhooks::*;
use gatepost_testkit::fixtures::{UNLIMITED, at};
use webhook_model::{Action, Activity, DeliveryOrder, TaskId, WebhookId};

use super::{BY_REALM, Kind, Race, listed, move_owner};
use crate::locks::Two;

#[derive(Clone, Copy, Debug)]
enum Edit {
    Task,
    Webhook,
}

impl Edit {
    async fn make(self, store: PostgresStore, task: TaskId, webhook: WebhookId) {
        match self {
            Self::Task => {
                let mut row = store.task(task).await.unwrap().unwrap();
                let message = r#"{"edited": true}"#.parse().unwrap();
                row.value.action = Action::Send { webhook, message };
                store.update_task(&row, UNLIMITED, at(1)).await.unwrap();
            }
            Self::Webhook => {
                let mut row = store.webhook(webhook).await.unwrap().unwrap();
                row.value.url = "https://example.com/edited".parse().unwrap();
                store.update_webhook(&row, UNLIMITED, at(1)).await.unwrap();
            }
        }
    }
}

/// The enqueue began before the edit returned, and may come first: its deliveries are sent once.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn edit_next_to_enqueue_refuses_later_ones() {
    for (edit, kind) in BY_REALM
        .iter()
        .flat_map(|k| [(Edit::Task, *k), (Edit::Webhook, *k)])
    {
        let race = Race::new().await;
        let (task, hook) = (race.task, race.two.of_one);
        let later = race.batch(kind, "later").await;
        let batch = race.batch(kind, "m").await;
        let raced = race.run(batch, |b| edit.make(b, task, hook)).await;
        assert_eq!(listed(&race.two.b).await, raced.ids(), "{edit:?} {kind:?}");
        race.assert_refused(later, kind).await;
        let new = race.batch(kind, "new").await;
        let new = race.enqueue(new).await;
        assert_eq!(new.len(), 2, "{edit:?} {kind:?}");
        let waiting = raced.stored.iter().chain(&new);
        let waiting = waiting.filter(|stored| stored.token.is_none());
        let mut waiting: Vec<_> = waiting.map(|stored| stored.id).collect();
        waiting.sort_unstable();
        let claimed = race.claim(hook, 1).await;
        let claimed: Vec<_> = claimed.iter().map(|c| c.delivery.id).collect();
        assert_eq!(claimed, waiting, "{edit:?} {kind:?}");
    }
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Edit(Edit),
    Pause,
    InOrder,
    Suspend,
    Move,
    DeleteWebhook,
    RemoveOwner,
    RemoveTenant,
}

impl Change {
    const ALL: [Self; 9] = [
        Self::Edit(Edit::Task),
        Self::Edit(Edit::Webhook),
        Self::Pause,
        Self::InOrder,
        Self::Suspend,
        Self::Move,
        Self::DeleteWebhook,
        Self::RemoveOwner,
        Self::RemoveTenant,
    ];

    async fn make(self, two: &Two, task: TaskId) {
        let (store, owner) = (&two.b, OwnerId(1));
        let mut row = store.webhook(two.of_one).await.unwrap().unwrap();
        let done = match self {
            Self::Edit(edit) => return edit.make(store.clone(), task, two.of_one).await,
            Self::Move => return move_owner(store, two.other).await,
            Self::Pause | Self::InOrder => {
                match self {
                    Self::Pause => row.value.activity = Activity::Paused,
                    _ => row.value.order = DeliveryOrder::InOrder,
                }
                store.update_webhook(&row, UNLIMITED, at(1)).await.map(drop)
            }
            Self::Suspend => store.hold_owner(owner, true, at(1)).await,
            Self::DeleteWebhook => {
                let deleted = store.delete_webhook(two.of_one, Cascade::Tasks, at(1));
                deleted.await
            }
            Self::RemoveOwner => store.mark_gone(Removal::Owner(owner), at(1)).await,
            Self::RemoveTenant => {
                let tenant = two.one.tenant().unwrap();
                store.mark_gone(Removal::Tenant(tenant), at(1)).await
            }
        };
        done.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_returned_change_refuses_what_was_read_before() {
    for change in Change::ALL {
        let race = Race::new().await;
        let mut batches = Vec::new();
        for kind in BY_REALM {
            batches.push((race.batch(kind, &format!("{kind:?}")).await, kind));
        }
        let by_rows = race.batch(Kind::ByRows, "rows").await;
        change.make(&race.two, race.task).await;
        for (batch, kind) in batches {
            race.assert_refused(batch, kind).await;
        }
        // A completed move has changed no record.
        if !matches!(change, Change::Move) {
            let refused = race.two.a.enqueue(by_rows, at(0)).await.unwrap();
            assert!(matches!(refused, Enqueued::RowsChanged(_)), "{change:?}");
        }
        assert_eq!(listed(&race.two.a).await, [], "{change:?}");
    }
}
