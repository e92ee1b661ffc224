//! Faults of a store of records.

use chrono::{DateTime, SubsecRound, Utc};
use gatepost_ids::{OwnerId, Realm};
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::{
    Cascade, EventQuery, Found, InsertedRecords, NewRecords, RecordHead, RecordId, RecordQuery,
    RecordRow, RecordStore, RouteChanges, Routes, RoutesVersion, TaskQuery, TaskRow,
    UnreadableRecord, WebhookQuery,
};
use gatepost_storage::{AtMost, Bodies, ErrorKind, Revision, Row, Scope, StoreError};
use webhook_model::{
    Action, Authorization, DeliveryOrder, Event, EventId, EventName, EventType, Task, TaskId,
    Webhook, WebhookId,
};

use super::mutant::{Mutant, Result, passed_on};

impl Mutant {
    fn time(&self, now: DateTime<Utc>) -> DateTime<Utc> {
        if self.is(&["r02"]) {
            now.trunc_subsecs(3)
        } else {
            now
        }
    }

    fn at_most(&self, at_most: AtMost) -> AtMost {
        match self.fault() {
            "r28" => AtMost {
                rows: u64::MAX,
                ..at_most
            },
            "r29" => AtMost {
                bytes: u64::MAX,
                ..at_most
            },
            _ => at_most,
        }
    }

    /// Returns the scope to list if a filter or a tenant is given.
    fn scope(&self, scope: Scope, filtered: bool) -> Scope {
        match scope {
            Scope::Tenant(_) if self.is(&["r31"]) => Scope::All,
            _ if self.is(&["r32"]) && filtered => Scope::All,
            scope => scope,
        }
    }
}

fn row<I, T>(id: I, value: T, now: DateTime<Utc>) -> Row<I, T> {
    Row {
        id,
        owner: OwnerId(1),
        revision: Revision::FIRST,
        created: now,
        modified: now,
        value,
    }
}

