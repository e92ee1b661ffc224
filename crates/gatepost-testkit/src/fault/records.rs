//! Records, passed on but for those that cannot be read.

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::{OwnerId, Place};
use gatepost_storage::webhooks::{
    Cascade, ChangedRoutes, EventQuery, NamedTask, RecordId, RecordStore, RecordUsage,
    RouteChanges, Routes, RoutesVersion, TaskMessage, TaskQuery, TaskRow, UnreadableRecord,
    WebhookQuery,
};
use gatepost_storage::{AtMost, Row, Scope, StoreError};
use webhook_model::{Event, EventId, EventName, EventType, Task, TaskId, Webhook, WebhookId};

use super::store::{FaultStore, Passing};
use super::traits::passed_on;

type WebhookRow = Row<WebhookId, Webhook>;
type EventRow = Row<EventId, Event>;

passed_on! { RecordStore {
    fn insert_webhook(webhook: &Webhook, at_most: AtMost, now: DateTime<Utc>) -> WebhookRow;
    fn update_webhook(row: &WebhookRow, at_most: AtMost, now: DateTime<Utc>) -> WebhookRow;
    fn delete_webhook(id: WebhookId, cascade: Cascade, now: DateTime<Utc>) -> ();
    fn insert_task(task: &Task, at_most: AtMost, now: DateTime<Utc>) -> TaskRow;
    fn update_task(row: &TaskRow, at_most: AtMost, now: DateTime<Utc>) -> TaskRow;
    fn delete_task(id: TaskId, now: DateTime<Utc>) -> ();
    fn insert_event(event: &Event, at_most: AtMost, now: DateTime<Utc>) -> EventRow;
    fn update_event(row: &EventRow, at_most: AtMost, now: DateTime<Utc>) -> EventRow;
    fn delete_event(id: EventId, now: DateTime<Utc>) -> ();
    fn owner_of(record: RecordId) -> Option<OwnerId>;
    fn record_usage(owner: OwnerId) -> RecordUsage;
    fn routes_versions(places: &[Place]) -> Vec<RoutesVersion>;
}
    async fn webhook(&self, id: WebhookId) -> Result<Option<WebhookRow>, StoreError> {
        let read = async {
            let mut row = self.if_readable(RecordId::Webhook(id), self.inner.webhook(id).await?)?;
            row.iter_mut().for_each(|row| self.altered(Passing::Webhook(row)));
            Ok(row)
        };
        self.call("webhook", read).await
    }

    async fn webhooks(&self, ids: &[WebhookId]) -> Result<Vec<WebhookRow>, StoreError> {
        let read = async {
            let mut rows = self.inner.webhooks(ids).await?;
            rows.retain(|row| self.can_read(RecordId::Webhook(row.id)));
            rows.iter_mut().for_each(|row| self.altered(Passing::Webhook(row)));
            Ok(rows)
        };
        self.call("webhooks", read).await
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Result<Vec<WebhookRow>, StoreError> {
        let read = async {
            let longer = WebhookQuery { page: self.longer(query.page), ..query.clone() };
            let rows = self.inner.list_webhooks(&longer).await?;
            Ok(self.whole_page(rows, query.page.limit, |row| RecordId::Webhook(row.id)))
        };
        self.call("list_webhooks", read).await
    }

    async fn named_tasks(&self, ids: &[TaskId]) -> Result<Vec<NamedTask>, StoreError> {
        let read = async {
            let mut named = self.inner.named_tasks(ids).await?;
            named.retain(|task| self.can_read(RecordId::Task(task.id)));
            Ok(named)
        };
        self.call("named_tasks", read).await
    }

    async fn task(&self, id: TaskId) -> Result<Option<TaskRow>, StoreError> {
        let read = async { self.if_readable(RecordId::Task(id), self.inner.task(id).await?) };
        self.call("task", read).await
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>, StoreError> {
        let read = async {
            let longer = TaskQuery { page: self.longer(query.page), ..query.clone() };
            let rows = self.inner.list_tasks(&longer).await?;
            let rows = self.whole_page(rows, query.page.limit, |row| RecordId::Task(row.id));
            Ok(query.page.bodies.page_of(&rows))
        };
        self.call("list_tasks", read).await
    }

    async fn event(&self, id: EventId) -> Result<Option<EventRow>, StoreError> {
        let read = async { self.if_readable(RecordId::Event(id), self.inner.event(id).await?) };
        self.call("event", read).await
    }

    async fn list_events(&self, query: &EventQuery) -> Result<Vec<EventRow>, StoreError> {
        let read = async {
            let longer = EventQuery { page: self.longer(query.page), ..query.clone() };
            let rows = self.inner.list_events(&longer).await?;
            let rows = self.whole_page(rows, query.page.limit, |row| RecordId::Event(row.id));
            Ok(query.page.bodies.page_of(&rows))
        };
        self.call("list_events", read).await
    }

    async fn unreadable(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>, StoreError> {
        self.call("unreadable", self.unreadable_records(scope, limit)).await
    }

    async fn routes(&self, place: Place, at_most: u32) -> Result<Option<Routes>, StoreError> {
        let read = async {
            let routes = self.inner.routes(place, at_most).await?;
            Ok(routes.map(|routes| self.readable_routes(routes)))
        };
        self.call("routes", read).await
    }

    async fn routes_of(
        &self,
        place: Place,
        event_type: &EventType,
        event: &EventName,
    ) -> Result<Routes, StoreError> {
        let read = async {
            let routes = self.inner.routes_of(place, event_type, event).await?;
            Ok(self.readable_routes(routes))
        };
        self.call("routes_of", read).await
    }

    async fn route_changes(
        &self,
        place: Place,
        since: RoutesVersion,
    ) -> Result<RouteChanges, StoreError> {
        let read = async {
            let mut changes = self.inner.route_changes(place, since).await?;
            if let ChangedRoutes::These(delta) = &mut changes.changed {
                self.take_unreadable(delta);
            }
            Ok(changes)
        };
        self.call("route_changes", read).await
    }

    async fn messages(&self, tasks: &[TaskId]) -> Result<Vec<TaskMessage>, StoreError> {
        let read = async {
            let mut messages = self.inner.messages(tasks).await?;
            messages.retain(|message| self.can_read(RecordId::Task(message.id)));
            Ok(messages)
        };
        self.call("messages", read).await
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
