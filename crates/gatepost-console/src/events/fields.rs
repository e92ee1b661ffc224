//! The form of an event: type → event → instance or tag, as the catalog says.

use maud::{Markup, html};
use webhook_model::{
    Event, EventName, EventType, JsonObject, ObjectId, Specificity, TagId, Target, TaskId,
};

use crate::failure::Failure;
use crate::form::{Form, Problems};
use crate::layout::{self, note};
use crate::session::Ctx;

/// What stands in the fields, right or wrong.
#[derive(Debug, Default)]
pub(super) struct Typed {
    pub event: String,
    /// `all`, `instance` or `tag`.
    pub target: String,
    pub instance: String,
    pub tag: String,
    pub task: String,
    pub enabled: bool,
}

impl Typed {
    pub(super) fn of_form(form: &Form) -> Self {
        let text = |name| form.text(name).trim().to_owned();
        Self {
            event: text("event"),
            target: text("target"),
            instance: text("instance"),
            tag: text("tag"),
            task: text("task"),
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
            enabled: event.enabled,
        }
    }

    /// Reads the fields; whatever is wrong is noted beside its field.
    pub(super) async fn parse(
        &self,
        ctx: &Ctx,
        problems: &mut Problems,
        of: &EventType,
    ) -> Result<Option<Event>, Failure> {
        let event = self.event.parse::<EventName>();
        let event = problems.take("event", event.map_err(|_| "choose what happens"));
        let target = self.target(problems);
        let task = match self.task.parse() {
            Ok(id) => match ctx.task(id).await {
                Ok(row) => Ok(row.id),
                Err(Failure::NotFound) => Err("there is no such task"),
                Err(failure) => return Err(failure),
            },
            Err(_) => Err("choose the task to run"),
        };
        let task: Option<TaskId> = problems.take("task", task);
        let (Some(name), Some(target), Some(task)) = (event, target, task) else {
            return Ok(None);
        };
        let event = Event {
            event_type: of.clone(),
            event: name,
            target,
            task,
            enabled: self.enabled,
            filters: JsonObject::default(),
            context: JsonObject::default(),
        };
        if let Err(error) = ctx.console.inner.engine.catalog().check(&event) {
            let invalid = error.as_invalid();
            problems.add(place(invalid.field().as_str()), invalid.rule());
            return Ok(None);
        }
        Ok(Some(event))
    }

    fn target(&self, problems: &mut Problems) -> Option<Target> {
        let number = |text: &str| text.parse().ok().filter(|key: &i64| *key > 0);
        match self.target.as_str() {
            "instance" => {
                let key = number(&self.instance).ok_or("choose the object");
                let key = problems.take("instance", key);
                key.map(|key| Target::Instance(ObjectId(key)))
            }
            "tag" => {
                let key = problems.take("tag", number(&self.tag).ok_or("choose the tag"));
                key.map(|key| Target::Tag(TagId(key)))
            }
            _ => Some(Target::Generic),
        }
    }
}

/// Where on the page a field of the record is.
pub(super) fn place(field: &str) -> &str {
    match field {
        "owner" => "target",
        "table" => "event",
        other => other,
    }
}

pub(super) struct Around<'a> {
    pub button: &'a str,
    pub of: &'a EventType,
    pub specificity: Specificity,
    /// The event is chosen once.
    pub fixed: bool,
    pub instances: Vec<(String, String)>,
    pub tags: Vec<(String, String)>,
    pub tasks: Vec<(String, String)>,
}

pub(super) fn form(ctx: &Ctx, typed: &Typed, problems: &Problems, around: &Around<'_>) -> Markup {
    let catalog = ctx.console.inner.engine.catalog();
    let events: Vec<_> = catalog
        .events(around.of)
        .map(|(name, label)| (name.to_string(), label.to_owned()))
        .collect();
    let targets: &[(&str, &str)] = match around.specificity {
        Specificity::Generic => &[],
        Specificity::InstanceOptional => &[
            ("all", "All of them"),
            ("instance", "One object"),
            ("tag", "All that carry a tag"),
        ],
        _ => &[("instance", "One object"), ("tag", "All that carry a tag")],
    };
    html! {
        (layout::errors(problems))
        form.main method="post" novalidate {
            input type="hidden" name="csrf" value=(ctx.csrf);
            input type="hidden" name="type" value=(around.of);
            section {
                @if around.fixed { input type="hidden" name="event" value=(typed.event); }
                @else { (layout::select(problems, "event", "Event", &events, &typed.event, "What happens.", false)) }
                @if targets.is_empty() { p.quiet { "This type applies as a whole: there is neither an object nor a tag to choose." } }
                @else {
                    (layout::radios(problems, "target", "Of what", targets, &typed.target))
                    div.when.instance { (layout::picker(problems, "instance", "Object", &around.instances, &typed.instance, "")) }
                    div.when.tag { (layout::picker(problems, "tag", "Tag", &around.tags, &typed.tag, "")) }
                }
                (layout::picker(problems, "task", "Task", &around.tasks, &typed.task, "What is run then."))
                @if around.tasks.is_empty() { (note("", &html! { "There is nothing to choose from. An event runs a task: " a href=(ctx.console.at("/tasks/new")) { "New Task" } "." })) }
                (layout::check("enabled", "Enabled", "", typed.enabled))
            }
            div.submit {
                button.primary { (around.button) }
                a.button href=(ctx.console.at("/events")) { "Cancel" }
            }
        }
    }
}
