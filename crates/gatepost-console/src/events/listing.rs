//! How events are searched, filtered and sorted.

use std::borrow::Cow;
use std::collections::BTreeMap;

use gatepost_storage::Row;
use gatepost_storage::webhooks::{EventQuery, RecordHead};
use webhook_model::{Event, EventId, TaskId};

use super::labels::labels;
use crate::context::PageContext;
use crate::failure::Failure;
use crate::list_view::{Asked, Kept, ListTexts, Listing, Rank, Shape, Shown, SortBy};

/// What an event is called by: its type, itself, its user's label.
type Named = [String; 3];

/// Events, with the catalog's labels and the tasks that they run.
pub(super) struct EventList {
    pub tasks: BTreeMap<TaskId, RecordHead>,
    labels: BTreeMap<Named, (String, String)>,
}

impl EventList {
    /// The name of the task that an event runs, if the caller may see it.
    pub(super) fn task(&self, row: &Row<EventId, Event>) -> &str {
        let task = self.tasks.get(&row.value.task);
        task.and_then(|task| task.name.as_deref()).unwrap_or("")
    }

    fn labels(&self, event: &Event) -> (&str, &str) {
        let labels = self.labels.get(&key(event));
        labels.map_or(("", ""), |(of, what)| (of.as_str(), what.as_str()))
    }
}

impl Listing for EventList {
    type Row = Row<EventId, Event>;
    const SHAPE: Shape = Shape {
        limit: "events",
        texts: ListTexts {
            search: "lists-events-search",
            searched: "lists-events-searched",
            count: "lists-events-count",
            more: "lists-events-more",
            matches: "lists-events-matches",
            too_many: "lists-events-too-many",
        },
        orders: &[
            SortBy {
                name: "type",
                up: "lists-events-sort-type",
                down: "lists-events-sort-type-down",
            },
            SortBy {
                name: "event",
                up: "lists-events-sort-event",
                down: "lists-events-sort-event-down",
            },
            SortBy {
                name: "task",
                up: "lists-events-sort-task",
                down: "lists-events-sort-task-down",
            },
            SortBy {
                name: "state",
                up: "lists-events-sort-state",
                down: "lists-events-sort-state-down",
            },
        ],
        states: &[
            ("enabled", "lists-events-state-enabled"),
            ("disabled", "lists-events-state-disabled"),
        ],
        kept: &[
            Kept {
                name: "type",
                how: "lists-events-narrow-type",
                only: None,
            },
            Kept {
                name: "task",
                how: "lists-events-narrow-task",
                only: Some("lists-events-only-task"),
            },
        ],
    };

    fn number(row: &Self::Row) -> i64 {
        row.id.0
    }

    fn texts<'a>(&'a self, row: &'a Self::Row) -> Vec<Cow<'a, str>> {
        let (of, what) = self.labels(&row.value);
        vec![of.into(), what.into(), self.task(row).into()]
    }

    fn rank(&self, row: &Self::Row, order: &str) -> Rank {
        let (of, what) = self.labels(&row.value);
        match order {
            "event" => Rank::text(what),
            "task" => Rank::text(self.task(row)),
            "state" => Rank::Number(u64::from(!row.value.enabled)),
            _ => Rank::text(of),
        }
    }

    fn is_in(&self, row: &Self::Row, state: &str) -> bool {
        row.value.enabled == (state == "enabled")
    }
}

/// The page of events that was asked for, with the names that it shows.
pub(super) async fn shown(
    ctx: &PageContext,
    asked: &Asked,
) -> Result<(Shown<Row<EventId, Event>>, EventList), Failure> {
    let scope = asked.scope();
    let task = asked.kept("task").parse().ok().map(TaskId);
    let event_type = asked.kept("type").parse().ok();
    let found = asked
        .read::<EventList, _>(ctx, async |page| {
            let query = EventQuery {
                scope,
                task,
                event_type: event_type.clone(),
                page: page.numbered(EventId),
            };
            let listed = ctx.actor.events(&query).await?;
            Ok((listed.rows, listed.next.map(|id| id.0)))
        })
        .await?;
    let tasks = found.rows.iter().map(|row| row.value.task);
    let mut list = EventList {
        tasks: ctx.actor.named_tasks(tasks).await?,
        labels: BTreeMap::new(),
    };
    for row in &found.rows {
        let shown = list.labels.entry(key(&row.value));
        shown.or_insert_with(|| labels(ctx, &row.value));
    }
    Ok((asked.select(found, &list).await, list))
}

/// The types of the catalog, to choose from.
pub(super) fn types(ctx: &PageContext) -> Vec<(String, String)> {
    let types = ctx.actor.catalog().types();
    let t = ctx.texts();
    let types = types.map(|(name, label, _)| (name.to_string(), t.rule(label).into_owned()));
    let all = t.of("events-type-all").into_owned();
    std::iter::once((String::new(), all)).chain(types).collect()
}

fn key(event: &Event) -> Named {
    let (of, what) = (event.event_type.to_string(), event.event.to_string());
    [of, what, event.label.to_string()]
}
