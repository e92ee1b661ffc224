//! The message of a task as it would be sent.

use std::collections::BTreeMap;

use gatepost_manage::{About, ManageError};
use gatepost_storage::webhooks::TaskRow;
use serde_json::Map;
use webhook_model::{Action, Data, Message, WebhookId};

use crate::context::PageContext;
use crate::form::Form;
use crate::message_preview::Preview;

/// The name of the object in the preview.
pub(super) const OBJECT: &str = "web-1";

/// Renders the message of a form as an example; empty while the message is not valid.
pub(super) async fn preview(ctx: &PageContext, form: &Form) -> Preview {
    let Ok(message) = form.lines("message").parse::<Message>() else {
        return Preview::default();
    };
    let webhook = form.word("webhook").parse().ok().map(WebhookId);
    let example = ctx.actor.example(&message, samples(ctx)).await;
    // Samples are no choice of the user's: nothing but the size can be wrong.
    let shown = Preview::of(ctx, example, webhook).await;
    shown.unwrap_or_default()
}

/// Renders the message of a task as a test or a run sends it about this.
pub(super) async fn preview_about(
    ctx: &PageContext,
    row: &TaskRow,
    about: About,
) -> Result<Preview, ManageError> {
    let webhook = match &row.value.action {
        Action::Send { webhook, .. } => Some(*webhook),
        _ => None,
    };
    let example = ctx.actor.task_example(row.id, about).await;
    Preview::of(ctx, example, webhook).await
}

/// The samples of the catalog as one: a message may be run by any of its events.
fn samples(ctx: &PageContext) -> About {
    let catalog = ctx.actor.catalog();
    let (mut members, mut variables) = (Map::new(), BTreeMap::new());
    for (of, ..) in catalog.types() {
        let events = catalog.events(of);
        for notes in events.filter_map(|(event, _)| catalog.notes(of, event)) {
            for one in notes.variables() {
                let (name, sample) = (one.name().to_owned(), one.sample().to_owned());
                variables.entry(name).or_insert(sample);
            }
            for (name, value) in notes.data().into_iter().flat_map(Data::as_map) {
                members.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    let mut about = About::default();
    OBJECT.clone_into(&mut about.name);
    about.variables = variables.into_iter().collect();
    // Together they may be more than one may be.
    let some = (!members.is_empty()).then(|| Data::new(members));
    about.data = some.and_then(Result::ok);
    about
}
