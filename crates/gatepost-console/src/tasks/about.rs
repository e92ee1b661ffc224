//! What a task is run or tested about, as it is chosen in a form, and the message as it would be
//! sent.

use std::collections::BTreeMap;

use gatepost_manage::{About, ManageError};
use gatepost_storage::webhooks::TaskRow;
use serde_json::Map;
use webhook_model::{
    Action, Data, EventName, EventType, Message, SampleVariable, Specificity, WebhookId,
};

use crate::choices::choices;
use crate::context::PageContext;
use crate::form::Form;
use crate::names::{events, known_type};
use crate::problems::Problems;
use crate::samples::{self, Preview, Values};
use crate::texts::Texts;

/// The name of the object in the preview.
pub(super) const OBJECT: &str = "web-1";

/// The content of the fields.
#[derive(Debug, Default)]
pub(super) struct AboutForm {
    /// Empty for a run that is about no event.
    pub event_type: String,
    pub event: String,
    pub object: String,
    /// What `${NAME}` becomes where no object is chosen.
    pub name: String,
    pub variables: Values,
}

/// What a form offers for a type.
#[derive(Debug)]
pub(super) struct AboutOptions {
    pub of: EventType,
    pub label: String,
    pub events: Vec<(String, String)>,
    /// The platform's objects; empty where it names none, or the type has none.
    pub objects: Vec<(String, String)>,
    /// What occurrences of the type's events bring, each name once.
    pub variables: Vec<SampleVariable>,
}

impl AboutOptions {
    /// `None` for a type that is not in the catalog.
    pub(super) async fn of(ctx: &PageContext, name: &str) -> Option<Self> {
        let (of, label, specificity) = known_type(ctx, name)?;
        let objects = match specificity {
            Specificity::Generic => Vec::new(),
            _ => choices(ctx, of.as_str()).await,
        };
        Some(Self {
            of: of.clone(),
            label: label.into_owned(),
            events: events(ctx, of),
            objects,
            variables: variables(ctx, of),
        })
    }
}

/// The variables that occurrences of a type's events bring, each name once.
pub(super) fn variables(ctx: &PageContext, of: &EventType) -> Vec<SampleVariable> {
    let catalog = ctx.actor.catalog();
    let notes = catalog.events(of);
    let notes = notes.filter_map(|(event, _)| catalog.notes(of, event));
    let all = notes.flat_map(|notes| notes.variables());
    let each: BTreeMap<&str, &SampleVariable> = all.map(|one| (one.name(), one)).collect();
    each.into_values().cloned().collect()
}

impl AboutForm {
    /// A form of which nothing is chosen but the type: its fields have samples.
    pub(super) fn fresh(options: Option<&AboutOptions>) -> Self {
        let fresh = Self {
            name: OBJECT.to_owned(),
            ..Self::default()
        };
        let Some(options) = options else {
            return fresh;
        };
        Self {
            event_type: options.of.to_string(),
            event: options
                .events
                .first()
                .map(|(event, _)| event.clone())
                .unwrap_or_default(),
            variables: samples::samples(&options.variables),
            ..fresh
        }
    }

    pub(super) fn sent(form: &Form, options: Option<&AboutOptions>) -> Self {
        let text = |name: &str| form.word(name).to_owned();
        let variables = options.map_or(&[][..], |options| &options.variables);
        Self {
            event_type: text("type"),
            event: text("event"),
            object: text("object"),
            name: text("name"),
            variables: samples::sent(form, variables),
        }
    }

    /// Parses the fields; each error is noted beside its field.
    pub(super) fn parse(&self, t: &Texts, problems: &mut Problems) -> Option<About> {
        let event = match self.event_type.as_str() {
            "" => None,
            of => {
                let words = of.parse::<EventType>().and_then(|of| {
                    let event: EventName = self.event.parse()?;
                    Ok((of, event))
                });
                Some(problems.take("event", words.map_err(|_| t.of("tasks-choose-event")))?)
            }
        };
        let object = match (&event, self.object.as_str()) {
            (None, _) | (_, "") => None,
            (Some(_), id) => {
                let id = Form::object(id).ok_or_else(|| t.of("tasks-choose-object"));
                Some(problems.take("object", id)?)
            }
        };
        samples::check_one(t, "name", &self.name, problems);
        samples::check(t, &self.variables, problems);
        if !problems.is_empty() {
            return None;
        }
        let mut about = About::default();
        about.event = event;
        about.object = object;
        about.name.clone_from(&self.name);
        about.variables = self.variables.clone().into_iter().collect();
        Some(about)
    }
}

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
