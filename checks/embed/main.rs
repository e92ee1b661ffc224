//! The application that `checks/embed.py` builds with and without Gatepost: a route that queries
//! PostgreSQL. With the feature `gatepost` it has API keys, webhooks, their REST API and console.

use std::error::Error;
use std::net::SocketAddr;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::routing::get;
use sqlx::PgPool;
use tokio::net::TcpListener;

async fn orders(State(pool): State<PgPool>) -> Result<String, StatusCode> {
    let query = sqlx::query_scalar::<_, i64>("SELECT count(*) FROM orders");
    let count = query.fetch_one(&pool).await;
    count
        .map(|count| count.to_string())
        .map_err(|_| StatusCode::INTERNAL_SERVER_ERROR)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    tracing_subscriber::fmt().init();
    let url = std::env::var("DATABASE_URL")?;
    let pool = PgPool::connect(&url).await?;
    let app = Router::new()
        .route("/orders", get(orders))
        .with_state(pool);
    #[cfg(feature = "gatepost")]
    let app = embedded::add(app, &url).await?;
    let listener = TcpListener::bind("127.0.0.1:8080").await?;
    let service = app.into_make_service_with_connect_info::<SocketAddr>();
    Ok(axum::serve(listener, service).await?)
}

#[cfg(feature = "gatepost")]
mod embedded {
    use std::error::Error;
    use std::net::SocketAddr;
    use std::sync::Arc;

    use axum::Router;
    use axum::extract::ConnectInfo;
    use gatepost::prelude::*;

    #[derive(Debug)]
    struct Users;

    impl Accounts for Users {
        fn account(&self, _: OwnerId) -> AccountAnswer<'_> {
            AccountAnswer::Now(Ok(Some(Account::enabled(AccessLevel::User))))
        }
    }

    pub(crate) async fn add(app: Router, url: &str) -> Result<Router, Box<dyn Error>> {
        let store = Arc::new(PostgresStore::connect(PostgresConfig::url(url)).await?);
        let keys = KeyService::builder(store.clone(), Arc::new(Users)).build();
        let sender = Sender::builder(TargetPolicy::public()).build()?;
        let engine = Engine::builder(store.clone(), sender)
            .one_system(Arc::new(Users))
            .start()
            .await?;
        let guard = AuthLayer::new(keys.clone(), |ext| {
            ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
        });
        let management = Management::builder(keys, engine).build();
        let api = Api::builder(management.clone(), guard.clone()).build();
        let console = Console::linked(management, store, "https://example.com/console".parse()?);
        let app = app.layer(guard).nest("/api/v4", api.router());
        Ok(app.merge(console.build().router()))
    }
}
