//! `POST /api/v4/subscriptions`: a webhook, a task and its events, all of them or none.

use axum::Json;
use axum::http::StatusCode;
use serde_json::{Value, json};

use super::body::Body;
use crate::error::{ApiError, Result};
use crate::resources::subscriptions::Subscription;
use crate::state::Caller;

pub(super) async fn subscribe(
    Caller(caller): Caller,
    body: Body,
) -> Result<(StatusCode, Json<Value>)> {
    let subscription = body.checked(Subscription::parse).await?;
    let created = subscription.create(&caller).await;
    let created = created.map_err(ApiError::of_creation)?;
    let mut receipt = json!({
        "webhook_url": created.webhook,
        "task": created.task,
        "task_events": created.events,
    });
    if let Some(secret) = created.secret {
        receipt["response"] = json!({"signing_secret": secret.expose()});
    }
    Ok((StatusCode::CREATED, Json(receipt)))
}
