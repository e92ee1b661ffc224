//! `tasks`.

use std::collections::HashSet;

use async_trait::async_trait;
use gatepost_keys::Principal;
use gatepost_storage::Page;
use gatepost_storage::webhooks::{DeliveryQuery, DeliveryState, EventQuery, TaskQuery, TaskRow};
use serde_json::{Value, json};
use webhook_model::{Action, Invalid, Message, Task, TaskId, WebhookId};

use super::{Services, Webhooks, epoch, managed, next, page, row, tasks_table};
use crate::error::ApiError;
use crate::resource::{Created, Resource, Scan, Scanned};
use crate::table::{Input, KEY, RowMap, Table};

#[derive(Debug)]
pub(crate) struct Tasks(pub(super) Services);

impl Tasks {
    /// The task, if it is the caller's to see.
    pub(super) async fn visible(
        services: &Services,
        caller: &Principal,
        key: i64,
    ) -> Result<Option<TaskRow>, ApiError> {
        let Some(row) = services.engine.task(TaskId(key)).await? else {
            return Ok(None);
        };
        let creator = row.task.creator;
        Ok(services
            .keys
            .authority(caller)
            .may_manage(creator)
            .await?
            .then_some(row))
    }

    async fn own(&self, caller: &Principal, key: i64) -> Result<TaskRow, ApiError> {
        Self::visible(&self.0, caller, key)
            .await?
            .ok_or_else(ApiError::not_found)
    }

    /// Tasks of which a delivery is being sent at this moment.
    async fn running(&self) -> Result<HashSet<TaskId>, ApiError> {
        let query = DeliveryQuery {
            states: vec![DeliveryState::Running],
            ..DeliveryQuery::all(Page::newest(1000))
        };
        Ok(self
            .0
            .engine
            .list_deliveries(&query)
            .await?
            .into_iter()
            .filter_map(|delivery| delivery.task)
            .collect())
    }

    /// The webhook that a client named as `owner`, if it is the caller's to use.
    async fn webhook(
        &self,
        caller: &Principal,
        input: &Input,
    ) -> Result<Option<WebhookId>, ApiError> {
        let Some((_, key)) = input.reference("owner") else {
            return Ok(None);
        };
        match Webhooks::visible(&self.0, caller, key).await? {
            Some(row) => Ok(Some(row.id)),
            None => Err(ApiError::field("owner", "does not exist")),
        }
    }
}

#[async_trait]
impl Resource for Tasks {
    fn table(&self) -> &'static Table {
        &tasks_table::TABLE
    }

    async fn scan(&self, caller: &Principal, scan: Scan<'_>) -> Result<Scanned, ApiError> {
        let mut authority = self.0.keys.authority(caller);
        let owner = scan
            .equal
            .text("owner")
            .and_then(|owner| owner.strip_prefix("webhook_urls/")?.parse().ok());
        let query = TaskQuery {
            creator: authority.only(),
            webhook: owner.map(WebhookId),
            name: scan.equal.text("name").map(str::to_owned),
            page: page(&scan, TaskId),
        };
        let found = self.0.engine.list_tasks(&query).await?;
        let next = next(&scan, found.len(), found.last().map(|row| row.id.0));
        let running = if found.is_empty() {
            HashSet::new()
        } else {
            self.running().await?
        };
        let creator = |row: &TaskRow| row.task.creator;
        let rows = managed(&mut authority, found, creator).await?;
        let row = |row: &TaskRow| columns(row, running.contains(&row.id));
        let rows = rows.iter().map(row).collect();
        Ok(Scanned { rows, next })
    }

    async fn get(&self, caller: &Principal, key: i64) -> Result<Option<RowMap>, ApiError> {
        let Some(row) = Self::visible(&self.0, caller, key).await? else {
            return Ok(None);
        };
        let running = self.running().await?.contains(&row.id);
        Ok(Some(columns(&row, running)))
    }

    async fn create(&self, caller: &Principal, input: &Input) -> Result<Created, ApiError> {
        let webhook = self
            .webhook(caller, input)
            .await?
            .ok_or_else(|| ApiError::field("owner", "is required"))?;
        let mut task = Task {
            creator: caller.owner,
            name: input.text("name").unwrap_or_default().parse()?,
            description: webhook_model::Description::default(),
            enabled: true,
            delete_after_run: false,
            action: Action::Send {
                webhook,
                message: Message::default(),
            },
        };
        message(input)?;
        apply(&mut task, input, None)?;
        Ok(Created {
            key: self.0.engine.create_task(&task).await?.id.0,
            secret: None,
        })
    }

    async fn update(
        &self,
        caller: &Principal,
        key: i64,
        input: &Input,
    ) -> Result<RowMap, ApiError> {
        self.own(caller, key).await?;
        let webhook = self.webhook(caller, input).await?;
        // Checked before, so that the error is the client's and not the store's.
        message(input)?;
        let row = self
            .0
            .engine
            .edit_task(TaskId(key), |task| apply(task, input, webhook))
            .await?;
        let running = self.running().await?.contains(&row.id);
        Ok(columns(&row, running))
    }

    async fn delete(&self, caller: &Principal, key: i64) -> Result<(), ApiError> {
        self.own(caller, key).await?;
        Ok(self.0.engine.delete_task(TaskId(key)).await?)
    }

    async fn act(
        &self,
        caller: &Principal,
        key: i64,
        action: &str,
        _params: &Input,
    ) -> Result<Value, ApiError> {
        self.own(caller, key).await?;
        let id = TaskId(key);
        let enable = |enabled| {
            self.0.engine.edit_task(id, move |task| {
                task.enabled = enabled;
                Ok(())
            })
        };
        match action {
            "execute" => match self.0.engine.run_task(id).await {
                Err(gatepost_engine::EngineError::NotFound) => {
                    return Err(ApiError::conflict("The task is disabled"));
                }
                other => drop(other?),
            },
            "enable" => drop(enable(true).await?),
            "disable" => drop(enable(false).await?),
            _ => return Err(ApiError::not_permitted()),
        }
        Ok(json!({}))
    }

    async fn join(
        &self,
        caller: &Principal,
        row: &RowMap,
        through: &str,
        _column: &str,
    ) -> Result<Option<Value>, ApiError> {
        let Some((table, key)) = row
            .get(through)
            .and_then(Value::as_str)
            .and_then(|text| text.rsplit_once('/'))
        else {
            return Ok(None);
        };
        let Ok(key) = key.parse() else {
            return Ok(None);
        };
        if table == "users" {
            return Ok(self.0.named(caller, table, key).await);
        }
        Ok(Webhooks::visible(&self.0, caller, key)
            .await?
            .map(|row| row.value.name.as_str().into()))
    }

    async fn count(&self, _caller: &Principal, row: &RowMap, table: &str) -> Result<u64, ApiError> {
        let task = row.get(KEY).and_then(Value::as_i64).map(TaskId);
        if table == "triggers" {
            return Ok(0);
        }
        let mut query = EventQuery {
            task,
            event_type: None,
            page: Page::first(500),
        };
        let mut count = 0;
        loop {
            let found = self.0.engine.list_events(&query).await?;
            count += found.len() as u64;
            match found.last() {
                Some(last) if found.len() == 500 => query.page = query.page.beyond(last.id),
                _ => return Ok(count),
            }
        }
    }
}

