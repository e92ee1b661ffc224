//! `GET /api/v4/webhook_counts?webhook_url=2`: hourly outcomes of a webhook's deliveries.

use axum::extract::{RawQuery, State};
use gatepost_storage::webhooks::HourlyCount;
use serde_json::json;
use webhook_model::WebhookId;

use crate::counted::Counted;
use crate::error::ApiError;
use crate::json_pieces::JsonPieces;
use crate::list::{Written, pick};
use crate::schema::RowMap;
use crate::state::{Caller, Shared};

/// The default number of hours in the response: a day.
const HOURS: usize = 24;

/// Returns one row for each hour with an outcome, the newest first.
pub(crate) async fn webhook_counts(
    State(shared): State<Shared>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<JsonPieces, ApiError> {
    let asked = Counted::read(query.as_deref(), &caller, &shared, "webhook_url", HOURS).await?;
    let (webhook, from, before) = (WebhookId(asked.row), asked.from, asked.before);
    let counts = caller.webhook_counts(webhook, from, before, asked.limit);
    let mut written = Written::new(shared.limits.response);
    for (at, count) in counts.await?.iter().enumerate() {
        written.whole(&pick(&row(at, count), &asked.fields)).await?;
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
    .into_iter()
    .collect()
}
