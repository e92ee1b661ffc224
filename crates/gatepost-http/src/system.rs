//! The login probe `GET /api/v4/system`.

use axum::Json;
use axum::extract::{RawQuery, State};
use serde_json::json;

use crate::error::ApiError;
use crate::list::pick;
use crate::query::ListQuery;
use crate::schema::RowMap;
use crate::state::Shared;

/// A list of one row, as every client's login probe reads it.
pub(crate) async fn system(
    State(shared): State<Shared>,
    RawQuery(query): RawQuery,
) -> Result<Json<Vec<RowMap>>, ApiError> {
    let query = ListQuery::read(query.as_deref(), shared.limits.filter()).await?;
    let facts = &shared.facts;
    let row: RowMap = [
        ("$key", json!(1)),
        ("yb_version", json!(facts.version)),
        ("os_version", json!(facts.os_version)),
        ("cloud_name", json!(facts.cloud_name)),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .into_iter()
    .collect();
    Ok(Json(vec![pick(&row, &query.fields)]))
}
