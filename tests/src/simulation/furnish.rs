//! The records of every user when a run begins.

use gatepost_engine::Engine;
use gatepost_ids::Audience;
use webhook_model::{
    Action, Catalog, DeliveryOrder, Event, Object, Occurrence, OwnerId, Retries, Specificity,
    TagId, Target, Task, TaskId, Timeout, Webhook, WebhookId,
};

use super::accounts::ALL;
use super::credentials::{Change, authorization, secret};
use super::ledger::{Hook, Ledger};
use super::network::{INNER, Network};

/// The number of hosts: one for each webhook except that with an inner address.
pub(super) const HOSTS: usize = ALL.len() * 2;

pub(super) fn catalog() -> Catalog {
    let events = [("poweron", "Powered on"), ("once", "Once")];
    let types = Catalog::builder();
    let types = types.event_type("vms", "Machines", Specificity::InstanceOrTag, &events);
    types.unwrap().build()
}

/// Creates two webhooks of each user, one of which stays as it is; the third of each four keeps the
/// order. One more has an inner address. Without `orders` no webhook keeps the order.
pub(super) async fn furnish(engine: &Engine, ledger: &Ledger, orders: bool) {
    for (at, owner) in ALL.into_iter().enumerate() {
        for steady in [true, false] {
            let host = at * 2 + usize::from(steady);
            let url = format!("http://{}/", Network::name(host));
            hook(engine, ledger, (owner, orders), Some(host), steady, &url).await;
        }
    }
    let inner = format!("http://{INNER}/");
    hook(engine, ledger, (ALL[1], orders), None, true, &inner).await;
}

async fn hook(
    engine: &Engine,
    ledger: &Ledger,
    (owner, orders): (u128, bool),
    host: Option<usize>,
    steady: bool,
    url: &str,
) {
    let number = ledger.hooks.lock().unwrap().len();
    let name = format!("w{number}").parse().unwrap();
    let mut webhook = Webhook::new(OwnerId(owner), name, url.parse().unwrap());
    let in_order = number % 4 == 2;
    if in_order && orders {
        webhook.order = DeliveryOrder::InOrder;
    }
    webhook.retries = Retries::new(number as u64 % 6).unwrap();
    webhook.timeout = Timeout::from_secs(3 + number as u64 % 8).unwrap();
    webhook.authorization = authorization(number, 0);
    webhook.signing = webhook.signing.rotated(secret(number, 0), 1);
    let row = engine.create_webhook(&webhook).await.unwrap();
    let message = format!(r#"{{"n":"${{N}}","hook":"{number}"}}"#);
    let task = task(row.id, owner, &message, false);
    let task = engine.create_task(&task).await.unwrap();
    engine
        .create_event(&event("poweron", 1, task.id))
        .await
        .unwrap();
    let now = ledger.now();
    let first = Change {
        began: now,
        ended: Some((now, true)),
    };
    ledger.hooks.lock().unwrap().push(Hook {
        id: row.id,
        owner,
        host,
        steady,
        in_order,
        retries: webhook.retries.get(),
        fewest: webhook.retries.get(),
        replayed: false,
        hastened: false,
        deleted: false,
        rests: Vec::new(),
        orders: Vec::new(),
        cancels: Vec::new(),
        tokens: vec![first],
        secrets: vec![first],
    });
}

/// Returns a task of this owner.
pub(super) fn task(webhook: WebhookId, owner: u128, message: &str, once: bool) -> Task {
    let message = message.parse().unwrap();
    Task {
        delete_after_run: once,
        ..Task::new(
            OwnerId(owner),
            "t".parse().unwrap(),
            Action::Send { webhook, message },
        )
    }
}

/// Returns an event on all objects with this tag.
pub(super) fn event(name: &str, tag: i64, task: TaskId) -> Event {
    Event::new(
        "vms".parse().unwrap(),
        name.parse().unwrap(),
        Target::Tag(TagId(tag)),
        task,
    )
}

/// Returns an occurrence of a user's object with this tag.
pub(super) fn occurrence(name: &str, tag: i64, user: u128, number: u64) -> Occurrence {
    let audience = Audience::Owner(OwnerId(user));
    let mut new = Occurrence::new("vms".parse().unwrap(), name.parse().unwrap(), audience);
    new.id = Some(format!("{name}-{number}").parse().unwrap());
    new.object = Some(Object::new(webhook_model::ObjectId::from(7), "machine"));
    new.tags = vec![TagId(tag)];
    new.variables = vec![("N".to_owned(), number.to_string())];
    new
}
