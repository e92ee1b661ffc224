//! The REST API's routes.

use std::net::SocketAddr;

use async_trait::async_trait;
use axum::Router;
use axum::extract::ConnectInfo;
use gatepost_http::Api;
use gatepost_keys::AuthLayer;
use gatepost_manage::Operation;
use serde_json::{Value, json};

use super::act::{Act, request};
use super::site::{DoorSite, Parts, Roof};

/// The REST API at `/api/v4`.
#[derive(Clone, Copy, Debug)]
pub struct Rest;

/// A row action: its act, its table, the singular, its name, its parameters, the store's method,
/// the word.
type RowAction = (
    &'static str,
    (&'static str, &'static str, i64),
    &'static str,
    Value,
    &'static str,
    Operation,
);

#[async_trait]
impl Roof for Rest {
    fn mount(&self, parts: &Parts) -> Router {
        let guard = AuthLayer::new(parts.keys.clone(), |ext| {
            ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
        });
        let api = Api::builder(parts.management.clone(), guard).build();
        Router::new().nest("/api/v4", api.router())
    }

    async fn acts(&self, site: &DoorSite) -> Vec<Act> {
        let mut acts = rows(site);
        for action in actions(site) {
            acts.extend(spelled(site, &action));
        }
        acts
    }
}

fn act(
    site: &DoorSite,
    what: &'static str,
    (method, path): (&str, &str),
    body: &Value,
    held: &'static str,
    (table, operation): (&'static str, Operation),
) -> Act {
    let path = format!("/api/v4/{path}");
    let login = format!("Authorization: Bearer {}", site.admin);
    let body = if body.is_null() {
        String::new()
    } else {
        body.to_string()
    };
    Act {
        what,
        spelling: format!("{method} {path} {body}"),
        request: request(method, &path, &[&login], &body),
        held: (held, 1),
        table,
        operation,
    }
}

/// Returns the acts that create, update and delete rows of each table.
fn rows(site: &DoorSite) -> Vec<Act> {
    use Operation::{Create, Delete, Update};
    let rows = site.rows;
    let owner = format!("webhook_urls/{}", rows.webhook);
    let key = json!({"user": 1, "name": "new"});
    let webhook = json!({"name": "new", "url": "http://127.0.0.1:9/"});
    let task = json!({"name": "new", "owner": owner});
    let event = json!({"task": rows.task.0, "table": "alarms", "event": "raised"});
    let name = json!({"name": "other"});
    let off = json!({"enabled": false});
    #[rustfmt::skip]
    let table = [
        ("create key", "POST", "user_api_keys", None, key, "insert_key", Create),
        ("edit key", "PUT", "user_api_keys", Some(rows.key.0), name.clone(), "update_key", Update),
        ("delete key", "DELETE", "user_api_keys", Some(rows.key.0), Value::Null, "delete_key", Delete),
        ("create webhook", "POST", "webhook_urls", None, webhook, "insert_webhook", Create),
        ("edit webhook", "PUT", "webhook_urls", Some(rows.webhook.0), name.clone(), "update_webhook", Update),
        ("delete webhook", "DELETE", "webhook_urls", Some(rows.paused.0), Value::Null, "delete_webhook", Delete),
        ("create task", "POST", "tasks", None, task, "insert_task", Create),
        ("edit task", "PUT", "tasks", Some(rows.task.0), name, "update_task", Update),
        ("delete task", "DELETE", "tasks", Some(rows.task.0), Value::Null, "delete_task", Delete),
        ("create event", "POST", "task_events", None, event, "insert_event", Create),
        ("edit event", "PUT", "task_events", Some(rows.event.0), off, "update_event", Update),
        ("delete event", "DELETE", "task_events", Some(rows.event.0), Value::Null, "delete_event", Delete),
        ("delete delivery", "DELETE", "webhooks", Some(rows.failed.0), Value::Null, "delete_delivery", Delete),
    ];
    let acts = table
        .into_iter()
        .map(|(what, method, table, row, body, held, word)| {
            let path = row.map_or(table.to_owned(), |row| format!("{table}/{row}"));
            act(site, what, (method, &path), &body, held, (table, word))
        });
    acts.collect()
}

/// Returns every declared action.
fn actions(site: &DoorSite) -> Vec<RowAction> {
    use Operation::{
        Cancel, Disable, Enable, Pause, Replay, Resume, Retry, Roll, Run, Send, Trigger,
    };
    let rows = site.rows;
    let key = ("user_api_keys", "user_api_key", rows.key.0);
    let webhook = ("webhook_urls", "webhook_url", rows.webhook.0);
    let paused = ("webhook_urls", "webhook_url", rows.paused.0);
    let task = ("tasks", "task", rows.task.0);
    let event = ("task_events", "task_event", rows.event.0);
    let failed = ("webhooks", "webhook", rows.failed.0);
    let waiting = ("webhooks", "webhook", rows.waiting.0);
    let none = || json!({});
    let message = json!({"message": "hello"});
    let context = json!({"context": {"WHO": "me"}});
    #[rustfmt::skip]
    let actions = vec![
        ("roll key", key, "roll", json!({"overlap": 0}), "roll_key", Roll),
        ("send message", webhook, "send", message, "enqueue", Send),
        ("pause webhook", webhook, "pause", none(), "update_webhook", Pause),
        ("resume webhook", paused, "resume", none(), "update_webhook", Resume),
        ("replay failed", webhook, "replay_failed", none(), "replay", Replay),
        ("run task", task, "execute", none(), "enqueue", Run),
        ("cancel task", task, "cancel", none(), "cancel", Cancel),
        ("enable task", task, "enable", none(), "update_task", Enable),
        ("disable task", task, "disable", none(), "update_task", Disable),
        ("trigger event", event, "trigger", context, "enqueue", Trigger),
        ("replay delivery", failed, "replay", none(), "replay", Replay),
        ("retry delivery", waiting, "retry", none(), "hasten", Retry),
        ("cancel delivery", waiting, "cancel", none(), "cancel", Cancel),
    ];
    actions
}

/// Returns an action in its three spellings.
fn spelled(site: &DoorSite, action: &RowAction) -> [Act; 3] {
    let (what, (table, singular, row), name, params, held, operation) = action;
    let word = (*table, *operation);
    let by_path = format!("{table}/{row}/{name}");
    let by_query = format!("{table}/{row}?action={name}");
    let by_endpoint = format!("{singular}_actions");
    let body = json!({*singular: row, "action": name, "params": params});
    [
        act(site, what, ("POST", &by_path), params, held, word),
        act(site, what, ("PUT", &by_query), params, held, word),
        act(site, what, ("POST", &by_endpoint), &body, held, word),
    ]
}
