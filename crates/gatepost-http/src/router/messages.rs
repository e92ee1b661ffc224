//! `GET /api/v4/webhook_urls/2/messages?after=…`: what waits for a receiver that fetches.

use axum::Json;
use axum::extract::{RawQuery, State};
use gatepost_manage::{FetchedMessage, FetchedPage, MAX_FETCHED};
use serde_json::{Value, json};
use webhook_model::{Activity, WebhookId};

use super::body::{Parts, key};
use crate::error::ApiError;
use crate::state::{Caller, Shared};

/// The oldest messages that wait. What the page had whose cursor is `after` is acknowledged first:
/// that a `GET` does this is safe to repeat, by whoever repeats it.
pub(super) async fn messages(
    State(_): State<Shared>,
    Caller(caller): Caller,
    Parts(row): Parts<String>,
    RawQuery(query): RawQuery,
) -> Result<Json<Value>, ApiError> {
    let webhook = WebhookId(key(&row)?);
    // Whether the webhook is there goes before what is wrong with the query.
    caller.webhook(webhook).await?;
    let (after, limit) = asked(query.as_deref().unwrap_or_default())?;
    let page = caller.fetch(webhook, after, limit).await?;
    Ok(Json(written(&page)))
}

fn asked(query: &str) -> Result<(Option<String>, u32), ApiError> {
    let (mut after, mut limit) = (None, MAX_FETCHED);
    for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
        match &*name {
            "after" => after = Some(value.into_owned()),
            "limit" => limit = self::limit(&value)?,
            _ => {}
        }
    }
    Ok((after, limit))
}

fn limit(text: &str) -> Result<u32, ApiError> {
    let number: Option<u32> = text.trim().parse().ok();
    number
        .filter(|limit| (1..=MAX_FETCHED).contains(limit))
        .ok_or_else(|| ApiError::field("limit", format!("must be 1 to {MAX_FETCHED}")))
}

fn written(page: &FetchedPage) -> Value {
    json!({
        "messages": page.messages.iter().map(message).collect::<Vec<_>>(),
        "cursor": page.cursor,
        "acknowledged": page.acknowledged,
        "held": page.held.map(held),
    })
}

fn message(message: &FetchedMessage) -> Value {
    let headers = message.headers.iter();
    let content_type = headers
        .clone()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let headers = headers.map(|(name, value)| json!({"name": name, "value": value}));
    let cause = message.cause.as_ref();
    json!({
        "$key": message.delivery.0,
        "id": message.id.as_str(),
        "created": message.created.timestamp(),
        "task": message.task.map(|task| task.0),
        "table": cause.map(|cause| cause.event_type.as_str()),
        "event": cause.map(|cause| cause.event.as_str()),
        "content_type": content_type.map(|(_, value)| value),
        "headers": headers.collect::<Vec<_>>(),
        "body": &*message.body,
    })
}

fn held(activity: Activity) -> &'static str {
    match activity {
        Activity::Paused => "The webhook is paused: its messages wait until it is resumed",
        _ => "The webhook is disabled: its messages wait until it is enabled",
    }
}
