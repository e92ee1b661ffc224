//! Mounting works in an app that has its own state.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::{ConnectInfo, State};
use axum::http::request::Parts;
use axum::routing::get;
use examples::client::call;
use gatepost_console::{Console, ConsoleLogin, LoggedIn, Visit};
use gatepost_http::{Api, VersionFacts};
use gatepost_keys::AuthLayer;
use gatepost_manage::Management;
use tests::world::{HERE, World};
use tokio::net::TcpListener;

/// A platform in which nobody is logged in.
#[derive(Debug)]
struct NoLogin;

#[async_trait::async_trait]
impl ConsoleLogin for NoLogin {
    async fn who(&self, _request: &Parts, _visit: Visit) -> Option<LoggedIn> {
        None
    }

    fn login_url(&self, back: &str) -> String {
        format!("/login?back={back}")
    }
}

#[derive(Clone)]
struct Name(&'static str);

#[tokio::test]
async fn rest_and_console_nest_into_stateful_app() {
    let world = World::start().await;
    let guard = AuthLayer::new(world.keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    });
    let management = Management::builder(world.keys.clone(), world.engine.clone()).build();
    let console = Console::builder(management.clone(), Arc::new(NoLogin)).build();
    let facts = VersionFacts::new("27.3.1", "acme");
    let api = Api::builder(management, guard).version(facts).build();
    let app = Router::new()
        .route("/name", get(async |State(name): State<Name>| name.0))
        .nest("/api/v4", api.router())
        .merge(api.version_router())
        .merge(console.router())
        .with_state(Name("acme"));
    let listener = TcpListener::bind((HERE, 0)).await.unwrap();
    let server = listener.local_addr().unwrap();
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    tokio::spawn(async move { axum::serve(listener, service).await });
    let get = async |path: &str, key| call(server, HERE, "GET", path, key, None).await.unwrap();
    assert_eq!(get("/name", None).await.body, "acme");
    let user = get("/api/v4/whoami", Some(&world.admin)).await;
    assert_eq!(user.status, 200, "{user:?}");
    let version = get("/version.json", None).await;
    assert_eq!(version.json(), serde_json::json!({"version": "27.3.1"}));
    let away = get("/console/", None).await;
    assert_eq!(away.status, 303, "{away:?}");
}
