//! `GET /api/v4/rejected_deliveries`: deliveries that a limit rejected.

use axum::extract::{RawQuery, State};
use gatepost_storage::webhooks::Dropped;
use serde_json::json;
use webhook_model::WebhookId;

use crate::counted::row_number;
use crate::error::ApiError;
use crate::json_pieces::JsonPieces;
use crate::list::{Written, pick};
use crate::schema::RowMap;
use crate::state::{Caller, Shared};

/// The default number of counts in the response.
const COUNTS: usize = 100;

/// Returns the newest counts of the webhook that `?webhook_url=` names, or of all that the caller
/// may see.
pub(crate) async fn rejected_deliveries(
    State(shared): State<Shared>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<JsonPieces, ApiError> {
    let query = query.as_deref();
    let asked = shared.asked(query, &caller).await?;
    let most = shared.limits.rows;
    let (mut webhook, mut usual) = (None, COUNTS);
    for (name, value) in url::form_urlencoded::parse(query.unwrap_or("").as_bytes()) {
        match &*name {
            "webhook_url" => webhook = Some(WebhookId(row_number("webhook_url", &value)?)),
            "limit" => usual = most,
            _ => {}
        }
    }
    let limit = asked.limit.unwrap_or(usual);
    if limit > most {
        return Err(ApiError::field("limit", format!("must be {most} or less")));
    }
    let rejected = match webhook {
        Some(webhook) => caller.dropped_of(webhook, limit).await?,
        None => {
            let limit = u32::try_from(limit).unwrap_or(u32::MAX);
            caller.dropped(limit).await?
        }
    };
    let mut written = Written::new(shared.limits.response);
    for (at, count) in rejected.iter().enumerate() {
        written.whole(&pick(&row(at, count), &asked.fields)).await?;
    }
    Ok(written.end())
}

fn row(at: usize, count: &Dropped) -> RowMap {
    [
        ("$key", json!(at + 1)),
        ("webhook_url", json!(count.webhook.0)),
        ("minute", json!(count.minute.timestamp())),
        ("reason", json!(count.reason.as_str())),
        ("count", json!(count.count)),
    ]
    .into_iter()
    .collect()
}
