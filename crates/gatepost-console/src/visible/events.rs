//! The events of the caller's tasks, newest first.

use std::collections::BTreeMap;

use gatepost_keys::AccessLevel;
use gatepost_storage::webhooks::EventQuery;
use gatepost_storage::{Page, Row};
use webhook_model::{Event, EventId, TaskId};

use crate::context::PageContext;
use crate::failure::Failure;

/// Rows read at a time for a caller who may see only some of them.
const STRIDE: u32 = 500;
/// Events and tasks that are read at most.
const MAX_READ: usize = 20_000;

type Rows = (Vec<Row<EventId, Event>>, BTreeMap<TaskId, String>);

/// The newest events of the caller's tasks, and the names of those.
pub(crate) async fn events(
    ctx: &PageContext,
    after: Option<EventId>,
    limit: usize,
) -> Result<Rows, Failure> {
    let engine = &ctx.console.engine;
    let all = ctx.principal.access == AccessLevel::SystemAdministrator;
    let mut names = BTreeMap::new();
    if !all {
        let tasks = ctx.tasks(None, Page::newest(1), MAX_READ).await?;
        names.extend(
            tasks
                .into_iter()
                .map(|row| (row.id, row.task.name.to_string())),
        );
        if names.is_empty() {
            return Ok((Vec::new(), names));
        }
    }
    let mut query = EventQuery {
        task: None,
        event_type: None,
        page: Page {
            after,
            ..Page::newest(if all {
                u32::try_from(limit).unwrap_or(STRIDE)
            } else {
                STRIDE
            })
        },
    };
    let mut rows = Vec::new();
    for _ in 0..MAX_READ / STRIDE as usize {
        let found = engine.list_events(&query).await?;
        let more = found.len() >= query.page.limit as usize;
        query.page.after = found.last().map(|row| row.id);
        rows.extend(
            found
                .into_iter()
                .filter(|row| all || names.contains_key(&row.value.task)),
        );
        if !more || rows.len() >= limit {
            break;
        }
    }
    rows.truncate(limit);
    for row in rows.iter().filter(|_| all) {
        if !names.contains_key(&row.value.task)
            && let Some(task) = engine.task(row.value.task).await?
        {
            names.insert(task.id, task.task.name.to_string());
        }
    }
    Ok((rows, names))
}
