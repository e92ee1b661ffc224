//! Paths to handlers. Every table is served by the same few functions.

mod actions;
mod body;
mod observe;
mod rows;

use std::collections::HashMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use gatepost_keys::AuthLayer;
use gatepost_manage::Audit;

use crate::config::Limits;
use crate::error::ApiError;
use crate::resource::Resource;
use crate::system::VersionFacts;
use crate::table::Table;

/// What the handlers share.
#[derive(Clone, Debug)]
pub(crate) struct Shared {
    pub tables: Arc<Tables>,
    pub limits: Limits,
    pub facts: Arc<VersionFacts>,
    pub audit: Arc<dyn Audit>,
    pub openapi: Arc<str>,
}

/// What the handlers of one table know.
#[derive(Clone, Debug)]
struct Served {
    shared: Shared,
    resource: Arc<dyn Resource>,
}

/// The tables, by the first segments of their paths: their names, and their action endpoints.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    all: Vec<Arc<dyn Resource>>,
    by_path: HashMap<String, &'static str>,
}

impl Tables {
    /// Adds a table. One whose paths are taken, or are no lower-case words, is passed over, and the
    /// log says so.
    pub(crate) fn add(&mut self, resource: Arc<dyn Resource>) {
        let table = resource.table();
        let paths = [table.name.to_owned(), endpoint(table)];
        let free = |path: &String| {
            path.bytes()
                .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
                && path != "system"
                && !self.by_path.contains_key(path)
        };
        if table.name.is_empty() || !paths.iter().all(free) {
            tracing::error!(table = table.name, "a table cannot be served at its path");
            return;
        }
        self.by_path.extend(paths.map(|path| (path, table.name)));
        self.all.push(resource);
    }

    /// The declarations.
    pub(crate) fn declared(&self) -> Vec<&'static Table> {
        self.all.iter().map(|resource| resource.table()).collect()
    }

    /// What a path is called in metrics: a table, whatever is done with it, `system`, or `other`.
    fn label(&self, path: &str) -> &'static str {
        let first = path.trim_start_matches('/').split('/').next();
        match first.unwrap_or_default() {
            "system" => "system",
            first => self.by_path.get(first).copied().unwrap_or("other"),
        }
    }
}

/// `webhook_url_actions`
fn endpoint(table: &Table) -> String {
    format!("{}_actions", table.singular)
}

/// The routes under `/api/v4`, behind the guard.
pub(crate) fn router(shared: Shared, guard: AuthLayer) -> Router {
    let mut routes = Router::new()
        .route("/system", get(crate::system::system))
        .route("/openapi.json", get(crate::openapi::serve))
        .with_state(shared.clone());
    for resource in &shared.tables.all {
        routes = routes.merge(table_routes(Served {
            shared: shared.clone(),
            resource: resource.clone(),
        }));
    }
    routes
        .fallback(|| async { ApiError::not_found() })
        .method_not_allowed_fallback(|| async { ApiError::not_permitted() })
        .layer(DefaultBodyLimit::max(shared.limits.body))
        .layer(guard)
        .layer(from_fn_with_state(shared, observe::observe))
}

/// The paths of one table, each with the methods that it has: a 405 says which (RFC 9110 §15.5.6).
fn table_routes(served: Served) -> Router {
    let table = served.resource.table();
    let (mut rows, mut row) = (get(rows::list), get(rows::read));
    if table.creatable {
        rows = rows.post(rows::create);
    }
    if table.updatable || !table.actions.is_empty() {
        row = row.put(rows::update);
    }
    if table.deletable {
        row = row.delete(rows::delete);
    }
    let name = table.name;
    let mut routes = Router::new()
        .route(&format!("/{name}"), rows)
        .route(&format!("/{name}/{{key}}"), row);
    if !table.actions.is_empty() {
        routes = routes
            .route(
                &format!("/{name}/{{key}}/{{action}}"),
                post(actions::by_path),
            )
            .route(&format!("/{}", endpoint(table)), post(actions::by_endpoint));
    }
    routes.with_state(served)
}
