//! `task_events`.

use std::collections::HashMap;

use async_trait::async_trait;
use gatepost_keys::Principal;
use gatepost_storage::Row;
use gatepost_storage::webhooks::EventQuery;
use serde_json::{Value, json};
use webhook_model::{Event, EventId, Invalid, JsonObject, ObjectId, TagId, Target, TaskId};

use super::{Services, Tasks, epoch, events_table, next, page, row};
use crate::error::ApiError;
use crate::resource::{Created, Resource, Scan, Scanned};
use crate::table::{Input, RowMap, Table};

#[derive(Debug)]
pub(crate) struct Events(pub(super) Services);

impl Events {
    async fn own(&self, caller: &Principal, key: i64) -> Result<Row<EventId, Event>, ApiError> {
        let row = self
            .0
            .engine
            .event(EventId(key))
            .await?
            .ok_or_else(ApiError::not_found)?;
        let task = Tasks::visible(&self.0, caller, row.value.task.0).await?;
        task.map(|_| row).ok_or_else(ApiError::not_found)
    }

    async fn task(&self, caller: &Principal, input: &Input) -> Result<Option<TaskId>, ApiError> {
        let Some(key) = input.int("task") else {
            return Ok(None);
        };
        match Tasks::visible(&self.0, caller, key).await? {
            Some(row) => Ok(Some(row.id)),
            None => Err(ApiError::field("task", "does not exist")),
        }
    }

    fn columns(&self, stored: &Row<EventId, Event>) -> RowMap {
        let event = &stored.value;
        let (owner, tag) = match event.target {
            Target::Instance(id) => (Value::from(format!("{}/{id}", event.event_type)), 0),
            Target::Tag(tag) => (Value::Null, tag.0),
            Target::Generic => (Value::Null, 0),
        };
        let label = self
            .0
            .engine
            .catalog()
            .event_label(&event.event_type, &event.event)
            .unwrap_or_default();
        row(
            stored.id.0,
            [
                ("task", event.task.0.into()),
                ("table", event.event_type.as_str().into()),
                ("event", event.event.as_str().into()),
                ("event_name", label.into()),
                ("owner", owner),
                ("tag", tag.into()),
                ("enabled", event.enabled.into()),
                (
                    "table_event_filters",
                    Value::Object(event.filters.as_map().clone()),
                ),
                ("context", Value::Object(event.context.as_map().clone())),
                ("created", epoch(Some(stored.created))),
                ("modified", epoch(Some(stored.modified))),
            ],
        )
    }
}