passed_on! { RecordStore {
    fn get_records(ids: &[RecordId]) -> Vec<Found<RecordRow>>;
    fn list_records(query: &RecordQuery) -> Vec<RecordRow>;
    fn update_record(row: RecordRow, at_most: u64, now: DateTime<Utc>) -> RecordRow;
    fn delete_record(id: RecordId, cascade: Cascade, now: DateTime<Utc>) -> ();
    fn server_time() -> Option<DateTime<Utc>>;
}
    async fn insert_records(
        &self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<InsertedRecords> {
        if !self.is(&["r44"]) {
            return self.inner.insert_records(records, at_most, now).await;
        }
        // Inserts one after another.
        let mut inserted = InsertedRecords::default();
        if let Some(webhook) = records.webhook {
            inserted = self.inner.insert_records(webhook.into(), at_most, now).await?;
        }
        if let Some(task) = records.task {
            let task = inserted.linked_task(task);
            inserted.task = self.inner.insert_records(task.into(), at_most, now).await?.task;
        }
        for event in records.events {
            let event = inserted.linked_event(event);
            let stored = self.inner.insert_records(event.into(), at_most, now).await?;
            inserted.events.extend(stored.events);
        }
        Ok(inserted)
    }

    async fn insert_webhook(
        &self,
        webhook: &Webhook,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let mut webhook = webhook.clone();
        if self.is(&["r01"]) {
            webhook.headers = webhook.headers.moved(1, 0);
        }
        if self.is(&["order"]) {
            webhook.order = DeliveryOrder::default();
        }
        if let (true, Authorization::OAuth2(client)) =
            (self.is(&["r01-scope"]), &mut webhook.authorization)
        {
            **client = client.as_ref().clone().with_scope("").unwrap();
        }
        if self.is(&["r01-identity"]) {
            webhook.client_identity = None;
        }
        let at_most = self.at_most(at_most);
        let answer = self.inner.insert_webhook(&webhook, at_most, self.time(now)).await;
        match answer {
            Err(_) if self.is(&["r03"]) => Ok(row(WebhookId(1), webhook, now)),
            Err(e) if self.is(&["r21"]) => Err(e.with_source("key: canary-bearer-8d1f")),
            answer => answer,
        }
    }

    async fn webhooks(&self, ids: &[WebhookId]) -> Result<Vec<Row<WebhookId, Webhook>>> {
        let mut rows = self.inner.webhooks(ids).await?;
        if self.is(&["r25"]) {
            rows.reverse();
        }
        Ok(rows)
    }

    async fn record_heads(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordHead>>> {
        let mut heads = self.inner.record_heads(ids).await?;
        if self.is(&["r41"]) {
            heads.reverse();
        }
        for head in heads.iter_mut().filter_map(|found| found.as_mut().ok()?.as_mut()) {
            if self.is(&["r41-enabled"]) {
                head.enabled = true;
            }
        }
        for (head, record) in heads.iter_mut().zip(ids) {
            if self.is(&["r24"]) && matches!(record, RecordId::Event(_)) {
                *head = Ok(Some(RecordHead {
                    record: *record,
                    owner: OwnerId(2),
                    name: None,
                    enabled: true,
                }));
            }
        }
        Ok(heads)
    }

    async fn list_webhooks(&self, query: &WebhookQuery) -> Result<Vec<Row<WebhookId, Webhook>>> {
        let mut query = query.clone();
        if self.is(&["r17"]) {
            query.name = None;
        }
        if self.is(&["r20"]) {
            query.page.after = None;
        }
        query.scope = self.scope(query.scope, query.name.is_some());
        self.trip("d09-list").await?;
        self.inner.list_webhooks(&query).await
    }

    async fn update_webhook(
        &self,
        changed: &Row<WebhookId, Webhook>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<WebhookId, Webhook>> {
        let (at_most, time) = (self.at_most(at_most), self.time(now));
        let answer = self.inner.update_webhook(changed, at_most, time).await;
        match answer.as_ref().err().map(StoreError::kind) {
            Some(ErrorKind::Stale) if self.is(&["r04", "r05"]) => Ok(changed.clone()),
            Some(ErrorKind::NotFound) if self.is(&["r06"]) => Ok(changed.clone()),
            _ => answer,
        }
    }

    async fn delete_webhook(
        &self,
        id: WebhookId,
        cascade: Cascade,
        now: DateTime<Utc>,
    ) -> Result<()> {
        if self.is(&["r12", "q21"]) {
            return Ok(());
        }
        let cascade = if self.is(&["r11"]) {
            Cascade::Tasks
        } else {
            cascade
        };
        self.inner.delete_webhook(id, cascade, now).await
    }

    async fn insert_task(
        &self,
        task: &Task,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<TaskRow> {
        let mut task = task.clone();
        if let (true, Action::Send { webhook, message }) = (self.is(&["r08"]), &task.action) {
            let short = message.as_str().get(..65_536).unwrap_or_default();
            task.action = Action::Send {
                webhook: *webhook,
                message: short.parse().unwrap(),
            };
        }
        let answer = self.inner.insert_task(&task, self.at_most(at_most), now).await;
        if answer.is_ok() || !self.is(&["r09"]) {
            let by_creator = self.is(&["r23"]);
            return answer.map(|row| TaskRow {
                owner: if by_creator { task.creator } else { row.owner },
                ..row
            });
        }
        Ok(TaskRow {
            id: TaskId(1),
            owner: OwnerId(1),
            revision: Revision::FIRST,
            created: now,
            modified: now,
            value: task,
        })
    }

    async fn list_tasks(&self, query: &TaskQuery) -> Result<Vec<TaskRow>> {
        let mut query = query.clone();
        if self.is(&["r18"]) {
            query.creator = None;
        }
        if self.is(&["r40"]) {
            query.page.bodies = Bodies::All;
        }
        query.scope = self.scope(query.scope, query.webhook.is_some());
        self.trip("d09-list").await?;
        self.inner.list_tasks(&query).await
    }

    async fn update_task(
        &self,
        row: &TaskRow,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<TaskRow> {
        let mut at_most = self.at_most(at_most);
        if self.is(&["r29-moved"])
            && let Action::Send { webhook, .. } = &row.value.action
            && let Some(webhook) = self.inner.webhook(*webhook).await?
            && webhook.owner != row.owner
        {
            at_most = AtMost::UNLIMITED;
        }
        self.inner.update_task(row, at_most, now).await
    }

    async fn delete_task(&self, id: TaskId, now: DateTime<Utc>) -> Result<()> {
        if self.is(&["r13"]) {
            return Ok(());
        }
        self.inner.delete_task(id, now).await
    }

    async fn insert_event(
        &self,
        event: &Event,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>> {
        let answer = self.inner.insert_event(event, self.at_most(at_most), now).await;
        if answer.is_err() && self.is(&["r10"]) {
            return Ok(row(EventId(1), event.clone(), now));
        }
        answer
    }

    async fn list_events(&self, query: &EventQuery) -> Result<Vec<Row<EventId, Event>>> {
        let mut query = query.clone();
        if self.is(&["r19"]) {
            query.event_type = None;
        }
        query.scope = self.scope(query.scope, query.task.is_some());
        self.trip("d09-list").await?;
        self.inner.list_events(&query).await
    }

    async fn update_event(
        &self,
        row: &Row<EventId, Event>,
        at_most: AtMost,
        now: DateTime<Utc>,
    ) -> Result<Row<EventId, Event>> {
        self.inner.update_event(row, self.at_most(at_most), now).await
    }

    async fn delete_event(&self, id: EventId, now: DateTime<Utc>) -> Result<()> {
        if self.is(&["r07"]) {
            return Ok(());
        }
        self.inner.delete_event(id, now).await
    }

    async fn unreadable(&self, scope: Scope, limit: u32) -> Result<Vec<UnreadableRecord>> {
        let mut found = self.inner.unreadable(scope, limit).await?;
        if self.is(&["d09"]) {
            found.clear();
        }
        if self.is(&["d09-order"]) {
            found = self.inner.unreadable(scope, u32::MAX).await?;
            found.sort_by_key(|found| found.record);
            found.truncate(limit as usize);
        }
        if self.is(&["r27"]) {
            found.push(UnreadableRecord {
                record: RecordId::Task(TaskId(1)),
                owner: OwnerId(1),
                reason: "sealed".to_owned(),
            });
        }
        Ok(found)
    }

    async fn read_routes(
        &self,
        place: Realm,
        only: Option<(&EventType, &EventName)>,
        at_most: u32,
    ) -> Result<Option<Routes>> {
        match only {
            None => self.wrong_routes(place, at_most).await,
            Some((event_type, event)) => {
                let routes = self.wrong_routes_of(place, event_type, event).await?;
                Ok(Some(routes))
            }
        }
    }

    async fn routes_versions(&self, places: &[Realm]) -> Result<Vec<RoutesVersion>> {
        self.wrong_versions(places).await
    }

    async fn route_changes(&self, place: Realm, since: RoutesVersion) -> Result<Option<RouteChanges>> {
        self.wrong_changes(place, since).await
    }

    async fn tasks(&self, ids: &[TaskId]) -> Result<Vec<TaskRow>> {
        let mut tasks = self.inner.tasks(ids).await?;
        if self.is(&["r26"]) {
            tasks.iter_mut().for_each(|task| task.revision = Revision::FIRST);
        }
        Ok(tasks)
    }
}
