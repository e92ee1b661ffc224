//! What the form of an event offers: by the catalog and the directory, and of that what the owner
//! of the event may watch.

use webhook_model::{
    Event, EventName, EventType, ObjectId, OwnerId, Specificity, TagId, Target, TaskId,
};

use crate::choices::{choices, task_choices};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Form;

/// What an event is to watch, as far as it is known: whose it is, and the event itself.
#[derive(Debug)]
pub(super) struct Subject {
    owner: OwnerId,
    of: EventType,
    event: Option<EventName>,
}

impl Subject {
    /// Of an event that is there.
    pub(super) fn stored(owner: OwnerId, event: &Event) -> Self {
        Self {
            owner,
            of: event.event_type.clone(),
            event: Some(event.event.clone()),
        }
    }

    /// A new event: it belongs to the owner of its task, or for now to the caller.
    pub(super) async fn new(ctx: &PageContext, of: &EventType, form: &Form) -> Self {
        let owner = match form.word("task").parse() {
            Ok(task) => ctx.actor.task(TaskId(task)).await.ok(),
            Err(_) => None,
        };
        let owner = owner.map_or(ctx.principal().owner, |task| task.owner);
        Self::owned(ctx, owner, of, form)
    }

    /// A new event of this owner.
    pub(super) fn owned(ctx: &PageContext, owner: OwnerId, of: &EventType, form: &Form) -> Self {
        let first = ctx.actor.catalog().events(of).next();
        let chosen = form.word("event").parse().ok();
        Self {
            owner,
            of: of.clone(),
            event: chosen.or_else(|| first.map(|(name, _)| name.clone())),
        }
    }

    /// Those of these targets that may be watched.
    async fn watchable(
        &self,
        ctx: &PageContext,
        targets: Vec<Target>,
    ) -> Result<Vec<Target>, Failure> {
        let Some(event) = self.event.clone() else {
            return Ok(targets);
        };
        let watchable = ctx
            .actor
            .watchable(self.owner, self.of.clone(), event, targets);
        Ok(watchable.await?)
    }

    /// Those of the platform's rows that may be watched.
    async fn offered(
        &self,
        ctx: &PageContext,
        table: &str,
        target: fn(ObjectId) -> Option<Target>,
    ) -> Result<Vec<(String, String)>, Failure> {
        let rows = choices(ctx, table).await;
        let of = |(key, _): &(String, String)| target(key.parse().ok()?);
        let watchable = self.watchable(ctx, rows.iter().filter_map(of).collect());
        let watchable = watchable.await?;
        let may = |row: &(String, String)| of(row).is_some_and(|t| watchable.contains(&t));
        Ok(rows.into_iter().filter(may).collect())
    }
}

/// The types of which an event may be made: one without objects only if it may be watched.
pub(crate) async fn offered_types(ctx: &PageContext) -> Result<Vec<(String, String)>, Failure> {
    let mut offered = Vec::new();
    for (of, label, specificity) in ctx.actor.catalog().types() {
        let subject = Subject::new(ctx, of, &Form::default()).await;
        let may = specificity != Specificity::Generic
            || !subject
                .watchable(ctx, vec![Target::Generic])
                .await?
                .is_empty();
        if may {
            let label = ctx.texts().rule(label).into_owned();
            offered.push((of.to_string(), label));
        }
    }
    Ok(offered)
}

/// What a form offers.
#[derive(Debug)]
pub(super) struct Offered {
    /// What an event of the type applies to; empty if only to the platform as a whole.
    pub targets: &'static [&'static str],
    pub instances: Vec<(String, String)>,
    pub tags: Vec<(String, String)>,
    pub tasks: Vec<(String, String)>,
}

impl Offered {
    pub(super) async fn of(
        ctx: &PageContext,
        subject: &Subject,
        specificity: Specificity,
    ) -> Result<Self, Failure> {
        let all = subject.watchable(ctx, vec![Target::Generic]).await?;
        let instance = |id| Some(Target::Instance(id));
        let tag = |id: ObjectId| id.as_number().map(|id| Target::Tag(TagId(id)));
        Ok(Self {
            targets: match specificity {
                Specificity::Generic => &[],
                Specificity::InstanceOptional if !all.is_empty() => &["all", "instance", "tag"],
                _ => &["instance", "tag"],
            },
            instances: subject.offered(ctx, subject.of.as_str(), instance).await?,
            tags: subject.offered(ctx, "tags", tag).await?,
            tasks: task_choices(ctx).await?,
        })
    }
}
