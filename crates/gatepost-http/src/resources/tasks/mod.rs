//! `tasks`.

mod columns;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_manage::{About, Actor};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{RecordId, TaskQuery, TaskRow};
use serde_json::{Value, json};
use webhook_model::{
    Action, Description, Invalid, Message, ObjectId, RunVariables, Task, TaskId, WebhookId,
};

use super::row::{as_text, epoch, if_there, key_of, page, reference, row, scanned};
use super::unreadable;
use crate::error::ApiError;
use crate::resource::{Created, Resource, Scan, Scanned};
use crate::schema::{Input, RowMap, Table, number};

/// The size of messages that are read at a time, in bytes.
const MESSAGES: u64 = 1024 * 1024;

#[derive(Debug)]
pub(super) struct Tasks;

#[async_trait]
impl Resource for Tasks {
    fn table(&self) -> &'static Table {
        &columns::TABLE
    }

    async fn scan(&self, caller: &Actor, scan: Scan<'_>) -> Result<Scanned, ApiError> {
        if unreadable::asked_for(&scan) {
            return unreadable::scan(caller, &scan, |record| match record {
                RecordId::Task(id) => Some(id.0),
                _ => None,
            })
            .await;
        }
        let webhook = scan.equal.text("owner");
        let webhook = webhook.and_then(|owner| owner.strip_prefix("webhook_urls/")?.parse().ok());
        let messages = scan.columns.bodies(&["settings_args"], MESSAGES);
        let query = TaskQuery {
            scope: Scope::All,
            creator: None,
            webhook: webhook.map(WebhookId),
            name: scan.equal.text("name").map(str::to_owned),
            page: page(&scan, TaskId).with_bodies(messages),
        };
        let found = caller.tasks(&query).await?;
        let asked = if scan.columns.has("status") {
            &found.rows[..]
        } else {
            &[]
        };
        let running = caller.running_tasks(asked).await?;
        let asked = if scan.columns.has("last_run") {
            &found.rows[..]
        } else {
            &[]
        };
        let runs = caller.last_runs(asked).await?;
        let row = |row: &TaskRow| {
            let last_run = runs.get(&row.id).copied();
            task_row(row, running.contains(&row.id), last_run)
        };
        Ok(scanned(found, row, |id| id.0).await)
    }

    async fn get(&self, caller: &Actor, key: ObjectId) -> Result<RowMap, ApiError> {
        let key = number(key)?;
        match caller.task(TaskId(key)).await {
            Ok(row) => with_status(caller, &row).await,
            unreadable => {
                unreadable::or_placeholder(unreadable, key, |row| task_row(&row, false, None))
            }
        }
    }

    async fn create(&self, caller: &Actor, input: Input) -> Result<Created, ApiError> {
        let webhook = webhook(&input).ok_or_else(|| ApiError::field("owner", "is required"))?;
        let mut task = Task {
            creator: caller.principal().owner,
            name: input.text("name").unwrap_or_default().parse()?,
            description: Description::default(),
            enabled: true,
            delete_after_run: false,
            action: Action::Send {
                webhook,
                message: Message::default(),
            },
        };
        let message = message(&input)?;
        apply(&mut task, &input, message.as_ref())?;
        Ok(Created {
            key: caller.create_task(task).await?.id.0,
            secret: None,
        })
    }

    async fn update(
        &self,
        caller: &Actor,
        key: ObjectId,
        input: Input,
    ) -> Result<RowMap, ApiError> {
        let key = number(key)?;
        let message = message(&input)?;
        let edit = move |task: &mut Task| apply(task, &input, message.as_ref());
        let row = caller.edit_task(TaskId(key), edit).await?;
        with_status(caller, &row).await
    }

    async fn delete(&self, caller: &Actor, key: ObjectId) -> Result<(), ApiError> {
        let key = number(key)?;
        Ok(caller.delete_task(TaskId(key)).await?)
    }

    async fn act(
        &self,
        caller: &Actor,
        key: ObjectId,
        action: &'static str,
        params: Input,
    ) -> Result<Value, ApiError> {
        let key = number(key)?;
        let id = TaskId(key);
        match action {
            "execute" => drop(caller.run_task_about(id, with(&params)?).await?),
            "cancel" => drop(caller.cancel_task(id).await?),
            "enable" => drop(caller.enable_task(id).await?),
            "disable" => drop(caller.disable_task(id).await?),
            _ => return Err(ApiError::not_permitted()),
        }
        Ok(json!({}))
    }

    async fn join(
        &self,
        caller: &Actor,
        row: &RowMap,
        through: &str,
        _column: &str,
    ) -> Result<Option<Value>, ApiError> {
        match reference(row, through) {
            None => Ok(None),
            Some(("users", key)) => Ok(caller.name("users", key).await.map(Value::from)),
            Some((_, key)) => {
                let webhook = if_there(caller.webhook(WebhookId(number(key)?)).await)?;
                Ok(webhook.map(|row| row.value.name.as_str().into()))
            }
        }
    }

    async fn count(&self, caller: &Actor, row: &RowMap, table: &str) -> Result<u64, ApiError> {
        match table {
            "events" => Ok(caller.count_events(TaskId(key_of(row))).await?),
            _ => Ok(0),
        }
    }
}

/// Creates a run without an occurrence, with these parameters as its variables.
fn with(params: &Input) -> Result<About, Invalid> {
    let json = |name: &str| params.json(name).unwrap_or_default();
    let pairs = params
        .names()
        .map(|name| (name.to_owned(), as_text(&json(name))));
    let variables = RunVariables::new(pairs)?;
    let mut about = About::default();
    about.variables = variables.into_pairs();
    Ok(about)
}

/// Returns the row, with whether a delivery of the task is running, and when it last ran.
async fn with_status(caller: &Actor, row: &TaskRow) -> Result<RowMap, ApiError> {
    let one = std::slice::from_ref(row);
    let running = caller.running_tasks(one).await?;
    let last_run = caller.last_runs(one).await?.remove(&row.id);
    Ok(task_row(row, running.contains(&row.id), last_run))
}

/// Returns the webhook that a client named as `owner`.
fn webhook(input: &Input) -> Option<WebhookId> {
    let (_, key) = input.reference("owner")?;
    key.as_number().map(WebhookId)
}

fn task_row(stored: &TaskRow, running: bool, last_run: Option<DateTime<Utc>>) -> RowMap {
    let task = &stored.value;
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
            ("last_run", epoch(last_run)),
            ("delete_after_run", task.delete_after_run.into()),
            ("settings_args", json!({"message": message})),
            ("id", hex_id(stored.id.0).into()),
            ("creator", format!("users/{}", task.creator).into()),
            ("system_created", false.into()),
            ("created", epoch(Some(stored.created))),
            ("modified", epoch(Some(stored.modified))),
            ("unreadable", false.into()),
        ],
    )
}

fn apply(task: &mut Task, input: &Input, new_message: Option<&Message>) -> Result<(), Invalid> {
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
    if let Action::Send { webhook, message } = &mut task.action {
        *webhook = self::webhook(input).unwrap_or(*webhook);
        if let Some(new) = new_message {
            message.clone_from(new);
        }
    }
    Ok(())
}

/// Returns the message in `settings_args`; without one, the default payload.
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

/// Returns 40 hexadecimal digits that are constant for one row and carry no other information.
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
