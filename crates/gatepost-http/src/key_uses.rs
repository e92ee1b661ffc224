//! `GET /api/v4/user_api_key_uses?key=2`: the daily usage of a key.

use apikey_core::KeyId;
use axum::extract::{RawQuery, State};
use chrono::{DateTime, Days, NaiveDate, NaiveTime, Utc};
use gatepost_storage::keys::KeyUse;
use serde_json::json;

use crate::counted::Counted;
use crate::error::ApiError;
use crate::json_pieces::JsonPieces;
use crate::list::{Written, pick};
use crate::schema::RowMap;
use crate::state::{Caller, Shared};

/// The default number of days in the response.
const DAYS: usize = 30;

/// Returns one row for each day on which the key was used or refused, the newest first.
pub(crate) async fn key_uses(
    State(shared): State<Shared>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<JsonPieces, ApiError> {
    let asked = Counted::read(query.as_deref(), &caller, &shared, "key", DAYS).await?;
    let (key, limit) = (KeyId(asked.row), asked.limit);
    let (from, before) = (begun(asked.from), begun(asked.before));
    let uses = caller.key_uses(key, from, before, limit);
    let mut written = Written::new(shared.limits.response);
    for (at, day) in uses.await?.iter().enumerate() {
        written.whole(&pick(&row(at, day), &asked.fields)).await?;
    }
    Ok(written.end())
}

fn row(at: usize, day: &KeyUse) -> RowMap {
    [
        ("$key", json!(at + 1)),
        ("key", json!(day.key.0)),
        ("day", json!(day.begins().timestamp())),
        ("used", json!(day.used)),
        ("refused", json!(day.refused)),
    ]
    .into_iter()
    .collect()
}

/// Returns the first day that begins at or after this time.
fn begun(at: DateTime<Utc>) -> NaiveDate {
    let day = at.date_naive();
    if at.time() == NaiveTime::MIN {
        day
    } else {
        day.checked_add_days(Days::new(1)).unwrap_or(day)
    }
}
