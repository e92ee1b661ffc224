//! The event and the object for which a task is run or tested, as they are chosen in a form, and
//! the message as it would be sent.

use std::collections::BTreeMap;

use gatepost_manage::{About, ManageError};
use gatepost_storage::webhooks::TaskRow;
use serde_json::Map;
use webhook_model::{
    Action, Data, EventName, EventType, Message, SampleVariable, Specificity, WebhookId,
};

use crate::choices::choices;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::{Choices, Form};
use crate::names::{events, known_type};
use crate::problems::Problems;
use crate::samples::{self, Preview};
use crate::texts::Texts;

/// The name of the object in the preview.
pub(super) const OBJECT: &str = "web-1";

/// The options of a form for a type.
#[derive(Debug)]
pub(super) struct AboutOptions {
    pub of: EventType,
    pub label: String,
    pub events: Vec<(String, String)>,
    /// The platform's objects; empty if the platform names none, or the type has none.
    pub objects: Choices,
    /// The variables of the type's events, each name once.
    pub variables: Vec<SampleVariable>,
}

impl AboutOptions {
    /// Returns `None` for a type that is not in the catalog.
    pub(super) async fn of(ctx: &PageContext, form: &Form) -> Result<Option<Self>, Failure> {
        let Some((of, label, specificity)) = known_type(ctx, form.text("type")) else {
            return Ok(None);
        };
        let objects = match specificity {
            Specificity::Generic => Choices::default(),
            _ => choices(ctx, form, "object", of.as_str()).await?,
        };
        Ok(Some(Self {
            of: of.clone(),
            label: label.into_owned(),
            events: events(ctx, of),
            objects,
            variables: variables(ctx, of),
        }))
    }
}

/// Returns the variables of a type's events, each name once.
pub(super) fn variables(ctx: &PageContext, of: &EventType) -> Vec<SampleVariable> {
    let catalog = ctx.actor.catalog();
    let notes = catalog.events(of);
    let notes = notes.filter_map(|(event, _)| catalog.notes(of, event));
    let all = notes.flat_map(|notes| notes.variables());
    let each: BTreeMap<&str, &SampleVariable> = all.map(|one| (one.name(), one)).collect();
    each.into_values().cloned().collect()
}

/// Returns a form in which only the type is chosen: its fields have samples.
pub(super) fn fresh(options: Option<&AboutOptions>) -> Form {
    let form = Form::default().with("name", OBJECT);
    let Some(options) = options else {
        return form;
    };
    let first = options.events.first();
    samples::filled(form, &options.variables)
        .with("type", options.of.to_string())
        .with("event", first.map_or("", |(event, _)| event))
}

/// Parses the fields, which have no type for a run without an event; notes each error next to its
/// field. `${NAME}` becomes the value of `name` if no object is chosen.
pub(super) fn parse(
    form: &Form,
    options: Option<&AboutOptions>,
    t: &Texts,
    problems: &mut Problems,
) -> Option<About> {
    let event = match form.word("type") {
        "" => None,
        of => {
            let words = of.parse::<EventType>().and_then(|of| {
                let event: EventName = form.word("event").parse()?;
                Ok((of, event))
            });
            Some(problems.take("event", words.map_err(|_| t.of("tasks-choose-event")))?)
        }
    };
    let object = match (&event, form.word("object")) {
        (None, _) | (_, "") => None,
        (Some(_), id) => {
            let id = Form::object(id).ok_or_else(|| t.of("tasks-choose-object"));
            Some(problems.take("object", id)?)
        }
    };
    let variables = options.map_or(&[][..], |options| &options.variables);
    let (name, values) = (form.word("name"), samples::values(form, variables));
    samples::check_one(t, "name", name, problems);
    samples::check(t, &values, problems);
    if !problems.is_empty() {
        return None;
    }
    let mut about = About::default();
    about.event = event;
    about.object = object;
    name.clone_into(&mut about.name);
    about.variables = values.into_iter().collect();
    Some(about)
}

/// Renders the message of a form as an example; empty while the message is not valid.
pub(crate) async fn preview(ctx: &PageContext, form: &Form) -> Preview {
    let Ok(message) = form.lines("message").parse::<Message>() else {
        return Preview::default();
    };
    let webhook = form.word("webhook").parse().ok().map(WebhookId);
    let example = ctx.actor.example(&message, samples(ctx)).await;
    // The user did not choose the samples: the only possible error is the size.
    let shown = Preview::of(ctx, example, webhook).await;
    shown.unwrap_or_default()
}

/// Renders the message of a task as a test or a run would send it.
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

/// Combines all samples of the catalog: any of its events may run a message.
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
    // Together they may exceed the limit of one occurrence.
    let some = (!members.is_empty()).then(|| Data::new(members));
    about.data = some.and_then(Result::ok);
    about
}
