//! Occurrences in the benches of one system: something becomes "on", and carries a tag.

use gatepost_engine::Engine;
use webhook_model::{
    Action, Audience, Catalog, Event, EventLabel, Filter, JsonObject, Occurrence, OwnerId,
    Specificity, TagId, Target, Task, WebhookId,
};

/// Returns one type with one event.
///
/// # Panics
/// Never.
#[must_use]
pub fn catalog() -> Catalog {
    let types = Catalog::builder();
    let types = types.event_type("vms", "VMs", Specificity::InstanceOrTag, &[("on", "On")]);
    types.expect("a type").build()
}

/// Sends occurrences of an object with this tag to the webhook, by this message.
///
/// # Panics
/// If the engine refuses.
pub async fn route(engine: &Engine, webhook: WebhookId, tag: TagId, message: &str) {
    let message = message.parse().expect("a message");
    let task = Task {
        creator: OwnerId(1),
        name: format!("t{}", tag.0).parse().expect("a name"),
        description: "".parse().expect("a description"),
        enabled: true,
        delete_after_run: false,
        action: Action::Send { webhook, message },
    };
    let task = engine.create_task(&task).await.expect("a task").id;
    let event = Event {
        event_type: "vms".parse().expect("a type"),
        event: "on".parse().expect("an event"),
        target: Target::Tag(tag),
        task,
        enabled: true,
        filters: Filter::default(),
        context: JsonObject::default(),
        label: EventLabel::default(),
    };
    engine.create_event(&event).await.expect("an event");
}

/// Returns the occurrence; `${N}` becomes `name`.
///
/// # Panics
/// Never.
#[must_use]
pub fn occurrence(tag: TagId, name: &impl ToString) -> Occurrence {
    let words = ("vms".parse(), "on".parse());
    let (event_type, event) = (words.0.expect("a type"), words.1.expect("an event"));
    let mut occurrence = Occurrence::new(event_type, event, Audience::OneSystem);
    occurrence.tags = vec![tag];
    occurrence.variables = vec![("N".to_owned(), name.to_string())];
    occurrence
}
