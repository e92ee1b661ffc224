//! The records of the demonstration, created through `Management` like all others.

use std::error::Error;
use std::net::SocketAddr;

use gatepost_manage::Actor;
use webhook_model::{
    Action, Event, EventLabel, Filter, JsonObject, ObjectId, SigningSecret, SigningSecrets, Target,
    Task, Webhook, WebhookId,
};

/// The machine `web-1`.
const MACHINE: u32 = 1;
const MESSAGE: &str = r#"{"text":"${NAME} was switched on","at":"${DATE}"}"#;

/// Returns the webhook's URL.
pub(super) fn url(receiver: SocketAddr) -> String {
    format!("http://{receiver}/hook")
}

/// A webhook with a signing secret, a task that sends it, and the event that a machine was
/// switched on.
pub(super) async fn make(
    admin: &Actor,
    receiver: SocketAddr,
) -> Result<WebhookId, Box<dyn Error + Send + Sync>> {
    let owner = admin.principal().owner;
    let secret = SigningSecret::from_random(rand::random());
    let webhook = Webhook {
        signing: SigningSecrets::new(vec![secret])?,
        ..Webhook::new(owner, "Built-in receiver".parse()?, url(receiver).parse()?)
    };
    let webhook = admin.create_webhook(webhook).await?.id;
    let action = Action::Send {
        webhook,
        message: MESSAGE.parse()?,
    };
    let task = admin.create_task(Task {
        creator: owner,
        name: "Say that web-1 is on".parse()?,
        description: "Came with the first start; delete it when you like.".parse()?,
        enabled: true,
        delete_after_run: false,
        action,
    });
    let event = Event {
        event_type: "vms".parse()?,
        event: "poweron".parse()?,
        target: Target::Instance(ObjectId::from(MACHINE)),
        task: task.await?.id,
        enabled: true,
        filters: Filter::default(),
        context: JsonObject::default(),
        label: EventLabel::default(),
    };
    admin.create_event(event).await?;
    Ok(webhook)
}
