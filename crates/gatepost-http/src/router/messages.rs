//! `GET /api/v4/webhook_urls/2/messages?after=…`: messages for a receiver that fetches.

use axum::extract::{RawQuery, State};
use gatepost_manage::{FetchedMessage, FetchedPage, MAX_FETCHED};
use serde_json::{Value, json};
use webhook_model::{Activity, WebhookId};

use super::body::{Parts, key};
use crate::error::{ApiError, Result};
use crate::json_pieces::JsonPieces;
use crate::schema::number;
use crate::state::{Caller, Shared};
use crate::turn::Turn;

/// Returns the oldest waiting messages, and first acknowledges the page whose cursor is `after`. A
/// `GET` may do this because repeating it is safe.
pub(super) async fn messages(
    State(_): State<Shared>,
    Caller(caller): Caller,
    Parts(row): Parts<String>,
    RawQuery(query): RawQuery,
) -> Result<JsonPieces> {
    let webhook = WebhookId(number(key(&row)?)?);
    // A missing webhook takes precedence over an invalid query.
    caller.webhook(webhook).await?;
    let (after, limit) = asked(query.as_deref().unwrap_or_default())?;
    let page = caller.fetch(webhook, after, limit).await?;
    Ok(written(&page).await)
}

fn asked(query: &str) -> Result<(Option<String>, u32)> {
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

fn limit(text: &str) -> Result<u32> {
    let number: Option<u32> = text.trim().parse().ok();
    number
        .filter(|limit| (1..=MAX_FETCHED).contains(limit))
        .ok_or_else(|| ApiError::field("limit", format!("must be 1 to {MAX_FETCHED}")))
}

/// Writes one message after another, and yields between large ones.
async fn written(page: &FetchedPage) -> JsonPieces {
    let (mut pieces, mut turn) = (JsonPieces::default(), Turn::default());
    pieces.raw(br#"{"messages":["#);
    for (at, fetched) in page.messages.iter().enumerate() {
        pieces.raw(if at > 0 { b"," } else { b"" });
        pieces.value(&message(fetched), usize::MAX, &mut turn).await;
    }
    pieces.raw(br#"],"cursor":"#);
    pieces.name(&page.cursor);
    pieces.raw(br#","acknowledged":"#);
    pieces.short(&page.acknowledged.into());
    pieces.raw(br#","held":"#);
    pieces.short(&page.held.map(held).into());
    pieces.raw(b"}");
    pieces
}

fn message(message: &FetchedMessage) -> Value {
    let headers = message.headers.iter();
    let content_type = headers
        .clone()
        .find(|(name, _)| name.eq_ignore_ascii_case("content-type"));
    let headers = headers.map(|(name, value)| json!({"name": name, "value": value}));
    let delivery = &message.delivery;
    let cause = delivery.cause.as_ref();
    json!({
        "$key": delivery.id.0,
        "id": delivery.message_id.as_str(),
        "created": delivery.created.timestamp(),
        "task": delivery.task.map(|task| task.0),
        "table": cause.map(|cause| cause.event_type.as_str()),
        "event": cause.map(|cause| cause.event.as_str()),
        "content_type": content_type.map(|(_, value)| value),
        "headers": headers.collect::<Vec<_>>(),
        "body": &*delivery.body,
    })
}

fn held(activity: Activity) -> &'static str {
    match activity {
        Activity::Paused => "The webhook is paused: its messages wait until it is resumed",
        _ => "The webhook is disabled: its messages wait until it is enabled",
    }
}
