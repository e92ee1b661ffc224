//! `tasks`.

mod columns;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use gatepost_manage::{About, Actor};
use gatepost_storage::Scope;
use gatepost_storage::webhooks::{TaskQuery, TaskRow};
use serde_json::{Value, json};
use webhook_model::{
    Action, Description, Invalid, Message, ObjectId, RunVariables, Task, TaskId, WebhookId,
};

use super::row::{as_text, epoch, key_of, page, row, scanned};
use super::unreadable;
use crate::error::{ApiError, Result};
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

    async fn scan(&self, caller: &Actor, scan: Scan<'_>) -> Result<Scanned> {
        if unreadable::asked_for(&scan) {
            return unreadable::scan(caller, &scan, columns::TABLE.name).await;
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
        let asked = |column: &str| match scan.columns.has(column) {
            true => &found.rows[..],
            false => &[],
        };
        let running = caller.running_tasks(asked("status")).await?;
        let runs = caller.last_runs(asked("last_run")).await?;
        let row = |row: &TaskRow| {
            let last_run = runs.get(&row.id).copied();
            task_row(row, running.contains(&row.id), last_run)
        };
        Ok(scanned(found, row, |id| id.0).await)
    }

    async fn get(&self, caller: &Actor, key: ObjectId) -> Result<RowMap> {
        let key = number(key)?;
        match caller.task(TaskId(key)).await {
            Ok(row) => with_status(caller, &row).await,
            unreadable => {
                unreadable::or_placeholder(unreadable, key, |row| task_row(&row, false, None))
            }
        }
    }

    async fn create(&self, caller: &Actor, input: Input) -> Result<Created> {
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
        Ok(Created::row(caller.create_task(task).await?.id.0))
    }

    async fn update(&self, caller: &Actor, key: ObjectId, input: Input) -> Result<RowMap> {
        let id = TaskId(number(key)?);
        let message = message(&input)?;
        let edit = move |task: &mut Task| apply(task, &input, message.as_ref());
        let row = caller.edit_task(id, edit).await?;
        with_status(caller, &row).await
    }

    async fn delete(&self, caller: &Actor, key: ObjectId) -> Result<()> {
        Ok(caller.delete_task(TaskId(number(key)?)).await?)
    }

    async fn act(&self, caller: &Actor, key: ObjectId, name: &str, input: Input) -> Result<Value> {
        let id = TaskId(number(key)?);
        match name {
            "execute" => drop(caller.run_task_about(id, with(&input)?).await?),
            "cancel" => drop(caller.cancel_task(id).await?),
            "enable" => drop(caller.enable_task(id).await?),
            "disable" => drop(caller.disable_task(id).await?),
            _ => return Err(ApiError::not_permitted()),
        }
        Ok(json!({}))
    }

    async fn count(&self, caller: &Actor, row: &RowMap, table: &str) -> Result<u64> {
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
async fn with_status(caller: &Actor, row: &TaskRow) -> Result<RowMap> {
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
    input.set("name", &mut task.name)?;
    input.set("description", &mut task.description)?;
    input.switch("enabled", &mut task.enabled);
    input.switch("delete_after_run", &mut task.delete_after_run);
    if let Action::Send { webhook, message } = &mut task.action {
        *webhook = self::webhook(input).unwrap_or(*webhook);
        if let Some(new) = new_message {
            message.clone_from(new);
        }
    }
    Ok(())
}

/// Returns the message in `settings_args`; without one, the default payload.
fn message(input: &Input) -> Result<Option<Message>> {
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
