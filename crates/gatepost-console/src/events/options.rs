//! The options in the form of an event: from the catalog and the directory, restricted to those
//! that the owner of the event may receive.

use webhook_model::{
    Event, EventName, EventType, ObjectId, OwnerId, Specificity, TagId, Target, TaskId,
};

use crate::choices::choices;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::{Choices, Form};

/// The owner of an event, and the event as far as the form defines it.
#[derive(Debug)]
pub(super) struct Subject {
    owner: OwnerId,
    of: EventType,
    event: Option<EventName>,
}

impl Subject {
    /// Makes the subject of a stored event.
    pub(super) fn stored(owner: OwnerId, event: &Event) -> Self {
        Self {
            owner,
            of: event.event_type.clone(),
            event: Some(event.event.clone()),
        }
    }

    /// Makes the subject of a new event, which belongs to the owner of its task, or to the caller
    /// until a task is chosen.
    pub(super) async fn new(ctx: &PageContext, of: &EventType, form: &Form) -> Self {
        let owner = match form.word("task").parse() {
            Ok(task) => ctx.actor.task(TaskId(task)).await.ok(),
            Err(_) => None,
        };
        let owner = owner.map_or(ctx.principal().owner, |task| task.owner);
        Self::owned(ctx, owner, of, form)
    }

    /// Makes the subject of a new event of this owner.
    pub(super) fn owned(ctx: &PageContext, owner: OwnerId, of: &EventType, form: &Form) -> Self {
        let first = ctx.actor.catalog().events(of).next();
        let chosen = form.word("event").parse().ok();
        Self {
            owner,
            of: of.clone(),
            event: chosen.or_else(|| first.map(|(name, _)| name.clone())),
        }
    }

    /// Returns those of these targets that the owner may receive.
    async fn watchable(
        &self,
        ctx: &PageContext,
        targets: Vec<Target>,
    ) -> Result<Vec<Target>, Failure> {
        let Some(event) = self.event.clone() else {
            return Ok(targets);
        };
        let of = |target| Event::new(self.of.clone(), event.clone(), target, TaskId(0));
        let events = targets.into_iter().map(of).collect();
        let watchable = ctx.actor.watchable(self.owner, events).await?;
        Ok(watchable.into_iter().map(|event| event.target).collect())
    }

    /// Returns those of the platform's rows that the owner may receive.
    async fn offered(
        &self,
        ctx: &PageContext,
        form: &Form,
        [field, table]: [&str; 2],
        target: fn(ObjectId) -> Option<Target>,
    ) -> Result<Choices, Failure> {
        let mut choices = choices(ctx, form, field, table).await?;
        let of = |(key, _): &(String, String)| target(key.parse().ok()?);
        let targets = choices.rows.iter().filter_map(of).collect();
        let watchable = self.watchable(ctx, targets).await?;
        let may = |row: &(String, String)| of(row).is_some_and(|t| watchable.contains(&t));
        choices.rows.retain(may);
        Ok(choices)
    }
}

/// Returns the types of which an event may be created: one without objects only if the caller may
/// receive it.
pub(crate) async fn offered_types(ctx: &PageContext) -> Result<Vec<(String, String)>, Failure> {
    let catalog = ctx.actor.catalog();
    let is_generic = |specificity| specificity == Specificity::Generic;
    let generic = catalog.types().filter(|(_, _, is)| is_generic(*is));
    let first =
        generic.filter_map(|(of, ..)| catalog.events(of).next().map(|(event, _)| (of, event)));
    let first = first.map(|(of, event)| without_object(of.clone(), event.clone()));
    let offered = ctx.actor.watchable(ctx.principal().owner, first.collect());
    let offered = offered.await?;
    let may = |of: &EventType| offered.iter().any(|event| event.event_type == *of);
    let types = catalog
        .types()
        .filter(|(of, _, is)| !is_generic(*is) || may(of));
    let named = |(of, label, _): (&EventType, &str, _)| {
        (of.to_string(), ctx.texts().rule(label).into_owned())
    };
    Ok(types.map(named).collect())
}

/// Returns an event without an object, for a task that is not chosen yet.
pub(super) fn without_object(of: EventType, event: EventName) -> Event {
    Event::new(of, event, Target::Generic, TaskId(0))
}

/// The options of a form.
#[derive(Debug)]
pub(super) struct Offered {
    /// The kinds of targets of the type; empty if it only applies to the platform as a whole.
    pub targets: &'static [&'static str],
    pub instances: Choices,
    pub tags: Choices,
    pub tasks: Choices,
}

impl Offered {
    pub(super) async fn of(
        ctx: &PageContext,
        form: &Form,
        subject: &Subject,
        specificity: Specificity,
    ) -> Result<Self, Failure> {
        let objects = ["instance", subject.of.as_str()];
        let all = subject.watchable(ctx, vec![Target::Generic]).await?;
        let instance = |id| Some(Target::Instance(id));
        let tag = |id: ObjectId| id.as_number().map(|id| Target::Tag(TagId(id)));
        Ok(Self {
            targets: match specificity {
                Specificity::Generic => &[],
                Specificity::InstanceOptional if !all.is_empty() => &["all", "instance", "tag"],
                _ => &["instance", "tag"],
            },
            instances: subject.offered(ctx, form, objects, instance).await?,
            tags: subject.offered(ctx, form, ["tag", "tags"], tag).await?,
            tasks: choices(ctx, form, "task", "tasks").await?,
        })
    }
}
