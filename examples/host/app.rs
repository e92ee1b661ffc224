//! Everything that the platform serves.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::response::Redirect;
use axum::routing::get;
use axum::{Json, Router};
use examples::platform::Platform;
use examples::session::Sessions;
use examples::tables::HostTables;
use examples::tokens::Tokens;
use gatepost_console::Console;
use gatepost_engine::Engine;
use gatepost_http::{Api, VersionFacts};
use gatepost_keys::{AuthLayer, KeyService};
use gatepost_manage::Management;
use serde_json::json;

use crate::figures::Figures;
use crate::options::Options;

pub(crate) fn app(
    options: &Options,
    platform: &Arc<Platform>,
    keys: &KeyService,
    engine: &Engine,
    figures: &Figures,
) -> Router {
    let tokens = Tokens::new(platform.clone(), engine.clone(), keys.guesses().clone());
    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    })
    .platform_login(Arc::new(tokens.clone()));
    let management = Management::builder(keys.clone(), engine.clone())
        .directory(platform.clone())
        .build();
    let api = HostTables::all(engine)
        .into_iter()
        .fold(
            Api::builder(management.clone(), guard.clone()),
            gatepost_http::ApiBuilder::table,
        )
        .version(VersionFacts::new("26.1.8", "example"))
        .build();
    let passwords = platform.clone();
    let sessions = Sessions::new(
        options.tls,
        keys.guesses().clone(),
        move |name, password| {
            let passwords = passwords.clone();
            async move { passwords.password(&name, &password).await }
        },
    );
    let console = Console::builder(management, Arc::new(sessions.clone()))
        .title("Example platform")
        .build();
    let app = Router::new()
        .route("/", get(|| async { Redirect::to("/console/") }))
        .nest("/api/v4", api.router())
        .merge(api.version_router())
        .merge(tokens.router())
        .merge(sessions.router())
        .merge(console.router())
        .merge(figures.health())
        .fallback(|| async { (StatusCode::NOT_FOUND, Json(json!({"err": "Not found"}))) });
    // Figures tell about all users' business.
    match options.metrics {
        Some(_) => app,
        None => app.merge(figures.guarded(guard)),
    }
}
