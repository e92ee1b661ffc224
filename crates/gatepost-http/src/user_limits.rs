//! `GET /api/v4/limits`: the limits of a user, and their usage.

use axum::extract::{RawQuery, State};
use gatepost_manage::Limit;
use serde_json::{Value, json};
use webhook_model::OwnerId;

use crate::error::{ApiError, Result};
use crate::json_pieces::JsonPieces;
use crate::list::numbered;
use crate::state::{Caller, Shared};

/// Returns one row for each limit of the caller, or of the user that `?user=` names.
pub(crate) async fn limits(
    State(shared): State<Shared>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<JsonPieces> {
    let asked = shared.asked(query.as_deref(), &caller).await?;
    let user = user(query.as_deref().unwrap_or(""))?.unwrap_or(caller.principal().owner);
    let found = caller.limits(user).await?;
    let row = |limit: &Limit| {
        [
            ("user", json!(user)),
            ("name", json!(limit.name)),
            ("used", json!(limit.used)),
            ("limit", most(limit.most)),
            ("rejected", json!(limit.rejected)),
        ]
    };
    numbered(&found, row, &asked.fields, &shared).await
}

/// Returns the limit; null means no limit.
fn most(most: u64) -> Value {
    match i64::try_from(most) {
        Ok(most) => most.into(),
        Err(_) => Value::Null,
    }
}

fn user(query: &str) -> Result<Option<OwnerId>> {
    let named = url::form_urlencoded::parse(query.as_bytes());
    let mut named = named.filter(|(name, _)| name == "user");
    let Some((_, user)) = named.next() else {
        return Ok(None);
    };
    if named.next().is_some() {
        return Err(ApiError::field("user", "must be given once"));
    }
    let user = user.parse().ok().filter(|user| *user != OwnerId(0));
    let user = user.ok_or_else(|| ApiError::field("user", "must be a row number or a UUID"))?;
    Ok(Some(user))
}
