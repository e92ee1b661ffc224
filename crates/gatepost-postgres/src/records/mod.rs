//! Webhooks, tasks and events.

mod edit;
mod insert;
mod ordering;
mod reseal;
mod routes;
pub(crate) mod table;
mod unreadable;

use std::collections::HashMap;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::{
    Cascade, EventQuery, Found, InsertedRecords, NewRecords, RecordHead, RecordId, RecordQuery,
    RecordRow, RecordStore, RouteChanges, Routes, RoutesVersion, TaskQuery, UnreadableRecord,
    WebhookQuery,
};
use gatepost_storage::{Page, Row, Scope};
use uuid::Uuid;
use webhook_model::{Event, EventName, EventType, Task, Webhook};

use self::table::{Stored, columns_of, listed};
use crate::column::owner;
use crate::error::{Answer, Failure, Result};
use crate::list::List;
use crate::store::PostgresStore;

#[async_trait]
impl RecordStore for PostgresStore {
    async fn insert_records(
        &self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Answer<InsertedRecords> {
        let added = self.add(records, at_most, now).await;
        added.map_err(Failure::of_insertion)
    }

    async fn get_records(&self, ids: &[RecordId]) -> Answer<Vec<Found<RecordRow>>> {
        let numbers = Numbers::of(ids);
        let mut found = self.rows_of::<Webhook>(&numbers.webhooks).await?;
        found.extend(self.rows_of::<Task>(&numbers.tasks).await?);
        found.extend(self.rows_of::<Event>(&numbers.events).await?);
        Ok(in_order(ids, &found))
    }

    async fn record_heads(&self, ids: &[RecordId]) -> Answer<Vec<Found<RecordHead>>> {
        let numbers = Numbers::of(ids);
        let mut found = self.heads_of::<Webhook>(&numbers.webhooks).await?;
        found.extend(self.heads_of::<Task>(&numbers.tasks).await?);
        found.extend(self.heads_of::<Event>(&numbers.events).await?);
        Ok(in_order(ids, &found))
    }

    async fn list_records(&self, query: &RecordQuery) -> Answer<Vec<RecordRow>> {
        Ok(match query {
            RecordQuery::Webhooks(WebhookQuery { scope, name, page }) => {
                let list = listed::<Webhook>(*scope).filter("r.name =", name.clone());
                self.page_of::<Webhook>(list, page).await?
            }
            RecordQuery::Tasks(query) => {
                let TaskQuery {
                    scope,
                    creator,
                    webhook,
                    name,
                    page,
                } = query;
                let list = listed::<Task>(*scope)
                    .filter("r.creator =", creator.map(Uuid::from))
                    .filter("r.webhook =", webhook.map(|w| w.0))
                    .filter("r.name =", name.clone());
                self.page_of::<Task>(list, page).await?
            }
            RecordQuery::Events(query) => {
                let EventQuery {
                    scope,
                    task,
                    event_type,
                    page,
                } = query;
                let list = listed::<Event>(*scope)
                    .filter("r.task =", task.map(|t| t.0))
                    .filter(
                        "r.event_type =",
                        event_type.as_ref().map(ToString::to_string),
                    );
                self.page_of::<Event>(list, page).await?
            }
        })
    }

    async fn update_record(
        &self,
        row: RecordRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Answer<RecordRow> {
        Ok(match row {
            RecordRow::Webhook(row) => self.change_webhook(&row, at_most, now).await?.into(),
            RecordRow::Task(row) => self.change_task(&row, at_most, now).await?.into(),
            RecordRow::Event(row) => self.change_event(&row, at_most, now).await?.into(),
        })
    }

    async fn delete_record(
        &self,
        id: RecordId,
        cascade: Cascade,
        _now: DateTime<Utc>,
    ) -> Answer<()> {
        Ok(self.remove(id, cascade).await?)
    }

    async fn unreadable(&self, scope: Scope, limit: u32) -> Answer<Vec<UnreadableRecord>> {
        Ok(self.unreadable_records(scope, limit).await?)
    }

    async fn read_routes(
        &self,
        place: Realm,
        only: Option<(&EventType, &EventName)>,
        at_most: u32,
    ) -> Answer<Option<Routes>> {
        Ok(self.matched(place, only, at_most).await?)
    }

    async fn routes_versions(&self, places: &[Realm]) -> Answer<Vec<RoutesVersion>> {
        Ok(self.versions(places).await?)
    }

    async fn route_changes(
        &self,
        place: Realm,
        since: RoutesVersion,
    ) -> Answer<Option<RouteChanges>> {
        Ok(self.changed_routes(place, since).await?)
    }

    async fn server_time(&self) -> Answer<Option<DateTime<Utc>>> {
        let row = self.db().row("SELECT clock_timestamp()", &[]).await?;
        Ok(row.try_get(0).map(Some).map_err(Failure::from)?)
    }
}

/// Records by their kind.
#[derive(Default)]
struct Numbers {
    webhooks: Vec<i64>,
    tasks: Vec<i64>,
    events: Vec<i64>,
}

impl Numbers {
    fn of(ids: &[RecordId]) -> Self {
        let mut numbers = Self::default();
        for id in ids {
            match id {
                RecordId::Webhook(id) => numbers.webhooks.push(id.0),
                RecordId::Task(id) => numbers.tasks.push(id.0),
                RecordId::Event(id) => numbers.events.push(id.0),
            }
        }
        numbers
    }
}

impl PostgresStore {
    async fn rows_of<R>(&self, ids: &[i64]) -> Result<HashMap<RecordId, Result<RecordRow>>>
    where
        R: Stored<Id: Into<RecordId>>,
        Row<R::Id, R>: Into<RecordRow>,
    {
        let rows = self.find_all::<R>(&columns_of::<R>("r"), ids).await?;
        let read = |row: &tokio_postgres::Row| {
            let id = R::Id::from(row.try_get("id")?).into();
            let read = table::row::<R>(row, self.sealing());
            Ok((id, read.map(Into::into)))
        };
        rows.iter().map(read).collect()
    }

    async fn heads_of<R>(&self, ids: &[i64]) -> Result<HashMap<RecordId, Result<RecordHead>>>
    where
        R: Stored<Id: Into<RecordId>>,
    {
        let columns = format!("r.id, r.owner, {}", R::HEAD);
        let rows = self.find_all::<R>(&columns, ids).await?;
        let read = |row: &tokio_postgres::Row| {
            let record = R::Id::from(row.try_get("id")?).into();
            let enabled = row.try_get("enabled")?;
            let name = row.try_get("name")?;
            let head = owner(row, "owner").map(|owner| RecordHead {
                record,
                owner,
                name,
                enabled,
            });
            Ok((record, head))
        };
        rows.iter().map(read).collect()
    }

    async fn page_of<R>(&self, list: List, page: &Page<R::Id>) -> Result<Vec<RecordRow>>
    where
        R: Stored,
        Row<R::Id, R>: Into<RecordRow>,
    {
        let read = |row: &_| Ok(table::row::<R>(row, self.sealing())?.into());
        list.readable(self.db(), page, Into::into, read).await
    }
}

/// Returns the found rows in the order of the request.
fn in_order<T: Clone>(ids: &[RecordId], found: &HashMap<RecordId, Result<T>>) -> Vec<Found<T>> {
    let one = |id| match found.get(id) {
        None => Ok(None),
        Some(Ok(row)) => Ok(Some(row.clone())),
        Some(Err(failure)) => Err(failure.clone().into()),
    };
    ids.iter().map(one).collect()
}
