//! `POST /api/v4/leaked_keys`: finds keys in a text, and disables or deletes them.

use axum::Json;
use gatepost_manage::{LeakedKey, OnLeak};
use serde_json::{Value, json};

use super::body::Body;
use crate::error::Result;
use crate::resources::LEAKED;
use crate::schema::Input;
use crate::state::Caller;

/// Returns one row for each key that exists, never with the key itself.
pub(super) async fn leaked(Caller(caller): Caller, body: Body) -> Result<Json<Vec<Value>>> {
    let input = body
        .checked(|body, _| Input::params(&LEAKED, &body))
        .await?;
    let then = match input.text("action") {
        Some("disable") => OnLeak::Disable,
        Some("delete") => OnLeak::Delete,
        _ => OnLeak::Report,
    };
    let text = input.text("text").unwrap_or_default().to_owned();
    let found = caller.report_leaked(text, then).await?;
    Ok(Json(found.iter().map(row).collect()))
}

fn row(leaked: &LeakedKey) -> Value {
    let done = match leaked.done {
        OnLeak::Report => "reported",
        OnLeak::Disable => "disabled",
        OnLeak::Delete => "deleted",
    };
    json!({
        "$key": leaked.row.id.0,
        "user": leaked.row.key.owner,
        "name": leaked.row.key.name.as_str(),
        "masked": leaked.row.key.masked.as_str(),
        "done": done,
    })
}
