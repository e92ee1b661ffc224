//! All users, each with the same rows under the same names.

use std::collections::BTreeMap;

use chrono::{DateTime, DurationRound as _, Utc};
use gatepost_storage::webhooks::{
    DeliveryLog, Enqueue, HourlyCount, MessageId, NewDelivery, QueueStore, RecordId, RejectReason,
    RejectedCount, TaskRow,
};
use gatepost_storage::{Clock, SystemClock};
use gatepost_testkit::fixtures::direct;
use webhook_model::WebhookId;

use crate::users::EVERYBODY;
use crate::world::{Rows, World, webhook};

/// The whole time: one delivery of each webhook failed this hour. Older hours may be forgotten by
/// then.
pub(crate) const COUNTED: (DateTime<Utc>, DateTime<Utc>) =
    (DateTime::UNIX_EPOCH, DateTime::<Utc>::MAX_UTC);

pub(crate) struct People {
    pub world: World,
    /// The rows by owner.
    pub rows: BTreeMap<u128, Rows>,
    /// A webhook of each that cannot be read.
    pub lost: BTreeMap<u128, WebhookId>,
    /// All tasks; one delivery of each is being sent.
    pub tasks: Vec<TaskRow>,
}

impl People {
    pub(crate) async fn new() -> Self {
        let world = World::start().await;
        let mut rows = BTreeMap::from([(world.rows.owner, world.rows)]);
        for owner in EVERYBODY {
            if owner != world.rows.owner {
                rows.insert(owner, world.rows_of(owner).await);
            }
        }
        let mut people = Self {
            world,
            rows,
            lost: BTreeMap::new(),
            tasks: Vec::new(),
        };
        for rows in people.rows.clone().values() {
            people.furnish(rows).await;
        }
        people
    }

    /// A delivery that is being sent, one that was dropped, and a webhook that cannot be read.
    async fn furnish(&mut self, rows: &Rows) {
        let World { store, engine, .. } = &self.world;
        let now = SystemClock.now();
        store.enqueue(sending(rows, now), now).await.unwrap();
        let rejected = RejectedCount {
            webhook: rows.webhook,
            reason: RejectReason::Waiting,
            minute: now,
            count: rows.task.0.unsigned_abs(),
        };
        store.count_rejected(&[rejected]).await.unwrap();
        let hour = now.duration_trunc(chrono::TimeDelta::hours(1)).unwrap();
        let failed = HourlyCount::failed(rows.webhook, hour);
        store.add_counts(&[failed]).await.unwrap();
        let lost = engine.create_webhook(&webhook(rows.owner, "lost")).await;
        let lost = lost.unwrap().id;
        store.set_unreadable(RecordId::Webhook(lost), true);
        self.lost.insert(rows.owner, lost);
        self.tasks
            .push(engine.task(rows.task).await.unwrap().unwrap());
    }
}

/// A delivery that is leased to nobody for a long time.
fn sending(rows: &Rows, now: DateTime<Utc>) -> Enqueue {
    let delivery = NewDelivery {
        message_id: MessageId::new(now, rows.owner),
        webhook: rows.webhook,
        task: Some(rows.task),
        cause: None,
        body: "sending".into(),
        due: now,
        lease_until: Some(now + chrono::TimeDelta::days(1)),
    };
    direct(vec![delivery])
}
