//! The same keys in front of a gRPC service: `cargo run --example embed_tonic`.
//!
//! The layer is a tower layer, so it guards any service that speaks HTTP: here tonic's own health
//! service. A client sends its key as metadata, `authorization: Bearer …`. The program is its own
//! client and ends with success only if every claim held.

use std::error::Error;
use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use apikey_core::{KeyDraft, OwnerId};
use axum::extract::ConnectInfo;
use axum::http::StatusCode;
use axum::middleware::map_response;
use axum::response::Response;
use examples::story::Story;
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, AuthLayer, KeyService, Principal, Via,
};
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use tokio::net::TcpListener;
use tonic::service::Routes;
use tonic::transport::Channel;
use tonic::{Code, Request, Status};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(
            (owner == OwnerId(1)).then(|| Account::enabled(AccessLevel::User))
        ))
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(SqliteConfig::file(folder.path().join("keys.db"))).await?;
    let keys = KeyService::builder(Arc::new(store), Arc::new(Users)).build();
    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    });

    // Put any service that tonic has generated here.
    let (_reporter, health) = tonic_health::server::health_reporter();
    let app = Routes::new(health)
        .prepare()
        .into_axum_router()
        .layer(guard)
        .layer(map_response(as_grpc));
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let server = format!("http://{}", listener.local_addr()?);
    tokio::spawn(examples::serve::serve(
        listener,
        None,
        app,
        std::future::pending(),
    ));

    let user = Principal::new(
        OwnerId(1),
        Account::enabled(AccessLevel::User),
        Via::Platform,
    );
    let draft = KeyDraft::new(user.owner, "grpc".parse()?);
    let (row, once) = keys.create(&user, draft).await?;
    let key = once.reveal().as_str().to_owned();

    let mut story = Story::default();
    story.chapter("gRPC behind the same keys");
    let channel = Channel::from_shared(server)?.connect().await?;
    let mut client = HealthClient::new(channel);
    let refused = check(&mut client, None).await;
    story.claim(
        "without a key: unauthenticated",
        refused.is_err_and(|s| s.code() == Code::Unauthenticated),
    );
    story.claim(
        "with a key: served",
        check(&mut client, Some(&key)).await.is_ok(),
    );
    keys.delete(&user, row.id).await?;
    let refused = check(&mut client, Some(&key)).await;
    story.claim(
        "with a deleted key: unauthenticated",
        refused.is_err_and(|s| s.code() == Code::Unauthenticated),
    );
    keys.shutdown().await;
    Ok(if story.end() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Converts a refusal of the layer into one that a gRPC client understands.
async fn as_grpc(response: Response) -> Response {
    match response.status() {
        StatusCode::UNAUTHORIZED => Status::unauthenticated("no valid key").into_http(),
        StatusCode::FORBIDDEN => Status::permission_denied("the key may not do this").into_http(),
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => {
            Status::unavailable("try again later").into_http()
        }
        _ => response,
    }
}

async fn check(client: &mut HealthClient<Channel>, key: Option<&str>) -> Result<(), Status> {
    let mut request = Request::new(HealthCheckRequest::default());
    if let Some(key) = key {
        let value = format!("Bearer {key}")
            .parse()
            .map_err(|_| Status::internal("not metadata"))?;
        request.metadata_mut().insert("authorization", value);
    }
    client.check(request).await.map(drop)
}
