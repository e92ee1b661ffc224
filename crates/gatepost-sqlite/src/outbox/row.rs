//! A row of the outbox and its columns.

use chrono::DateTime;
use gatepost_storage::columns::OutboxColumns;
use gatepost_storage::webhooks::{OpenOutbox, OutboxId, OutboxRow, RemainingTasks, Unreadable};
use rusqlite::Row;
use webhook_model::{Occurrence, OwnerId, TaskId};

use crate::column::{number, time};
use crate::error::Result;
use crate::named::Named;

pub(super) fn outbox_row(row: &Row<'_>) -> Result<OutboxRow> {
    let row = &Named::of(row);
    let after_task: i64 = row.get("after_task")?;
    let (mut occurrence, left) = match text(row, "tasks")?
        .and_then(|tasks| RemainingTasks::from_columns(after_task, tasks))
    {
        Ok(left) => (occurrence(row)?, left),
        Err(reason) => (Err(reason), RemainingTasks::After(TaskId(after_task))),
    };
    let mut unreadable = |column| {
        occurrence = Err(Unreadable(format!("{column} is out of range")));
    };
    let turn = number(row, "turn").unwrap_or_else(|_| {
        unreadable("turn");
        0
    });
    let created = time(row, "created").unwrap_or_else(|_| {
        unreadable("created");
        DateTime::UNIX_EPOCH
    });
    let by = run_by(row)?.unwrap_or_else(|reason| {
        occurrence = Err(reason);
        None
    });
    Ok(OutboxRow {
        id: OutboxId(row.get("id")?),
        occurrence,
        left,
        by,
        turn,
        created,
    })
}

/// Reads a row, which holds any value that the platform has written.
pub(super) fn open_row(row: &Row<'_>) -> Result<OpenOutbox> {
    let row = &Named::of(row);
    let (id, after_task) = (OutboxId(row.get("id")?), row.get("after_task")?);
    let left =
        text(row, "tasks")?.and_then(|tasks| RemainingTasks::from_columns(after_task, tasks));
    let due = time(row, "due").unwrap_or(DateTime::UNIX_EPOCH);
    Ok(OpenOutbox::of(id, left, due))
}

/// Reads a column that the platform may write, too.
fn run_by(row: &Named<'_>) -> Result<std::result::Result<Option<OwnerId>, Unreadable>> {
    Ok(text(row, "run_by")?.and_then(|text| {
        text.map(str::parse)
            .transpose()
            .map_err(|e| Unreadable(format!("run_by {e}")))
    }))
}

/// Reads the occurrence. The platform writes these rows: an invalid value is returned as a reason,
/// not as an error of the store.
fn occurrence(row: &Named<'_>) -> Result<std::result::Result<Occurrence, Unreadable>> {
    let text = |column| text(row, column);
    let (event_type, event) = (text("event_type")?, text("event")?);
    let (tags, variables) = (text("tags")?, text("variables")?);
    let (data, trace) = (text("data")?, text("trace")?);
    let (webhooks, channel) = (text("webhooks")?, text("channel")?);
    let (object_name, occurrence_id) = (text("object_name")?, text("occurrence_id")?);
    let object_id = text("object_id")?;
    let (tenant, owner) = (text("tenant")?, text("owner")?);
    let operators = row.get("operators")?;
    let read = || {
        OutboxColumns {
            event_type: event_type?.unwrap_or_default(),
            event: event?.unwrap_or_default(),
            object_id: object_id?.map(Into::into),
            object_name: object_name?,
            tags: tags?.unwrap_or_default().into(),
            variables: variables?.unwrap_or_default().into(),
            data: data?,
            occurrence_id: occurrence_id?,
            webhooks: webhooks?.map(Into::into),
            channel: channel?,
            tenant: tenant?.map(Into::into),
            owner: owner?.map(Into::into),
            operators,
            // An unreadable trace counts as none.
            trace: trace.ok().flatten().map(Into::into),
        }
        .occurrence()
    };
    Ok(read())
}

fn text<'r>(
    row: &Named<'r>,
    column: &str,
) -> Result<std::result::Result<Option<&'r str>, Unreadable>> {
    let value = row.get_ref(column)?;
    Ok(value
        .as_str_or_null()
        .map_err(|_| Unreadable(format!("{column} must be text in UTF-8"))))
}
