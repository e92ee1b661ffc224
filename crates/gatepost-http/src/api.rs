//! The REST API that a platform mounts.

use std::sync::{Arc, OnceLock};

use axum::routing::get;
use axum::{Json, Router};
use gatepost_keys::AuthLayer;
use gatepost_manage::Management;

use crate::aside::Aside;
use crate::facts::VersionFacts;
use crate::limits::Limits;
use crate::platform_table::{PlatformResource, PlatformRows};
use crate::state::{Parts, Shared, Tables};
use crate::{openapi, resources, router, system};

/// The REST API over `Management`.
#[derive(Clone, Debug)]
pub struct Api {
    shared: Shared,
    guard: AuthLayer,
}

/// A builder for an [`Api`].
#[derive(Debug)]
pub struct ApiBuilder {
    management: Management,
    guard: AuthLayer,
    facts: VersionFacts,
    limits: Limits,
    has_text_ids: bool,
    platform: Vec<Arc<dyn PlatformRows>>,
}

impl Api {
    /// Starts a builder with the required parts: the management of keys and webhooks, and the guard
    /// that authenticates every request.
    #[must_use]
    pub fn builder(management: Management, guard: AuthLayer) -> ApiBuilder {
        ApiBuilder {
            management,
            guard,
            facts: VersionFacts::default(),
            limits: Limits::default(),
            has_text_ids: false,
            platform: Vec::new(),
        }
    }

    /// Returns the guarded routes, to be nested at `/api/v4` of an app with any state.
    pub fn router<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        router::router(&self.shared, self.guard.clone()).with_state(())
    }

    /// Returns `GET /version.json`, which needs no login, to be merged at the root of an app with
    /// any state.
    pub fn version_router<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        let version = self.shared.facts.version_json();
        Router::new().route("/version.json", get(move || async move { Json(version) }))
    }

    /// Returns the OpenAPI 3.1 document as JSON text; it is also served at `/api/v4/openapi.json`.
    #[must_use]
    pub fn openapi(&self) -> &str {
        std::str::from_utf8(openapi::text(&self.shared)).unwrap_or_default()
    }
}

impl ApiBuilder {
    /// Sets the platform's facts for the login probe.
    #[must_use]
    pub fn version(mut self, facts: VersionFacts) -> Self {
        self.facts = facts;
        self
    }

    /// Sets the limits of a request.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Declares in the OpenAPI document that the ids of users, tenants and objects are UUIDs or
    /// other texts. Without this setting, responses and requests accept such ids too.
    #[must_use]
    pub fn text_ids(mut self) -> Self {
        self.has_text_ids = true;
        self
    }

    /// Adds a table of the platform, served like Gatepost's tables: lists with the same fields,
    /// filters and sorting, rows, and the same spellings of actions. A table whose path is taken,
    /// or is not a lower-case word, is skipped and logged.
    #[must_use]
    pub fn table(mut self, rows: Arc<dyn PlatformRows>) -> Self {
        self.platform.push(rows);
        self
    }

    /// Builds the API.
    #[must_use]
    pub fn build(self) -> Api {
        let mut tables = Tables::default();
        for resource in resources::all(self.management.has_audit_log()) {
            tables.add(resource);
        }
        for rows in self.platform {
            tables.add(Arc::new(PlatformResource(rows)));
        }
        let shared = Shared(Arc::new(Parts {
            management: self.management,
            tables: Arc::new(tables),
            limits: self.limits,
            system: system::row(&self.facts),
            facts: self.facts,
            has_text_ids: self.has_text_ids,
            openapi: OnceLock::new(),
            aside: Aside::default(),
        }));
        Api {
            shared,
            guard: self.guard,
        }
    }
}
