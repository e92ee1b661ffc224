//! Times, occurrences, and values that are not stored.

use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_ids::{Audience, Realm};
use gatepost_storage::Revision;
use gatepost_storage::webhooks::{NewDelivery, TaskRoute, WebhookRoute};
use webhook_model::{
    Channels, EventId, Object, ObjectId, Occurrence, OwnerId, TagId, TaskId, Webhook, WebhookId,
};

use crate::routes::{MatchedTask, Route};

pub(crate) fn noon() -> DateTime<Utc> {
    "2026-03-01T12:00:00Z".parse().unwrap()
}

pub(crate) fn poweron(id: i64, tags: &[i64]) -> Occurrence {
    Occurrence::new(
        "vms".parse().unwrap(),
        "poweron".parse().unwrap(),
        Audience::OneSystem,
    )
    .with_object(Object::new(ObjectId::from_number(id), format!("vm {id}")))
    .with_tags(tags.iter().map(|tag| TagId(*tag)).collect())
}

/// Returns the same on a platform with tenants, for an audience.
pub(crate) fn addressed(audience: Audience, tags: &[i64]) -> Occurrence {
    poweron(7, tags).with_audience(audience)
}

/// Returns a matched task of this owner that sends webhook 1.
pub(crate) fn matched_task(id: i64, owner: u128) -> MatchedTask {
    let owner = OwnerId(owner);
    MatchedTask {
        place: Realm::Shared,
        task: TaskRoute {
            id: TaskId(id),
            revision: Revision::FIRST,
            owner,
            webhook: WebhookId(1),
            once: false,
        },
        webhook: WebhookRoute {
            id: WebhookId(1),
            revision: Revision::FIRST,
            owner,
            active: true,
            in_order: false,
            timeout: Duration::from_secs(5),
            channels: Channels::default(),
        },
        event: Some((EventId(id), Revision::FIRST)),
    }
}

/// Returns a delivery of this task, not stored yet.
pub(crate) fn new_delivery(task: i64) -> NewDelivery {
    NewDelivery {
        message_id: format!("msg_{task}").parse().unwrap(),
        webhook: WebhookId(1),
        task: Some(TaskId(task)),
        cause: None,
        body: "x".into(),
        due: noon(),
        lease_until: None,
    }
}

pub(crate) fn webhook(change: impl FnOnce(&mut Webhook)) -> Webhook {
    let url = "https://target.example.com/in".parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
    change(&mut webhook);
    webhook
}

pub(crate) fn route(change: impl FnOnce(&mut Webhook)) -> Route {
    Route::new(WebhookId(1), Revision::FIRST, webhook(change))
}
