//! Paths to handlers. Every table is served by the same few functions.

mod actions;
mod body;
mod observe;
mod rows;

use std::collections::HashMap;
use std::sync::Arc;

use apikey_auth::AuthLayer;
use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};

use crate::audit::Audit;
use crate::config::Limits;
use crate::error::ApiError;
use crate::resource::Resource;
use crate::system::VersionFacts;

/// What the handlers share.
#[derive(Debug, Clone)]
pub(crate) struct Shared {
    pub tables: Arc<Tables>,
    pub limits: Limits,
    pub facts: Arc<VersionFacts>,
    pub audit: Arc<dyn Audit>,
    pub openapi: Arc<str>,
}

/// The tables, by name and by the name of their action endpoint.
#[derive(Debug, Default)]
pub(crate) struct Tables {
    by_name: HashMap<&'static str, Arc<dyn Resource>>,
}

impl Tables {
    pub(crate) fn add(&mut self, resource: Arc<dyn Resource>) {
        self.by_name.insert(resource.table().name, resource);
    }

    pub(crate) fn named(&self, name: &str) -> Result<&Arc<dyn Resource>, ApiError> {
        self.by_name.get(name).ok_or_else(ApiError::not_found)
    }

    /// The table whose rows `webhook_url_actions` acts on.
    pub(crate) fn acted_on_by(&self, path: &str) -> Option<&Arc<dyn Resource>> {
        let singular = path.strip_suffix("_actions")?;
        self.by_name.values().find(|resource| {
            resource.table().singular == singular && !resource.table().actions.is_empty()
        })
    }

    /// What a path is called in metrics: a table, whatever is done with it, `system`, or `other`.
    fn label(&self, path: &str) -> &'static str {
        let first = path.trim_start_matches('/').split('/').next();
        let first = first.unwrap_or_default();
        if let Some((name, _)) = self.by_name.get_key_value(first) {
            return name;
        }
        match self.acted_on_by(first) {
            Some(resource) => resource.table().name,
            None if first == "system" => "system",
            None => "other",
        }
    }
}

/// The routes under `/api/v4`, behind the guard.
pub(crate) fn router(shared: Shared, guard: AuthLayer) -> Router {
    Router::new()
        .route("/system", get(crate::system::system))
        .route("/openapi.json", get(crate::openapi::serve))
        .route("/{table}", get(rows::list).post(rows::create))
        .route(
            "/{table}/{key}",
            get(rows::read).put(rows::update).delete(rows::delete),
        )
        .route("/{table}/{key}/{action}", post(actions::by_path))
        .fallback(|| async { ApiError::not_found() })
        .method_not_allowed_fallback(|| async { ApiError::not_permitted() })
        .layer(DefaultBodyLimit::max(shared.limits.body))
        .layer(guard)
        .layer(from_fn_with_state(shared.clone(), observe::observe))
        .with_state(shared)
}
