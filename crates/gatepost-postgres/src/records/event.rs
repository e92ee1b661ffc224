//! Events and their columns.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::{parse_target, target_ids};
use gatepost_storage::webhooks::EventQuery;
use gatepost_storage::{Revision, Row};
use tokio_postgres::types::ToSql;
use webhook_model::{Event, EventId, JsonObject, TaskId};

use super::revision::missing_or_stale;
use crate::column::{parse, text};
use crate::error::{Failure, Result};
use crate::list::List;
use crate::store::PostgresStore;

pub(super) const COLUMNS: &str = "id, revision, created, modified, event_type, event, instance, tag, task, enabled, filters, context FROM gatepost_event";

impl PostgresStore {
    pub(super) async fn add_event(
        &self,
        event: &Event,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>> {
        let columns = Columns::of(event);
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        self.db().routes_changed(&tx).await?;
        let stored = row(&tx
            .query_one(
                include_str!("../sql/records/insert_event.sql"),
                &columns.params(event, &now),
            )
            .await?)?;
        tx.commit().await?;
        Ok(stored)
    }

    pub(super) async fn find_event(&self, id: EventId) -> Result<Option<Row<EventId, Event>>> {
        let found = self
            .db()
            .query_opt(&format!("SELECT {COLUMNS} WHERE id = $1"), &[&id.0])
            .await?;
        found.as_ref().map(row).transpose()
    }

    pub(super) async fn some_events(&self, query: &EventQuery) -> Result<Vec<Row<EventId, Event>>> {
        let list = List::of(COLUMNS)
            .filter("task =", query.task.map(|t| t.0))
            .filter(
                "event_type =",
                query.event_type.as_ref().map(ToString::to_string),
            );
        list.page(self.db(), &query.page, |id| id.0)
            .await?
            .iter()
            .map(row)
            .collect()
    }

    pub(super) async fn change_event(
        &self,
        new: &Row<EventId, Event>,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>> {
        let columns = Columns::of(&new.value);
        let mut client = self.db().client().await?;
        let tx = client.transaction().await?;
        self.db().routes_changed(&tx).await?;
        let mut params = columns.params(&new.value, &now);
        params.extend([&new.id.0 as &(dyn ToSql + Sync), &new.revision.0]);
        let Some(stored) = tx
            .query_opt(include_str!("../sql/records/update_event.sql"), &params)
            .await?
        else {
            return Err(missing_or_stale(
                &tx,
                "SELECT FROM gatepost_event WHERE id = $1",
                new.id.0,
                "event",
            )
            .await);
        };
        let stored = row(&stored)?;
        tx.commit().await?;
        Ok(stored)
    }
}

struct Columns<'a> {
    event_type: &'a str,
    event: &'a str,
    instance: Option<i64>,
    tag: Option<i64>,
    // Bytes, not jsonb: members keep their order and numbers their digits.
    filters: Vec<u8>,
    context: Vec<u8>,
}

impl<'a> Columns<'a> {
    fn of(event: &'a Event) -> Self {
        let (instance, tag) = target_ids(event.target);
        Self {
            event_type: event.event_type.as_str(),
            event: event.event.as_str(),
            instance,
            tag,
            filters: event.filters.to_string().into_bytes(),
            context: event.context.to_string().into_bytes(),
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
        revision: Revision(row.try_get("revision")?),
        created: row.try_get("created")?,
        modified: row.try_get("modified")?,
        value: Event {
            event_type: parse(row, "event_type")?,
            event: parse(row, "event")?,
            target,
            task: TaskId(row.try_get("task")?),
            enabled: row.try_get("enabled")?,
            filters: object(row, "filters")?,
            context: object(row, "context")?,
        },
    })
}

fn object(row: &tokio_postgres::Row, column: &'static str) -> Result<JsonObject> {
    text(row, column)?
        .parse()
        .map_err(|e| Failure::corrupt(column, e))
}
