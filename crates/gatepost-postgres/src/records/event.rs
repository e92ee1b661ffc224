//! Events and their columns.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::{parse_target, target_ids};
use gatepost_storage::webhooks::EventQuery;
use gatepost_storage::{AtMost, Revision, Row};
use tokio_postgres::types::ToSql;
use webhook_model::{Event, EventId, EventLabel, Filter, JsonObject, TaskId};

use super::scope::scoped;
use super::statement::change;
use crate::change::{Alone, Words, most};
use crate::column::{owner, parse, text};
use crate::error::{Failure, Result};
use crate::list::Body;
use crate::store::PostgresStore;

/// What is read of an event that is there.
pub(super) const SELECT: &str = "r.id, r.owner, r.revision, r.created, r.modified, r.event_type, r.event, r.instance, r.tag, r.task, \
     r.enabled, r.filters, r.context, r.label \
     FROM :schema.gatepost_event r JOIN :schema.gatepost_task t ON t.id = r.task JOIN :schema.gatepost_webhook w ON w.id = t.webhook \
     JOIN :schema.gatepost_owner o ON o.owner = r.owner AND NOT o.gone WHERE NOT w.gone";

const BODIES: [Body; 2] = [
    Body {
        column: "filters",
        empty: "{}",
    },
    Body {
        column: "context",
        empty: "{}",
    },
];
const INSERT: &str = change!("insert_event");
const UPDATE: &str = change!("update_event");
const DELETE: &str = change!("delete_event");
const WORDS: Words = Words {
    what: "event",
    taken: "event",
    reference: "the event's task does not exist",
};

impl PostgresStore {
    pub(super) async fn add_event(
        &self,
        event: &Event,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>> {
        let columns = Columns::of(event);
        let (rows, bytes) = (most(at_most.rows), most(at_most.bytes));
        let size = most(event.stored_bytes());
        let mut params = columns.params(event, &now);
        params.extend([&size as &(dyn ToSql + Sync), &rows, &bytes, &columns.label]);
        let alone = Alone {
            tasks: vec![event.task.0],
            ..Alone::default()
        };
        let (verdict, stored) = self.db().change(&alone, None, (INSERT, &params)).await?;
        WORDS.check(&verdict)?;
        row(&stored)
    }

    pub(super) async fn find_event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>> {
        let found = self
            .db()
            .query_opt(&format!("SELECT {SELECT} AND r.id = $1"), &[&id.0])
            .await?;
        found.as_ref().map(row).transpose()
    }

    pub(super) async fn some_events(&self, query: &EventQuery) -> Result<Vec<Row<EventId, Event>>> {
        let event_type = query.event_type.as_ref().map(ToString::to_string);
        let list = scoped(SELECT, query.scope)
            .bodies(&BODIES)
            .filter("r.task =", query.task.map(|t| t.0))
            .filter("r.event_type =", event_type);
        list.readable(self.db(), &query.page, |id| id.0, row).await
    }

    pub(super) async fn change_event(
        &self,
        new: &Row<EventId, Event>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>> {
        let columns = Columns::of(&new.value);
        let (size, bytes) = (most(new.value.stored_bytes()), most(at_most.bytes));
        let mut params = columns.params(&new.value, &now);
        params.extend([
            &size as &(dyn ToSql + Sync),
            &bytes,
            &new.id.0,
            &new.revision.0,
            &columns.label,
        ]);
        let alone = Alone {
            tasks: vec![new.value.task.0],
            events: vec![new.id.0],
            ..Alone::default()
        };
        let (verdict, stored) = self.db().change(&alone, None, (UPDATE, &params)).await?;
        WORDS.check(&verdict)?;
        row(&stored)
    }

    pub(super) async fn remove_event(&self, id: EventId) -> Result<()> {
        let alone = Alone {
            events: vec![id.0],
            ..Alone::default()
        };
        let (verdict, _) = self.db().change(&alone, None, (DELETE, &[&id.0])).await?;
        WORDS.check(&verdict)
    }
}

struct Columns<'a> {
    event_type: &'a str,
    event: &'a str,
    instance: Option<String>,
    tag: Option<i64>,
    // Bytes, not jsonb: members keep their order and numbers their digits.
    filters: Vec<u8>,
    context: Vec<u8>,
    label: &'a str,
}

impl<'a> Columns<'a> {
    fn of(event: &'a Event) -> Self {
        let (instance, tag) = target_ids(event.target);
        Self {
            event_type: event.event_type.as_str(),
            event: event.event.as_str(),
            instance: instance.map(|id| id.to_string()),
            tag,
            filters: event.filters.to_string().into_bytes(),
            context: event.context.to_string().into_bytes(),
            label: event.label.as_str(),
        }
    }

    fn params(&'a self, event: &'a Event, now: &'a DateTime<Utc>) -> Vec<&'a (dyn ToSql + Sync)> {
        vec![
            now,
            &self.event_type,
            &self.event,
            &self.instance,
            &self.tag,
            &event.task.0,
            &event.enabled,
            &self.filters,
            &self.context,
        ]
    }
}

pub(super) fn row(row: &tokio_postgres::Row) -> Result<Row<EventId, Event>> {
    let target = parse_target(row.try_get("instance")?, row.try_get("tag")?)?;
    Ok(Row {
        id: EventId(row.try_get("id")?),
        owner: owner(row, "owner")?,
        revision: Revision(row.try_get("revision")?),
        created: row.try_get("created")?,
        modified: row.try_get("modified")?,
        value: Event {
            event_type: parse(row, "event_type")?,
            event: parse(row, "event")?,
            target,
            task: TaskId(row.try_get("task")?),
            enabled: row.try_get("enabled")?,
            filters: filter(row)?,
            context: object(row, "context")?,
            label: label(row)?,
        },
    })
}

/// Which occurrences an event is for.
pub(super) fn filter(row: &tokio_postgres::Row) -> Result<Filter> {
    Filter::stored(text(row, "filters")?).map_err(|e| Failure::corrupt("filters", e))
}

fn label(row: &tokio_postgres::Row) -> Result<EventLabel> {
    EventLabel::stored(row.try_get("label")?).map_err(|e| Failure::corrupt("label", e))
}

fn object(row: &tokio_postgres::Row, column: &'static str) -> Result<JsonObject> {
    text(row, column)?
        .parse()
        .map_err(|e| Failure::corrupt(column, e))
}
