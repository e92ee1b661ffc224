//! Every method of `Management` about a row.

use std::pin::Pin;

use apikey_core::Overlap;
use chrono::{DateTime, Utc};
use gatepost_keys::OwnerId;
use gatepost_manage::{About, Actor, ManageError, Operation, Replayable, TriggerInput};
use gatepost_storage::webhooks::{Cascade, DeliveryId};
use webhook_model::{ObjectId, ResubmittedSecrets, WebhookId};

use crate::world::Rows;

/// Methods that concern no single existing row, and have their own tests.
pub(crate) const OTHERS: [&str; 31] = [
    "acting_key",
    "create_event",
    "create_key",
    "create_task",
    "create_webhook",
    "deliveries",
    "deliveries_with_responses",
    "rejected",
    "end_leaked",
    "events",
    "failing_webhooks",
    "find_deliveries",
    "keys",
    "last_runs",
    "logged_change",
    "logged_changes",
    "named_tasks",
    "named_webhooks",
    "report_leaked",
    "running_tasks",
    "subscribe",
    "task_names",
    "tasks",
    "unreadable",
    "watchable",
    "user",
    "webhook_names",
    "webhook_sums",
    "webhooks",
    // Methods about the actor and the system.
    "may_manage",
    "platform_act",
];

type Answer = Pin<Box<dyn Future<Output = Result<(), ManageError>> + Send>>;

/// One method.
pub(crate) struct Call {
    pub name: &'static str,
    /// The store's method that is held to fail it: the one that changes something, if it does.
    pub store: &'static str,
    /// The table, row and word of its audit record; `None` for a read.
    pub record: Option<(&'static str, ObjectId, Operation)>,
    pub run: Box<dyn Fn(Actor) -> Answer>,
}

macro_rules! call {
    ($name:ident($($arg:expr),*), $store:literal, $record:expr) => {
        Call {
            name: stringify!($name),
            store: $store,
            record: $record,
            run: Box::new(move |actor: Actor| {
                Box::pin(async move { actor.$name($($arg),*).await.map(drop) })
            }),
        }
    };
}

/// Returns all ended deliveries of a webhook.
fn replayable(webhook: WebhookId) -> Replayable {
    Replayable::new(webhook, DateTime::UNIX_EPOCH, DateTime::<Utc>::MAX_UTC)
}

/// Returns all of these methods, for these rows.
#[rustfmt::skip]
pub(crate) fn calls(rows: Rows) -> Vec<Call> {
    use Operation::*;
    let Rows { owner, key, webhook, paused, task, event, ended, waiting } = rows;
    let keys = move |word| Some(("user_api_keys", key.into(), word));
    let hooks = move |word| Some(("webhook_urls", webhook.into(), word));
    let of_paused = move |word| Some(("webhook_urls", paused.into(), word));
    let tasks = move |word| Some(("tasks", task.into(), word));
    let events = move |word| Some(("task_events", event.into(), word));
    let log = move |row: DeliveryId, word| Some(("webhooks", ObjectId::from_number(row.0), word));
    let (from, before) = (DateTime::UNIX_EPOCH, DateTime::<Utc>::MAX_UTC);
    vec![
        call!(key(key), "find_key", None),
        call!(stored_key(key), "find_key", None),
        call!(key_uses(key, from.date_naive(), before.date_naive(), 9), "key_uses", None),
        call!(edit_key(key, Default::default()), "update_key", keys(Update)),
        call!(roll_key(key, Overlap::seconds(60).unwrap()), "roll_key", keys(Roll)),
        call!(delete_key(key), "delete_key", keys(Delete)),
        call!(limits(OwnerId(owner)), "usage", None),
        call!(webhook(webhook), "webhook", None),
        call!(count_tasks(webhook), "list_tasks", None),
        call!(edit_webhook(webhook, |_| Ok(())), "update_webhook", hooks(Update)),
        call!(edit_webhook_with(webhook, ResubmittedSecrets::default(), |_| Ok(())), "update_webhook", hooks(Update)),
        call!(delete_webhook(paused, Cascade::Refuse), "delete_webhook", of_paused(Delete)),
        call!(pause_webhook(webhook), "update_webhook", hooks(Pause)),
        call!(resume_webhook(paused), "update_webhook", of_paused(Resume)),
        call!(send(webhook, None), "enqueue", hooks(Send)),
        call!(send_test(webhook, None, String::new()), "webhook", hooks(SendTest)),
        call!(replay_failed(webhook, from, before), "replay", hooks(Replay)),
        call!(rotate_signing_secret(webhook, 1), "update_webhook", hooks(RotateSecret)),
        call!(retire_signing_secrets(webhook), "update_webhook", hooks(RotateSecret)),
        call!(remove_signing_secrets(webhook), "update_webhook", hooks(Update)),
        call!(fetch(paused, None, 9), "webhook", None),
        call!(webhook_counts(webhook, from, before, 9), "counters", None),
        call!(rejected_of(webhook, 9), "counters", None),
        call!(task(task), "task", None),
        call!(count_events(task), "list_events", None),
        call!(edit_task(task, |_| Ok(())), "update_task", tasks(Update)),
        call!(delete_task(task), "delete_task", tasks(Delete)),
        call!(enable_task(task), "update_task", tasks(Enable)),
        call!(disable_task(task), "update_task", tasks(Disable)),
        call!(run_task(task), "enqueue", tasks(Run)),
        call!(cancel_task(task), "list_deliveries", tasks(Cancel)),
        call!(run_task_about(task, About::default()), "enqueue", tasks(Run)),
        call!(test_task(task, About::default()), "enqueue", tasks(Test)),
        call!(task_example(task, About::default()), "task", None),
        call!(event(event), "event", None),
        call!(edit_event(event, |_| Ok(())), "update_event", events(Update)),
        call!(delete_event(event), "delete_event", events(Delete)),
        call!(enable_event(event), "update_event", events(Enable)),
        call!(disable_event(event), "update_event", events(Disable)),
        call!(trigger_example(event, TriggerInput::default()), "task", None),
        call!(trigger_event(event, TriggerInput::default()), "enqueue", events(Trigger)),
        call!(delivery(ended), "delivery", None),
        call!(attempts(ended, 9), "attempts", None),
        call!(delete_delivery(ended), "delete_delivery", log(ended, Delete)),
        call!(replay_delivery(ended), "replay", log(ended, Replay)),
        call!(cancel_delivery(waiting), "cancel", log(waiting, Cancel)),
        call!(wait_reason(waiting), "delivery", None),
        call!(retry_delivery(waiting), "hasten", log(waiting, Retry)),
        call!(count_replayable(&replayable(webhook)), "list_deliveries", None),
        call!(replay_some(replayable(webhook)), "replay", hooks(Replay)),
    ]
}
