//! What a host mounts.

use std::sync::Arc;

use axum::routing::get;
use axum::{Json, Router};
use gatepost_engine::Engine;
use gatepost_keys::{AuthLayer, KeyService};
use gatepost_manage::{Audit, Directory, NoAudit, NoDirectory};

use crate::config::Limits;
use crate::host_table::{PlatformResource, PlatformRows};
use crate::router::{self, Shared, Tables};
use crate::system::VersionFacts;
use crate::{openapi, tables};

/// The REST surface over the two services.
#[derive(Clone, Debug)]
pub struct Api {
    shared: Shared,
    guard: AuthLayer,
}

/// Sets up an [`Api`].
#[derive(Debug)]
pub struct ApiBuilder {
    services: tables::Services,
    guard: AuthLayer,
    facts: VersionFacts,
    limits: Limits,
    audit: Arc<dyn Audit>,
    host: Vec<Arc<dyn PlatformRows>>,
}

impl Api {
    /// Starts with the parts that cannot be left out: the key service, the engine, and the guard
    /// that authenticates every request.
    #[must_use]
    pub fn builder(keys: KeyService, engine: Engine, guard: AuthLayer) -> ApiBuilder {
        ApiBuilder {
            services: tables::Services {
                keys,
                engine,
                directory: Arc::new(NoDirectory),
            },
            guard,
            facts: VersionFacts::default(),
            limits: Limits::default(),
            audit: Arc::new(NoAudit),
            host: Vec::new(),
        }
    }

    /// The guarded routes, to be nested at `/api/v4`.
    pub fn router(&self) -> Router {
        router::router(self.shared.clone(), self.guard.clone())
    }

    /// `GET /version.json`, which needs no login, to be merged at the root.
    pub fn version_router(&self) -> Router {
        let version = self.shared.facts.version_json();
        Router::new().route("/version.json", get(move || async move { Json(version) }))
    }

    /// The OpenAPI 3.1 document, as JSON text; also served at `/api/v4/openapi.json`.
    #[must_use]
    pub fn openapi(&self) -> &str {
        &self.shared.openapi
    }
}

impl ApiBuilder {
    /// What the host says of itself at the login probe.
    #[must_use]
    pub fn version(mut self, facts: VersionFacts) -> Self {
        self.facts = facts;
        self
    }

    /// What the host's users and objects are called.
    #[must_use]
    pub fn directory(mut self, directory: Arc<dyn Directory>) -> Self {
        self.services.directory = directory;
        self
    }

    /// How much one request may ask for.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Who hears of every change.
    #[must_use]
    pub fn audit(mut self, audit: Arc<dyn Audit>) -> Self {
        self.audit = audit;
        self
    }

    /// A table of the host's own, served beside ours: lists with the same fields, filters and
    /// sorting, rows, and the same spellings of actions. One whose path is taken, or is no
    /// lower-case word, is passed over, and the log says so.
    #[must_use]
    pub fn table(mut self, rows: Arc<dyn PlatformRows>) -> Self {
        self.host.push(rows);
        self
    }

    /// The surface, ready to be mounted.
    #[must_use]
    pub fn build(self) -> Api {
        let mut tables = Tables::default();
        for resource in tables::all(&self.services) {
            tables.add(resource);
        }
        for rows in self.host {
            tables.add(Arc::new(PlatformResource(rows)));
        }
        let openapi = openapi::document(&tables.declared(), &self.facts).to_string();
        let shared = Shared {
            tables: Arc::new(tables),
            limits: self.limits,
            facts: Arc::new(self.facts),
            audit: self.audit,
            openapi: openapi.into(),
        };
        Api {
            shared,
            guard: self.guard,
        }
    }
}
