//! The list of events.

use std::borrow::Cow;
use std::collections::BTreeMap;

use axum::response::Response;
use gatepost_storage::webhooks::{EventQuery, RecordHead};
use gatepost_storage::{Page, Row};
use maud::{Markup, html};
use webhook_model::{Event, EventId, TaskId};

use super::labels::{applies_to, labels, target};
use crate::context::PageContext;
use crate::failure::Failure;
use crate::form::Query;
use crate::layout::{badge, one_button, seen, select};
use crate::list_view::{Asked, Column, Kept, Listing, Rank, Rows, list_page};
use crate::names::{PlatformNames, types};
use crate::problems::Problems;
use crate::unreadable::Kind;

type EventRow = Row<EventId, Event>;
/// The names of an event: its type, the event, and the user's label.
type Named = [String; 3];

/// The list of events, with the catalog's labels, the tasks that they run, and the names of the
/// objects on the page.
struct EventList {
    tasks: BTreeMap<TaskId, RecordHead>,
    labels: BTreeMap<Named, (String, String)>,
    objects: PlatformNames,
}

impl EventList {
    /// Returns the name of the task that an event runs, if the caller may see it.
    fn task(&self, row: &EventRow) -> Option<&str> {
        self.tasks.get(&row.value.task)?.name.as_deref()
    }

    fn labels(&self, row: &EventRow) -> (&str, &str) {
        let labels = self.labels.get(&key(&row.value));
        labels.map_or(("", ""), |(of, what)| (of.as_str(), what.as_str()))
    }
}

/// A column of the list.
type Of = Column<EventList, EventRow>;

impl Listing for EventList {
    type Row = EventRow;
    const NAME: &'static str = "events";
    const COLUMNS: &'static [Of] = &[
        Of::new("events-state", state).sorted("state", |_, row| {
            Rank::Number(u64::from(!row.value.enabled))
        }),
        Of::new("events-type", |_, list, row| {
            html! { span { (list.labels(row).0) } }
        })
        .sorted("type", |list, row| Rank::text(list.labels(row).0))
        .desk(),
        Of::new("events-event", |ctx, list, row| {
            html! { a href=(at(ctx, row, "edit")) { (list.labels(row).1) } }
        })
        .sorted("event", |list, row| Rank::text(list.labels(row).1))
        .name(),
        Of::new("events-target", |ctx, list, row| {
            html! { span { (target(ctx, &row.value, &list.objects)) } }
        }),
        Of::new("events-task", |_, list, row| {
            html! { span { (seen(list.task(row).unwrap_or("–"))) } }
        })
        .sorted("task", |list, row| {
            Rank::text(list.task(row).unwrap_or_default())
        }),
        Of::buttons("events-actions", buttons),
    ];
    const STATES: &'static [&'static str] = &["enabled", "disabled"];
    const KEPT: &'static [Kept] = &[
        Kept {
            name: "type",
            is_field: true,
        },
        Kept {
            name: "task",
            is_field: false,
        },
    ];
    const CLASS: &'static str = "lines";
    const UNREADABLE: Option<Kind> = Some(Kind::Event);

    fn number(row: &EventRow) -> i64 {
        row.id.0
    }

    fn texts<'a>(&'a self, row: &'a EventRow) -> Vec<Cow<'a, str>> {
        let (of, what) = self.labels(row);
        vec![of.into(), what.into(), self.task(row).unwrap_or("").into()]
    }

    fn is_in(&self, row: &EventRow, state: &str) -> bool {
        row.value.enabled == (state == "enabled")
    }

    async fn read(
        ctx: &PageContext,
        asked: &Asked,
        page: Page<i64>,
    ) -> Result<Rows<EventRow>, Failure> {
        let query = EventQuery {
            scope: asked.scope(),
            task: asked.kept("task").parse().ok().map(TaskId),
            event_type: asked.kept("type").parse().ok(),
            page: page.numbered(EventId),
        };
        let listed = ctx.actor.events(&query).await?;
        Ok((listed.rows, listed.next.map(|id| id.0)))
    }

    async fn of(ctx: &PageContext, _: &Asked, rows: &[EventRow]) -> Result<Self, Failure> {
        let tasks: Vec<_> = rows.iter().map(|row| row.value.task).collect();
        let mut list = Self {
            tasks: ctx.actor.named_tasks(tasks).await?,
            labels: BTreeMap::new(),
            objects: PlatformNames::default(),
        };
        for row in rows {
            let known = list.labels.entry(key(&row.value));
            known.or_insert_with(|| labels(ctx, &row.value));
        }
        Ok(list)
    }

    async fn shown(self, ctx: &PageContext, rows: &[EventRow]) -> Result<Self, Failure> {
        let objects: Vec<_> = rows
            .iter()
            .filter_map(|row| applies_to(&row.value))
            .collect();
        Ok(Self {
            objects: PlatformNames::of(ctx, objects).await,
            ..self
        })
    }

    /// Renders the filter by a type of the catalog.
    fn fields(ctx: &PageContext, asked: &Asked) -> Markup {
        let t = ctx.texts();
        let mut types = types(ctx);
        types.insert(0, (String::new(), t.of("events-type-all").into_owned()));
        let (none, label) = (Problems::none(), t.of("events-type"));
        select(&none, "type", &label, &types, asked.kept("type"), "", false)
    }
}

pub(super) async fn show(ctx: PageContext, Query(query): Query) -> Result<Response, Failure> {
    let types =
        html! { a.button href=(ctx.at("/events/catalog")) { (ctx.texts().of("events-types")) } };
    list_page::<EventList>(&ctx, &query, &types).await
}

fn at(ctx: &PageContext, row: &EventRow, what: &str) -> String {
    ctx.at(&format!("/events/{}/{what}", row.id))
}

/// Renders whether the event runs its task: it does not if either is disabled.
fn state(ctx: &PageContext, list: &EventList, row: &EventRow) -> Markup {
    let t = ctx.texts();
    let badge = match list.tasks.get(&row.value.task) {
        _ if !row.value.enabled => badge("", &t.of("events-state-disabled")),
        Some(task) if !task.enabled => badge("warn", &t.of("events-state-task-disabled")),
        _ => badge("good", &t.of("events-state-enabled")),
    };
    html! { span { (badge) } }
}

fn buttons(ctx: &PageContext, list: &EventList, row: &EventRow) -> Markup {
    let (t, at) = (ctx.texts(), |what: &str| at(ctx, row, what));
    let (of, what) = list.labels(row);
    let target = target(ctx, &row.value, &list.objects);
    let name = [
        ("type", of.into()),
        ("event", what.into()),
        ("target", target.into()),
    ];
    let named = [("name", t.with("events-name-of", &name).into())];
    html! {
        div.actions {
            a.button.small href=(at("trigger")) aria-label=(t.with("events-trigger-of", &named)) { (t.of("events-trigger")) }
            @if row.value.enabled { (one_button(ctx, &at("do/disable"), "small", &t.of("events-disable"), Some(&t.with("events-disable-of", &named)))) }
            @else { (one_button(ctx, &at("do/enable"), "small", &t.of("events-enable"), Some(&t.with("events-enable-of", &named)))) }
            a.button.small href=(at("delete")) aria-label=(t.with("events-delete-of", &named)) { (t.of("events-delete")) }
        }
    }
}

fn key(event: &Event) -> Named {
    let (of, what) = (event.event_type.to_string(), event.event.to_string());
    [of, what, event.label.to_string()]
}
