//! Everything that the platform serves.

use std::net::SocketAddr;
use std::sync::Arc;

use apikey_core::TableName;
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Redirect;
use axum::routing::get;
use axum::{Json, Router};
use examples::callers::Callers;
use examples::compression::compressed;
use examples::platform::Platform;
use examples::session::Sessions;
use examples::tables::HostTables;
use examples::tokens::Tokens;
use gatepost_console::Console;
use gatepost_engine::Engine;
use gatepost_http::{Api, ApiBuilder, VersionFacts};
use gatepost_keys::{AuthLayer, KeyService};
use gatepost_manage::{AuditLog, Management};
use serde_json::json;

use crate::figures::Figures;
use crate::line;
use crate::options::Options;
use crate::traces::of_request;

/// The parts of the API and the console.
#[derive(Debug)]
pub(crate) struct App {
    engine: Engine,
    guard: AuthLayer,
    management: Management,
    sessions: Sessions,
    tokens: Tokens,
    /// Whether the metrics are served at another address.
    figures_apart: bool,
    /// Whether requests are spans of traces.
    traced: bool,
}

impl App {
    pub(crate) fn new(
        options: &Options,
        platform: &Arc<Platform>,
        keys: &KeyService,
        engine: &Engine,
        log: &AuditLog,
    ) -> Self {
        let tokens = Tokens::new(platform.clone(), engine.clone(), keys.guesses().clone());
        let guard = AuthLayer::new(keys.clone(), |ext| {
            ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
        });
        let passwords = platform.clone();
        let check = move |name: String, password: String| {
            let passwords = passwords.clone();
            async move { passwords.password(&name, &password).await }
        };
        Self {
            engine: engine.clone(),
            guard: guard.platform_login(Arc::new(tokens.clone())),
            management: Management::builder(keys.clone(), engine.clone())
                .directory(platform.clone())
                .tables(own_tables())
                .audit_log(log.clone())
                .build(),
            sessions: Sessions::new(options.tls, keys.guesses().clone(), check),
            tokens,
            figures_apart: options.metrics.is_some(),
            traced: options.traces.is_some(),
        }
    }

    /// `Management` of keys and webhooks.
    pub(crate) fn management(&self) -> &Management {
        &self.management
    }

    pub(crate) fn router(self, figures: &Figures) -> Router {
        let api = HostTables::all(&self.engine)
            .into_iter()
            .fold(
                Api::builder(self.management.clone(), self.guard.clone()),
                ApiBuilder::table,
            )
            .version(VersionFacts::new("26.1.8", "example"))
            .build();
        let console = Console::builder(self.management, Arc::new(self.sessions.clone()))
            .title("Example platform")
            .build();
        let router = Router::new()
            .route("/", get(|| async { Redirect::to("/console/") }))
            .nest("/api/v4", api.router())
            .merge(api.version_router())
            .merge(self.tokens.router())
            .merge(self.tokens.renewal(self.guard.clone()))
            .merge(self.sessions.router())
            .merge(console.router())
            .merge(figures.health())
            .fallback(|| async { (StatusCode::NOT_FOUND, Json(json!({"err": "Not found"}))) });
        // The metrics describe the activity of all users.
        let router = match self.figures_apart {
            true => router,
            false => router.merge(figures.guarded(self.guard)),
        };
        let router = match self.traced {
            true => router.layer(from_fn(of_request)),
            false => router,
        };
        let callers = Callers::new(self.sessions);
        compressed(router)
            .layer(from_fn_with_state(callers, Callers::limit))
            .layer(from_fn(line::log))
    }
}

/// Returns the platform's own tables, to which keys can be narrowed.
fn own_tables() -> impl Iterator<Item = TableName> {
    let names = ["tags", "users", "vms"].into_iter();
    names.filter_map(|name| name.parse().ok())
}
