//! The tables of `Management`.

mod audit_log;
mod deliveries;
mod events;
mod keys;
mod row;
pub(crate) mod subscriptions;
mod tasks;
mod unreadable;
mod webhooks;

use std::sync::Arc;

use gatepost_manage::Actor;
use serde_json::Value;
use webhook_model::{ObjectId, TaskId, WebhookId};

use self::audit_log::AuditLog;
use self::deliveries::Deliveries;
use self::events::Events;
use self::keys::Keys;
pub(crate) use self::keys::LEAKED;
use self::tasks::Tasks;
use self::webhooks::Webhooks;

use self::row::if_there;
use crate::error::Result;
use crate::resource::Resource;
use crate::schema::{Kind, id, number};

/// Returns the name of the row that a column of this kind refers to; `None` if it does not exist,
/// cannot be read, or the caller may not see it.
pub(crate) async fn name(caller: &Actor, kind: Kind, reference: &Value) -> Result<Option<String>> {
    let (table, key) = match reference.as_str().and_then(|text| text.split_once('/')) {
        Some((table, key)) => (table, key.parse::<ObjectId>().ok()),
        None => ("users", id(reference)),
    };
    let Some(key) = key else { return Ok(None) };
    match kind {
        Kind::Key("tasks") => {
            let task = if_there(caller.task(TaskId(number(key)?)).await)?;
            Ok(task.map(|row| row.value.name.to_string()))
        }
        Kind::Key(_) | Kind::Reference(Some("webhook_urls")) => {
            let webhook = if_there(caller.webhook(WebhookId(number(key)?)).await)?;
            Ok(webhook.map(|row| row.value.name.to_string()))
        }
        _ => Ok(caller.name(table, key).await),
    }
}

/// Returns all tables, with `audit_log` only if there is an audit log.
pub(crate) fn all(has_audit_log: bool) -> Vec<Arc<dyn Resource>> {
    let mut all: Vec<Arc<dyn Resource>> = vec![
        Arc::new(Keys),
        Arc::new(Webhooks),
        Arc::new(Deliveries),
        Arc::new(Tasks),
        Arc::new(Events),
    ];
    if has_audit_log {
        all.push(Arc::new(AuditLog));
    }
    all
}
