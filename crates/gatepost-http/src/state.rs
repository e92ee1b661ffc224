//! The shared state of the handlers, and the caller of a request.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use axum::body::Bytes;
use axum::extract::FromRequestParts;
use gatepost_manage::{Actor, Management, Principal};
use http::request;

use crate::aside::Aside;
use crate::error::{ApiError, Result};
use crate::facts::VersionFacts;
use crate::granted::needed_by;
use crate::limits::Limits;
use crate::query::ListQuery;
use crate::resource::Resource;
use crate::schema::{RowMap, Table};

/// Reserved paths, which no table can have.
const OURS: [&str; 8] = [
    "leaked_keys",
    "limits",
    "rejected_deliveries",
    "subscriptions",
    "system",
    "user_api_key_uses",
    "webhook_counts",
    "whoami",
];

/// The label of any other path in metrics.
pub(crate) const OTHER: &str = "other";

/// The shared state of the handlers: cheap to clone, since each request has one.
#[derive(Clone, Debug)]
pub(crate) struct Shared(pub Arc<Parts>);

#[derive(Debug)]
pub(crate) struct Parts {
    pub management: Management,
    pub tables: Arc<Tables>,
    pub limits: Limits,
    pub facts: VersionFacts,
    /// Whether ids of the platform are texts in the OpenAPI document.
    pub has_text_ids: bool,
    /// The row of the login probe.
    pub system: RowMap,
    /// Created at the first request: this temporarily takes megabytes.
    pub openapi: OnceLock<Bytes>,
    /// The queue of long work.
    pub aside: Aside,
}

impl Shared {
    /// Parses a caller's list request.
    pub(crate) async fn asked(&self, query: Option<&str>, caller: &Actor) -> Result<ListQuery> {
        let whose = (&self.aside, caller.principal().owner);
        ListQuery::read(query, self.limits, whose).await
    }
}

impl Deref for Shared {
    type Target = Parts;

    fn deref(&self) -> &Parts {
        &self.0
    }
}

/// The state of the handlers of one table.
#[derive(Clone, Debug)]
pub(crate) struct Served {
    pub shared: Shared,
    pub resource: Arc<dyn Resource>,
}

/// The caller of the request: the authenticated principal with its operations.
pub(crate) struct Caller(pub Actor);

impl FromRequestParts<Shared> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut request::Parts, shared: &Shared) -> Result<Self> {
        let principal = parts.extensions.get::<Principal>();
        principal
            .map(|principal| Self(shared.management.of(principal)))
            .ok_or_else(ApiError::internal)
    }
}

/// A key that was not granted the table gets 403.
impl FromRequestParts<Served> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut request::Parts, served: &Served) -> Result<Self> {
        let Self(caller) = Self::from_request_parts(parts, &served.shared).await?;
        let (table, grant) = (served.resource.table().name, &caller.principal().grant);
        match grant.allows_table(table, needed_by(&parts.method)) {
            Ok(()) => Ok(Self(caller)),
            Err(why) => Err(ApiError::refused(why.to_string())),
        }
    }
}

/// The tables, by the first segments of their paths: their names, and their action endpoints.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    all: Vec<Arc<dyn Resource>>,
    by_path: HashMap<String, &'static str>,
}

impl Tables {
    /// Adds a table. A table whose paths are taken, or are not lower-case words, is skipped and
    /// logged.
    pub(crate) fn add(&mut self, resource: Arc<dyn Resource>) {
        let table = resource.table();
        let paths = [table.name.to_owned(), table.endpoint()];
        let free = |path: &String| {
            path.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
                && !OURS.contains(&path.as_str())
                && !self.by_path.contains_key(path)
        };
        if table.name.is_empty() || !paths.iter().all(free) {
            tracing::error!(table = table.name, "a table cannot be served at its path");
            return;
        }
        self.by_path.extend(paths.map(|path| (path, table.name)));
        self.all.push(resource);
    }

    /// Returns the tables, in the order in which they were added.
    pub(crate) fn all(&self) -> &[Arc<dyn Resource>] {
        &self.all
    }

    /// Returns the declarations.
    pub(crate) fn declared(&self) -> Vec<&'static Table> {
        self.all.iter().map(|resource| resource.table()).collect()
    }

    /// Returns the labels of paths in metrics, without [`OTHER`].
    pub(crate) fn labels(&self) -> impl Iterator<Item = &'static str> {
        let tables = self.all.iter().map(|resource| resource.table().name);
        OURS.into_iter().chain(tables)
    }

    /// Returns the label of a path in metrics: a table for all of its paths, a reserved path, or
    /// [`OTHER`].
    pub(crate) fn label(&self, path: &str) -> &'static str {
        let first = path.trim_start_matches('/').split('/').next();
        let first = first.unwrap_or_default();
        let ours = OURS.into_iter().find(|path| *path == first);
        ours.or_else(|| self.by_path.get(first).copied())
            .unwrap_or(OTHER)
    }
}