fn columns(stored: &TaskRow, running: bool) -> RowMap {
    let task = &stored.task;
    let (owner, message) = match &task.action {
        Action::Send { webhook, message } => (
            Value::from(format!("webhook_urls/{webhook}")),
            message.as_str(),
        ),
        _ => (Value::Null, ""),
    };
    row(
        stored.id.0,
        [
            ("name", task.name.as_str().into()),
            ("description", task.description.as_str().into()),
            ("enabled", task.enabled.into()),
            ("owner", owner),
            ("table", "webhook_urls".into()),
            ("action", "send".into()),
            ("action_display", "Send".into()),
            ("status", if running { "running" } else { "idle" }.into()),
            ("last_run", epoch(stored.last_run)),
            ("delete_after_run", task.delete_after_run.into()),
            ("settings_args", json!({"message": message})),
            ("id", hex_id(stored.id.0).into()),
            ("creator", format!("users/{}", task.creator.0).into()),
            ("system_created", false.into()),
            ("created", epoch(Some(stored.created))),
            ("modified", epoch(Some(stored.modified))),
        ],
    )
}

fn apply(task: &mut Task, input: &Input, new_webhook: Option<WebhookId>) -> Result<(), Invalid> {
    if let Some(name) = input.text("name") {
        task.name = name.parse()?;
    }
    if let Some(description) = input.text("description") {
        task.description = description.parse()?;
    }
    task.enabled = input.bool("enabled").unwrap_or(task.enabled);
    task.delete_after_run = input
        .bool("delete_after_run")
        .unwrap_or(task.delete_after_run);
    if let Action::Send {
        webhook,
        message: present,
    } = &mut task.action
    {
        *webhook = new_webhook.unwrap_or(*webhook);
        if let Ok(Some(new)) = message(input) {
            *present = new;
        }
    }
    Ok(())
}

/// The message in `settings_args`; without one there, the default payload.
fn message(input: &Input) -> Result<Option<Message>, ApiError> {
    let Some(settings) = input.object("settings_args") else {
        return Ok(None);
    };
    if let Some(unknown) = settings.keys().find(|key| *key != "message") {
        let unknown: String = unknown.chars().take(64).collect();
        return Err(ApiError::field(
            "settings_args",
            format!("must hold nothing but message, not '{unknown}'"),
        ));
    }
    match settings.get("message") {
        None | Some(Value::Null) => Ok(Some(Message::default())),
        Some(Value::String(text)) => Ok(Some(text.parse()?)),
        Some(_) => Err(ApiError::field("settings_args", "message must be text")),
    }
}

/// 40 hexadecimal digits that are always the same for one row and tell nothing else.
fn hex_id(key: i64) -> String {
    let mut state = key.unsigned_abs();
    let mut word = || {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    };
    let (a, b, c) = (word(), word(), word());
    format!("{a:016x}{b:016x}{:08x}", c >> 32)
}
