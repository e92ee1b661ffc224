//! The login probe `GET /api/v4/system` and `GET /version.json`.

use axum::Json;
use axum::extract::{RawQuery, State};
use serde_json::{Value, json};

use crate::error::ApiError;
use crate::query::ListQuery;
use crate::query::fields::{Column, Field, Fields};
use crate::router::Shared;
use crate::table::RowMap;

/// What the host says of itself. Clients ask for a major version of 26 or greater.
#[derive(Clone, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub struct VersionFacts {
    /// The platform's version, such as `26.1.8`.
    pub version: String,
    /// The version of its operating system.
    pub os_version: String,
    /// The name of this installation.
    pub cloud_name: String,
}

impl VersionFacts {
    /// A version and a name; the operating system's version is taken to be the same.
    #[must_use]
    pub fn new(version: impl Into<String>, cloud_name: impl Into<String>) -> Self {
        let version = version.into();
        Self {
            os_version: version.clone(),
            version,
            cloud_name: cloud_name.into(),
        }
    }

    pub(crate) fn version_json(&self) -> Value {
        json!({"version": self.version})
    }
}

impl Default for VersionFacts {
    fn default() -> Self {
        Self::new("26.1.8", "gatepost")
    }
}

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
