//! Calls about records, passed on except for records that cannot be read.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::{
    Cascade, EventQuery, Found, InsertedRecords, NewRecords, RecordHead, RecordId, RecordQuery,
    RecordRow, RecordStore, RouteChanges, Routes, RoutesVersion, TaskQuery, UnreadableRecord,
    WebhookQuery,
};
use gatepost_storage::{Scope, StoreError};
use webhook_model::{EventName, EventType};

use super::store::{FaultStore, Passing};
use super::traits::passed_on;

passed_on! { RecordStore {
    fn routes_versions(places: &[Realm]) -> Vec<RoutesVersion>;
}
    /// Counted and failed under the names `insert_webhook` and so on.
    async fn insert_records(
        &self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<InsertedRecords, StoreError> {
        let name = match (&records.webhook, &records.task) {
            (Some(_), _) => "insert_webhook",
            (None, Some(_)) => "insert_task",
            (None, None) => "insert_event",
        };
        self.call(name, self.inner.insert_records(records, at_most, now)).await
    }

    /// Named `webhook` and so on for one record, and `webhooks` for several.
    async fn get_records(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordRow>>, StoreError> {
        let name = match ids {
            [RecordId::Webhook(_)] => "webhook",
            [RecordId::Task(_)] => "task",
            [RecordId::Event(_)] => "event",
            [RecordId::Task(_), ..] => "tasks",
            [RecordId::Event(_), ..] => "events",
            _ => "webhooks",
        };
        let read = async {
            let found = self.inner.get_records(ids).await?.into_iter();
            Ok(found.zip(ids).map(|(found, id)| self.as_read(*id, found)).collect())
        };
        self.call(name, read).await
    }

    async fn record_heads(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordHead>>, StoreError> {
        let read = async {
            let mut heads = self.inner.record_heads(ids).await?;
            for head in heads.iter_mut().filter_map(|found| found.as_mut().ok()?.as_mut()) {
                head.name = head.name.take().filter(|_| self.can_read(head.record));
            }
            Ok(heads)
        };
        self.call("record_heads", read).await
    }

    /// Named `list_webhooks` and so on.
    async fn list_records(&self, query: &RecordQuery) -> Result<Vec<RecordRow>, StoreError> {
        let (name, longer, limit) = match query.clone() {
            RecordQuery::Webhooks(query) => {
                let longer = WebhookQuery { page: self.longer(query.page), ..query };
                ("list_webhooks", longer.into(), query.page.limit)
            }
            RecordQuery::Tasks(query) => {
                let longer = TaskQuery { page: self.longer(query.page), ..query };
                ("list_tasks", longer.into(), query.page.limit)
            }
            RecordQuery::Events(query) => {
                let longer = EventQuery { page: self.longer(query.page), ..query };
                ("list_events", longer.into(), query.page.limit)
            }
        };
        let read = async {
            let rows = self.inner.list_records(&longer).await?;
            let rows = self.whole_page(rows, limit);
            Ok(match query {
                RecordQuery::Webhooks(_) => rows,
                RecordQuery::Tasks(query) => query.page.bodies.page_of(&rows),
                RecordQuery::Events(query) => query.page.bodies.page_of(&rows),
            })
        };
        self.call(name, read).await
    }

    /// Named `update_webhook` and so on.
    async fn update_record(
        &self,
        row: RecordRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<RecordRow, StoreError> {
        let name = match row {
            RecordRow::Webhook(_) => "update_webhook",
            RecordRow::Task(_) => "update_task",
            RecordRow::Event(_) => "update_event",
        };
        let updated = self.call(name, self.inner.update_record(row, at_most, now)).await?;
        self.altered(Passing::Updated(&updated));
        Ok(updated)
    }

    /// Named `delete_webhook` and so on.
    async fn delete_record(
        &self,
        id: RecordId,
        cascade: Cascade,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let name = match id {
            RecordId::Webhook(_) => "delete_webhook",
            RecordId::Task(_) => "delete_task",
            RecordId::Event(_) => "delete_event",
        };
        self.call(name, self.inner.delete_record(id, cascade, now)).await
    }

    async fn unreadable(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>, StoreError> {
        self.call("unreadable", self.unreadable_records(scope, limit)).await
    }

    /// Named `routes_of` if it is about one event.
    async fn read_routes(
        &self,
        place: Realm,
        only: Option<(&EventType, &EventName)>,
        at_most: u32,
    ) -> Result<Option<Routes>, StoreError> {
        let name = if only.is_some() { "routes_of" } else { "routes" };
        let read = async {
            let routes = self.inner.read_routes(place, only, at_most).await?;
            Ok(routes.map(|routes| self.readable_routes(routes)))
        };
        self.call(name, read).await
    }

    async fn route_changes(
        &self,
        place: Realm,
        since: RoutesVersion,
    ) -> Result<Option<RouteChanges>, StoreError> {
        let read = async {
            let mut changes = self.inner.route_changes(place, since).await?;
            if let Some(changes) = &mut changes {
                self.take_unreadable(changes);
            }
            Ok(changes)
        };
        self.call("route_changes", read).await
    }

    async fn server_time(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        let clock = self.with(|state| state.server_clock.clone());
        let told = clock.map(|clock| clock.now());
        let asked = async {
            match told {
                None => self.inner.server_time().await,
                told => Ok(told),
            }
        };
        self.call("server_time", asked).await
    }
}
