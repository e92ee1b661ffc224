//! The login probe `GET /api/v4/system`.

use axum::Json;
use axum::extract::{RawQuery, State};
use serde_json::json;

use crate::error::ApiError;
use crate::query::ListQuery;
use crate::query::fields::{Column, Field, Fields};
use crate::schema::RowMap;
use crate::state::Shared;

/// A list of one row, as every client's login probe reads it.
pub(crate) async fn system(
    State(shared): State<Shared>,
    RawQuery(query): RawQuery,
) -> Result<Json<Vec<RowMap>>, ApiError> {
    let query = ListQuery::parse(query.as_deref().unwrap_or(""), &shared.limits.filter())?;
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
    Ok(Json(vec![project(&row, &query.fields)]))
}

fn project(row: &RowMap, fields: &Fields) -> RowMap {
    let Fields::These(fields) = fields else {
        return row.clone();
    };
    let mut out = RowMap::new();
    for field in fields {
        match field {
            Field::Every => out.extend(row.clone()),
            Field::One {
                what: Column::Plain(column),
                name,
            } => out.extend(row.get(column).map(|value| (name.clone(), value.clone()))),
            Field::One { .. } => {}
        }
    }
    out
}
