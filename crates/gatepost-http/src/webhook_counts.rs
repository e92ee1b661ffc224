//! `GET /api/v4/webhook_counts?webhook_url=2`: what became of a webhook's deliveries, by the hour.

use axum::extract::{RawQuery, State};
use chrono::{DateTime, TimeDelta, Utc};
use gatepost_storage::webhooks::HourlyCount;
use serde_json::{Value, json};
use webhook_model::WebhookId;

use crate::error::ApiError;
use crate::json_pieces::JsonPieces;
use crate::list::{Written, pick};
use crate::query::ListQuery;
use crate::schema::RowMap;
use crate::state::{Caller, Shared};

/// Hours of the response, if the request does not say how many: a day.
const HOURS: usize = 24;

/// The parameters beside those of every list.
struct Asked {
    webhook: WebhookId,
    from: DateTime<Utc>,
    before: DateTime<Utc>,
    /// `limit` is there: 0 is no limit.
    is_limited: bool,
}

/// One row for each hour in which something became of a delivery, the newest first.
pub(crate) async fn webhook_counts(
    State(shared): State<Shared>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<JsonPieces, ApiError> {
    let list = ListQuery::read(query.as_deref(), shared.limits.filter()).await?;
    let asked = Asked::parse(query.as_deref().unwrap_or(""))?;
    let most = shared.limits.rows;
    let limit = match list.limit {
        Some(limit) if limit > most => {
            return Err(ApiError::field("limit", format!("must be {most} or less")));
        }
        Some(limit) => limit,
        None if asked.is_limited => most,
        None => HOURS,
    };
    let limit = u32::try_from(limit).unwrap_or(u32::MAX);
    let (from, before) = (asked.from, asked.before);
    let counts = caller.webhook_counts(asked.webhook, from, before, limit);
    let mut written = Written::new(shared.limits.response);
    for (at, count) in counts.await?.iter().enumerate() {
        written.whole(&pick(&row(at, count), &list.fields)).await?;
    }
    Ok(written.end())
}

fn row(at: usize, count: &HourlyCount) -> RowMap {
    [
        ("$key", json!(at + 1)),
        ("webhook_url", json!(count.webhook.0)),
        ("hour", json!(count.hour.timestamp())),
        ("sent", json!(count.sent)),
        ("error", json!(count.failed)),
        ("retried", json!(count.retried)),
        ("duration_ms", json!(count.milliseconds)),
        ("bytes", json!(count.bytes)),
    ]
    .map(|(name, value): (_, Value)| (name.to_owned(), value))
    .into_iter()
    .collect()
}

impl Asked {
    fn parse(query: &str) -> Result<Self, ApiError> {
        let (mut webhook, mut is_limited) = (None, false);
        let (mut from, mut before) = (DateTime::UNIX_EPOCH, later());
        for (name, value) in url::form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "webhook_url" => webhook = Some(row_number(&value)?),
                "from" => from = time("from", &value)?,
                "before" => before = time("before", &value)?,
                "limit" => is_limited = true,
                _ => {}
            }
        }
        let webhook = webhook.ok_or_else(|| ApiError::field("webhook_url", "is required"))?;
        Ok(Self {
            webhook,
            from,
            before,
            is_limited,
        })
    }
}

fn row_number(text: &str) -> Result<WebhookId, ApiError> {
    let number = text.trim().parse().ok().filter(|row: &i64| *row > 0);
    number
        .map(WebhookId)
        .ok_or_else(|| ApiError::field("webhook_url", "must be a row number"))
}

/// After all hours, in all stores.
fn later() -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::seconds(u32::MAX.into())
}

/// Epoch seconds.
fn time(field: &str, text: &str) -> Result<DateTime<Utc>, ApiError> {
    let seconds: Option<u32> = text.trim().parse().ok();
    seconds
        .map(|seconds| DateTime::UNIX_EPOCH + TimeDelta::seconds(seconds.into()))
        .ok_or_else(|| ApiError::field(field, "must be epoch seconds"))
}
