//! Webhooks, tasks and events.

use std::sync::Arc;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{
    Cascade, EventQuery, Found, HasBody as _, InsertedRecords, NewRecords, RecordHead, RecordId,
    RecordQuery, RecordRow, RecordStore, RouteChanges, Routes, RoutesVersion, TaskQuery,
    UnreadableRecord, WebhookQuery,
};
use gatepost_storage::{Page, Row, Scope, StoreError};
use webhook_model::{Event, EventName, EventType, Task, Webhook};

use super::error::Outcome;
use super::heads::{Head, Kept, found_record, head_of};
use super::key::Key;
use super::kv_store::KvStore;
use super::record_changes::{Changing, delete};
use super::routes::Matching;
use super::rows::Source;
use super::tables::{EVENT_OF_TASK, TASK_BY_NAME, TASK_OF_CREATOR, TASK_OF_WEBHOOK};
use super::{owner_status, realms};
use crate::contract::View;

#[async_trait]
impl RecordStore for KvStore {
    async fn insert_records(
        &self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<InsertedRecords, StoreError> {
        let (at_most, keys) = (*at_most, Arc::clone(&self.sealing));
        self.write(move |tx| {
            let changing = Changing { keys: &keys, now };
            changing.insert(tx, records.clone(), &at_most)
        })
        .await
    }

    async fn get_records(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordRow>>, StoreError> {
        let (ids, keys) = (ids.to_vec(), Arc::clone(&self.sealing));
        self.read(move |view| ids.iter().map(|id| get(view, &keys, *id)).collect())
            .await
    }

    async fn record_heads(&self, ids: &[RecordId]) -> Result<Vec<Found<RecordHead>>, StoreError> {
        let ids = ids.to_vec();
        self.read(move |view| {
            let head = |id: &RecordId| Ok(Ok(head(view, *id)?.map(|head| head.shown(*id))));
            ids.iter().map(head).collect()
        })
        .await
    }

    async fn list_records(&self, query: &RecordQuery) -> Result<Vec<RecordRow>, StoreError> {
        let (query, keys) = (query.clone(), Arc::clone(&self.sealing));
        self.read(move |view| match &query {
            RecordQuery::Webhooks(WebhookQuery { scope, name, page }) => {
                let source = owner_status::source(view, *scope, Webhook::OF_OWNER)?;
                let list = List {
                    view,
                    keys: &keys,
                    scope: Scope::All,
                };
                list.page::<Webhook>(&source, page, |_, row| match row {
                    RecordRow::Webhook(row) => is(name.as_deref(), row.value.name.as_str()),
                    _ => false,
                })
            }
            RecordQuery::Tasks(query) => tasks(view, &keys, query),
            RecordQuery::Events(query) => events(view, &keys, query),
        })
        .await
    }

    async fn update_record(
        &self,
        row: RecordRow,
        at_most: u64,
        now: DateTime<Utc>,
    ) -> Result<RecordRow, StoreError> {
        let keys = Arc::clone(&self.sealing);
        self.write(move |tx| {
            let changing = Changing { keys: &keys, now };
            changing.update(tx, row.clone(), at_most)
        })
        .await
    }

    async fn delete_record(
        &self,
        id: RecordId,
        cascade: Cascade,
        _now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        self.write(move |tx| delete(tx, id, cascade)).await
    }

    async fn unreadable(
        &self,
        scope: Scope,
        limit: u32,
    ) -> Result<Vec<UnreadableRecord>, StoreError> {
        let keys = Arc::clone(&self.sealing);
        self.read(move |view| {
            let list = List {
                view,
                keys: &keys,
                scope,
            };
            let mut found = list.unreadable::<Webhook>()?;
            found.extend(list.unreadable::<Task>()?);
            found.extend(list.unreadable::<Event>()?);
            found.sort_by_key(|(created, row)| (*created, row.record));
            let oldest = found.into_iter().take(limit as usize);
            Ok(oldest.map(|(_, row)| row).collect())
        })
        .await
    }

    async fn read_routes(
        &self,
        place: Realm,
        only: Option<(&EventType, &EventName)>,
        at_most: u32,
    ) -> Result<Option<Routes>, StoreError> {
        let keys = Arc::clone(&self.sealing);
        let only = only.map(|(event_type, event)| (event_type.clone(), event.clone()));
        self.read(move |view| {
            let keys = &keys;
            let routes = Matching { view, keys, place }.routes(only.as_ref())?;
            let rows = routes.webhooks.len() + routes.tasks.len() + routes.events.len();
            Ok((rows <= at_most as usize).then_some(routes))
        })
        .await
    }

    async fn routes_versions(&self, of: &[Realm]) -> Result<Vec<RoutesVersion>, StoreError> {
        let of = of.to_vec();
        self.read(move |view| {
            of.iter()
                .map(|place| realms::version(view, *place))
                .collect()
        })
        .await
    }

    async fn route_changes(
        &self,
        place: Realm,
        since: RoutesVersion,
    ) -> Result<Option<RouteChanges>, StoreError> {
        let keys = Arc::clone(&self.sealing);
        self.read(move |view| {
            let keys = &keys;
            Matching { view, keys, place }.changes(since)
        })
        .await
    }

    async fn server_time(&self) -> Result<Option<DateTime<Utc>>, StoreError> {
        Ok(None)
    }
}

/// A list of one kind.
struct List<'a> {
    view: &'a dyn View,
    keys: &'a SealingKeys,
    /// The scope that rows must be in; all rows if the source covers it already.
    scope: Scope,
}

impl List<'_> {
    /// Skips unreadable rows until the page is full.
    fn page<R: Kept<Id: Into<RecordId>>>(
        &self,
        source: &Source,
        page: &Page<R::Id>,
        wanted: impl Fn(&Head, &RecordRow) -> bool,
    ) -> Outcome<Vec<RecordRow>>
    where
        Row<R::Id, R>: Into<RecordRow>,
    {
        let (mut rows, mut room) = (Vec::new(), page.bodies);
        let asked = page.numbered(Into::<i64>::into);
        R::HEADS.each(self.view, source, &asked, |number, head| {
            if !owner_status::is_in(self.view, head.owner, self.scope)? {
                return Ok(true);
            }
            let found = found_record::<R>(self.view, self.keys, number.into())?;
            let Some(mut row) = found.ok().flatten().filter(|row| wanted(&head, row)) else {
                return Ok(true);
            };
            if !page.bodies.are_read() {
                row.omit_body();
            }
            let fits = room.take(row.body_bytes());
            rows.push(row);
            Ok(fits && rows.len() < page.limit as usize)
        })?;
        Ok(rows)
    }

