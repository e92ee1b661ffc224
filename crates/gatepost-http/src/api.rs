//! What a platform mounts.

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

/// The REST surface over the door.
#[derive(Clone, Debug)]
pub struct Api {
    shared: Shared,
    guard: AuthLayer,
}

/// Sets up an [`Api`].
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
    /// Starts with the parts that cannot be left out: the door to keys and webhooks, and the guard
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

    /// The guarded routes, to be nested at `/api/v4` of an app with any state.
    pub fn router<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        router::router(&self.shared, self.guard.clone()).with_state(())
    }

    /// `GET /version.json`, which needs no login, to be merged at the root of an app with any
    /// state.
    pub fn version_router<S: Clone + Send + Sync + 'static>(&self) -> Router<S> {
        let version = self.shared.facts.version_json();
        Router::new().route("/version.json", get(move || async move { Json(version) }))
    }

    /// The OpenAPI 3.1 document, as JSON text; also served at `/api/v4/openapi.json`.
    #[must_use]
    pub fn openapi(&self) -> &str {
        std::str::from_utf8(openapi::text(&self.shared)).unwrap_or_default()
    }
}

impl ApiBuilder {
    /// What the platform says of itself at the login probe.
    #[must_use]
    pub fn version(mut self, facts: VersionFacts) -> Self {
        self.facts = facts;
        self
    }

    /// How much one request may ask for.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The ids of users, tenants and objects are UUIDs or other texts: the OpenAPI document says
    /// so.
    /// Responses have them as they are in either case, and requests may send both.
    #[must_use]
    pub fn text_ids(mut self) -> Self {
        self.has_text_ids = true;
        self
    }

    /// A table of the platform's own, served beside ours: lists with the same fields, filters and
    /// sorting, rows, and the same spellings of actions. One whose path is taken, or is no
    /// lower-case word, is passed over, and the log says so.
    #[must_use]
    pub fn table(mut self, rows: Arc<dyn PlatformRows>) -> Self {
        self.platform.push(rows);
        self
    }

    /// The surface, ready to be mounted.
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
