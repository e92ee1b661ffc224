//! The login probe `GET /api/v4/system`.

use axum::Json;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

use crate::error::Result;
use crate::facts::VersionFacts;
use crate::list::pick;
use crate::schema::RowMap;
use crate::state::{Caller, Shared};

/// Returns a list of one row, as the login probe of every client expects.
pub(crate) async fn system(
    State(shared): State<Shared>,
    Caller(caller): Caller,
    RawQuery(query): RawQuery,
) -> Result<Response> {
    let query = shared.asked(query.as_deref(), &caller).await?;
    Ok(Json([&*pick(&shared.system, &query.fields)]).into_response())
}

/// Returns the row of the probe, which is constant while the platform runs.
pub(crate) fn row(facts: &VersionFacts) -> RowMap {
    let columns = [
        ("$key", json!(1)),
        ("yb_version", json!(facts.version)),
        ("os_version", json!(facts.os_version)),
        ("cloud_name", json!(facts.cloud_name)),
    ];
    columns.into_iter().collect()
}