    fn unreadable<R: Kept<Id: Into<RecordId>>>(&self) -> Outcome<Vec<(i64, UnreadableRecord)>>
    where
        Row<R::Id, R>: Into<RecordRow>,
    {
        let source = owner_status::source(self.view, self.scope, R::OF_OWNER)?;
        let mut unreadable = Vec::new();
        R::HEADS.each(
            self.view,
            &source,
            &Page::<i64>::first(u32::MAX),
            |number, head| {
                if let Err(error) = found_record::<R>(self.view, self.keys, number.into())? {
                    let row = UnreadableRecord {
                        record: R::Id::from(number).into(),
                        owner: head.owner,
                        reason: error.reason(),
                    };
                    unreadable.push((head.created(), row));
                }
                Ok(true)
            },
        )?;
        Ok(unreadable)
    }
}

fn tasks(view: &dyn View, keys: &SealingKeys, query: &TaskQuery) -> Outcome<Vec<RecordRow>> {
    let one = |table, key: Key| Ok(Source::Of(table, vec![key]));
    let source = match (query.webhook, query.scope, query.creator, &query.name) {
        (Some(webhook), ..) => one(TASK_OF_WEBHOOK, Key::new().number(webhook.0)),
        (None, Scope::All, Some(creator), _) => one(TASK_OF_CREATOR, Key::new().owner(creator)),
        (None, Scope::All, None, Some(name)) => one(TASK_BY_NAME, Key::new().name(name)),
        (None, scope, ..) => owner_status::source(view, scope, Task::OF_OWNER),
    }?;
    let scope = query.scope;
    List { view, keys, scope }.page::<Task>(&source, &query.page, |head, row| match row {
        RecordRow::Task(row) => {
            query
                .webhook
                .is_none_or(|webhook| head.parent == Some(webhook.0))
                && query
                    .creator
                    .is_none_or(|creator| row.value.creator == creator)
                && is(query.name.as_deref(), row.value.name.as_str())
        }
        _ => false,
    })
}

fn events(view: &dyn View, keys: &SealingKeys, query: &EventQuery) -> Outcome<Vec<RecordRow>> {
    let source = match query.task {
        Some(task) => Source::Of(EVENT_OF_TASK, vec![Key::new().number(task.0)]),
        None => owner_status::source(view, query.scope, Event::OF_OWNER)?,
    };
    let scope = query.scope;
    List { view, keys, scope }.page::<Event>(&source, &query.page, |head, row| match row {
        RecordRow::Event(row) => {
            let event_type = query.event_type.as_ref();
            query.task.is_none_or(|task| head.parent == Some(task.0))
                && event_type.is_none_or(|asked| row.value.event_type == *asked)
        }
        _ => false,
    })
}

fn get(view: &dyn View, keys: &SealingKeys, id: RecordId) -> Outcome<Found<RecordRow>> {
    match id {
        RecordId::Webhook(id) => found_record::<Webhook>(view, keys, id),
        RecordId::Task(id) => found_record::<Task>(view, keys, id),
        RecordId::Event(id) => found_record::<Event>(view, keys, id),
    }
}

pub(super) fn head(view: &dyn View, id: RecordId) -> Outcome<Option<Head>> {
    match id {
        RecordId::Webhook(id) => head_of::<Webhook>(view, id),
        RecordId::Task(id) => head_of::<Task>(view, id),
        RecordId::Event(id) => head_of::<Event>(view, id),
    }
}

fn is(asked: Option<&str>, name: &str) -> bool {
    asked.is_none_or(|asked| asked == name)
}