#[async_trait]
impl Resource for Events {
    fn table(&self) -> &'static Table {
        &events_table::TABLE
    }

    async fn scan(&self, caller: &Principal, scan: Scan<'_>) -> Result<Scanned, ApiError> {
        let query = EventQuery {
            task: scan.equal.key("task").map(TaskId),
            event_type: scan
                .equal
                .text("table")
                .and_then(|table| table.parse().ok()),
            page: page(&scan, EventId),
        };
        let found = self.0.engine.list_events(&query).await?;
        let next = next(&scan, found.len(), found.last().map(|row| row.id.0));
        let mut visible: HashMap<TaskId, bool> = HashMap::new();
        let mut rows = Vec::with_capacity(found.len());
        for row in &found {
            let may = match visible.get(&row.value.task) {
                Some(may) => *may,
                None => Tasks::visible(&self.0, caller, row.value.task.0)
                    .await?
                    .is_some(),
            };
            visible.insert(row.value.task, may);
            if may {
                rows.push(self.columns(row));
            }
        }
        Ok(Scanned { rows, next })
    }

    async fn get(&self, caller: &Principal, key: i64) -> Result<Option<RowMap>, ApiError> {
        match self.own(caller, key).await {
            Ok(row) => Ok(Some(self.columns(&row))),
            Err(error) if error == ApiError::not_found() => Ok(None),
            Err(error) => Err(error),
        }
    }

    async fn create(&self, caller: &Principal, input: &Input) -> Result<Created, ApiError> {
        let task = self
            .task(caller, input)
            .await?
            .ok_or_else(|| ApiError::field("task", "is required"))?;
        let event_type = input.text("table").unwrap_or_default();
        let mut event = Event {
            event_type: event_type.parse()?,
            event: input.text("event").unwrap_or_default().parse()?,
            target: target(input, event_type)?.unwrap_or(Target::Generic),
            task,
            enabled: true,
            filters: JsonObject::default(),
            context: JsonObject::default(),
        };
        apply(&mut event, input)?;
        Ok(Created {
            key: self.0.engine.create_event(&event).await?.id.0,
            secret: None,
        })
    }

    async fn update(
        &self,
        caller: &Principal,
        key: i64,
        input: &Input,
    ) -> Result<RowMap, ApiError> {
        let present = self.own(caller, key).await?.value;
        let task = self.task(caller, input).await?;
        let target = target(input, present.event_type.as_str())?;
        let row = self.0.engine.edit_event(EventId(key), |event| {
            event.task = task.unwrap_or(event.task);
            event.target = target.unwrap_or(event.target);
            apply(event, input)
        });
        Ok(self.columns(&row.await?))
    }

    async fn delete(&self, caller: &Principal, key: i64) -> Result<(), ApiError> {
        self.own(caller, key).await?;
        Ok(self.0.engine.delete_event(EventId(key)).await?)
    }

    async fn act(
        &self,
        caller: &Principal,
        key: i64,
        action: &str,
        params: &Input,
    ) -> Result<Value, ApiError> {
        let event = self.own(caller, key).await?.value;
        if action != "trigger" {
            return Err(ApiError::not_permitted());
        }
        let text = |value: &Value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        };
        let variables = params
            .object("context")
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.clone(), text(value)));
        let object = match event.target {
            Target::Instance(id) => {
                self.0
                    .directory
                    .name(caller, event.event_type.as_str(), id.0)
                    .await
            }
            Target::Tag(_) | Target::Generic => None,
        };
        match self
            .0
            .engine
            .trigger_event(EventId(key), object, variables.collect())
            .await
        {
            Err(gatepost_engine::EngineError::NotFound) => {
                Err(ApiError::conflict("The task is disabled"))
            }
            other => other.map(|_| json!({})).map_err(Into::into),
        }
    }

    async fn join(
        &self,
        caller: &Principal,
        row: &RowMap,
        through: &str,
        _column: &str,
    ) -> Result<Option<Value>, ApiError> {
        if through == "task" {
            let Some(key) = row.get(through).and_then(Value::as_i64) else {
                return Ok(None);
            };
            return Ok(Tasks::visible(&self.0, caller, key)
                .await?
                .map(|row| row.task.name.as_str().into()));
        }
        match row
            .get(through)
            .and_then(Value::as_str)
            .and_then(|text| text.rsplit_once('/'))
        {
            Some((table, key)) => Ok(self
                .0
                .named(caller, table, key.parse().unwrap_or_default())
                .await),
            None => Ok(None),
        }
    }

    async fn count(
        &self,
        _caller: &Principal,
        _row: &RowMap,
        _table: &str,
    ) -> Result<u64, ApiError> {
        Ok(0)
    }
}

/// `owner` or `tag`; what is null or 0 is not given.
fn target(input: &Input, event_type: &str) -> Result<Option<Target>, ApiError> {
    let instance = match input.reference("owner") {
        Some((table, _)) if table != event_type => {
            return Err(ApiError::field(
                "owner",
                format!("must be an object of '{event_type}'"),
            ));
        }
        owner => owner.map(|(_, key)| Target::Instance(ObjectId(key))),
    };
    let tag = input
        .int("tag")
        .filter(|tag| *tag > 0)
        .map(|tag| Target::Tag(TagId(tag)));
    match (instance, tag) {
        (Some(_), Some(_)) => Err(ApiError::field("tag", "must not be given beside owner")),
        (None, None) if input.has("owner") && input.has("tag") => Ok(Some(Target::Generic)),
        (instance, tag) => Ok(instance.or(tag)),
    }
}

fn apply(event: &mut Event, input: &Input) -> Result<(), Invalid> {
    event.enabled = input.bool("enabled").unwrap_or(event.enabled);
    if let Some(filters) = input.object("table_event_filters") {
        event.filters = JsonObject::new(filters.clone())?;
    }
    if let Some(context) = input.object("context") {
        event.context = JsonObject::new(context.clone())?;
    }
    Ok(())
}
