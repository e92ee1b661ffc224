//! The form of an event, parsed with the same types as the API's input.

use gatepost_manage::ManageError;
use serde_json::{Map, Value};
use webhook_model::{
    Event, EventName, EventType, Filter, Invalid, JsonObject, TagId, Target, TaskId, trim_pasted,
};

use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;
use crate::problems::{Problems, rule};
use crate::texts::Texts;

/// The content of the fields, valid or not.
#[derive(Debug, Default)]
pub(super) struct EventForm {
    pub event: String,
    /// `all`, `instance` or `tag`.
    pub target: String,
    pub instance: String,
    pub tag: String,
    pub task: String,
    pub filter: String,
    /// JSON, or empty for nothing.
    pub context: String,
    /// What its user calls the event; may be empty.
    pub label: String,
    pub enabled: bool,
}

impl EventForm {
    pub(super) fn sent(form: &Form) -> Self {
        let text = |name| trim_pasted(form.text(name)).to_owned();
        Self {
            event: text("event"),
            target: text("target"),
            instance: text("instance"),
            tag: text("tag"),
            task: text("task"),
            filter: text("filter"),
            context: text("context"),
            label: text("label"),
            enabled: form.ticked("enabled"),
        }
    }

    pub(super) fn of(event: &Event) -> Self {
        let (target, instance, tag) = match event.target {
            Target::Generic => ("all", String::new(), String::new()),
            Target::Instance(id) => ("instance", id.to_string(), String::new()),
            Target::Tag(id) => ("tag", String::new(), id.to_string()),
        };
        Self {
            event: event.event.to_string(),
            target: target.into(),
            instance,
            tag,
            task: event.task.to_string(),
            filter: written(event.filters.is_empty(), event.filters.to_map()),
            context: written_context(&event.context),
            label: event.label.to_string(),
            enabled: event.enabled,
        }
    }

    /// Parses the fields; each error is noted beside its field.
    pub(super) async fn parse(
        &self,
        ctx: &PageContext,
        problems: &mut Problems,
        of: &EventType,
    ) -> Result<Option<Event>, Failure> {
        let t = ctx.texts();
        let event = self.event.parse::<EventName>();
        let event = problems.take("event", event.map_err(|_| t.of("events-choose-event")));
        let target = self.target(t, problems);
        let task = match self.task.parse() {
            Ok(id) => match ctx.actor.task(TaskId(id)).await {
                Ok(row) => Ok(row.id),
                Err(ManageError::NotFound) => Err(t.of("events-unknown-task")),
                Err(error) => return Err(error.into()),
            },
            Err(_) => Err(t.of("events-choose-task")),
        };
        let task: Option<TaskId> = problems.take("task", task);
        let filter = problems.take("filter", self.filter().map_err(rule));
        let context = problems.take("context", self.context().map_err(rule));
        let label = problems.take("label", self.label.parse().map_err(rule));
        let (Some(name), Some(target), Some(task)) = (event, target, task) else {
            return Ok(None);
        };
        let (Some(filters), Some(context), Some(label)) = (filter, context, label) else {
            return Ok(None);
        };
        let event = Event {
            event_type: of.clone(),
            event: name,
            target,
            task,
            enabled: self.enabled,
            filters,
            context,
            label,
        };
        if let Err(error) = ctx.actor.catalog().check(&event) {
            let invalid = error.as_invalid();
            problems.add(field_of(invalid.field().as_str()), invalid.rule());
            return Ok(None);
        }
        Ok(Some(event))
    }

    fn filter(&self) -> Result<Filter, Invalid> {
        match self.filter.as_str() {
            "" => Ok(Filter::default()),
            text => text.parse(),
        }
    }

    fn context(&self) -> Result<JsonObject, Invalid> {
        match self.context.as_str() {
            "" => Ok(JsonObject::default()),
            text => text.parse(),
        }
    }

    fn target(&self, t: &Texts, problems: &mut Problems) -> Option<Target> {
        match self.target.as_str() {
            "instance" => {
                let id = Form::object(&self.instance);
                let id = id.ok_or_else(|| t.of("events-choose-object"));
                problems.take("instance", id).map(Target::Instance)
            }
            "tag" => {
                let number = self.tag.parse().ok().filter(|key: &i64| *key > 0);
                let number = number.ok_or_else(|| t.of("events-choose-tag"));
                let number = problems.take("tag", number);
                number.map(|number| Target::Tag(TagId(number)))
            }
            _ => Some(Target::Generic),
        }
    }
}

/// As it is shown in its field: nothing if it is empty.
fn written(is_empty: bool, object: Map<String, Value>) -> String {
    match is_empty {
        true => String::new(),
        false => format!("{:#}", Value::Object(object)),
    }
}

/// On several lines, unless numbers would lose digits by that.
fn written_context(context: &JsonObject) -> String {
    let members = context.as_map();
    let shown = written(members.is_empty(), members.clone());
    match shown.parse() == Ok::<_, Invalid>(context.clone()) || shown.is_empty() {
        true => shown,
        false => context.to_string(),
    }
}

/// The form field for a field of the record.
pub(super) fn field_of(field: &str) -> &str {
    match field {
        "owner" => "target",
        "table" => "event",
        "table_event_filters" => "filter",
        "event_name" => "label",
        other => other,
    }
}
