//! A platform that has its own axum app: `cargo run --example embed_axum`.
//!
//! The same keys protect its routes and Gatepost's. A handler reads the caller from the request and
//! reports the occurrence to the engine. Gatepost's REST surface is one `nest`. The program is its
//! own client and ends with success only if every claim held.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use apikey_core::{KeyDraft, OwnerId};
use axum::extract::{ConnectInfo, Path, State};
use axum::http::StatusCode;
use axum::routing::post;
use axum::{Extension, Router};
use delivery::{Sender, TargetPolicy};
use examples::client::call;
use examples::receiver::Receiver;
use examples::story::Story;
use gatepost_engine::Engine;
use gatepost_http::Api;
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, AuthLayer, KeyService, Principal, Via,
};
use gatepost_manage::Management;
use gatepost_sqlite::{SqliteConfig, SqliteStore};
use serde_json::json;
use tokio::net::TcpListener;
use webhook_model::{Audience, Catalog, Object, ObjectId, Occurrence, Specificity, TagId};

type Failure = Box<dyn Error + Send + Sync>;

/// The platform's users: 1 administers it, 2 is a user.
#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        AccountAnswer::Now(Ok(match owner.0 {
            1 => Some(Account::enabled(AccessLevel::SystemAdministrator)),
            2 => Some(Account::enabled(AccessLevel::User)),
            _ => None,
        }))
    }
}

/// A route of the platform: a user switches a machine on.
async fn power_on(
    State(engine): State<Engine>,
    Extension(caller): Extension<Principal>,
    Path(machine): Path<u32>,
) -> Result<String, StatusCode> {
    // The platform acts first; then it reports the occurrence.
    let occurrence = occurrence("vms", "poweron")
        .ok_or(StatusCode::INTERNAL_SERVER_ERROR)?
        .with_object(Object::new(
            ObjectId::from(machine),
            format!("vm-{machine}"),
        ))
        .with_tags(vec![TagId(1)]);
    let emitted = engine
        .emit(occurrence)
        .await
        .map_err(|_| StatusCode::SERVICE_UNAVAILABLE)?;
    let notified = emitted.deliveries.len();
    Ok(format!(
        "user {} powered machine {machine} on; {notified} notified",
        caller.owner
    ))
}

fn occurrence(kind: &str, event: &str) -> Option<Occurrence> {
    let (kind, event) = (kind.parse().ok()?, event.parse().ok()?);
    Some(Occurrence::new(kind, event, Audience::OneSystem))
}

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    // The platform's side: a database, users, a policy of targets.
    let folder = tempfile::tempdir()?;
    let store = SqliteStore::open(SqliteConfig::file(folder.path().join("platform.db"))).await?;
    let store = Arc::new(store);
    let keys = KeyService::builder(store.clone(), Arc::new(Users)).build();
    let catalog = Catalog::builder()
        .event_type(
            "vms",
            "Machines",
            Specificity::InstanceOrTag,
            &[("poweron", "Powered on")],
        )?
        .build();
    let sender = Sender::builder(TargetPolicy::public().allow("127.0.0.0/8".parse()?)).build()?;
    let engine = Engine::builder(store, sender)
        .one_system(Arc::new(Users))
        .catalog(catalog)
        .start()
        .await?;

    // One guard for all routes; Gatepost's brings its own.
    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    });
    let management = Management::builder(keys.clone(), engine.clone()).build();
    let api = Api::builder(management, guard.clone()).build();
    let app = Router::new()
        .route("/machines/{machine}/power", post(power_on))
        .layer(guard)
        .nest("/api/v4", api.router())
        .with_state(engine.clone());
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let server = listener.local_addr()?;
    tokio::spawn(examples::serve::serve(
        listener,
        None,
        app,
        std::future::pending(),
    ));

    let mut story = Story::default();
    tell(&mut story, server, &keys).await?;
    engine.shutdown(Duration::from_secs(1)).await;
    keys.shutdown().await;
    Ok(if story.end() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Sends the requests of the platform's clients.
async fn tell(story: &mut Story, server: SocketAddr, keys: &KeyService) -> Result<(), Failure> {
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    let (admin, user) = (key_of(keys, 1).await?, key_of(keys, 2).await?);
    let receiver = Receiver::start(None).await?;

    story.chapter("Gatepost's REST surface, nested");
    let url = format!("http://{}/chat", receiver.addr);
    let rows = [
        ("webhook_urls", json!({"name": "chat", "url": url})),
        (
            "tasks",
            json!({"name": "tell", "owner": "webhook_urls/1", "settings_args": {"message": "{\"text\":\"${NAME} is on\"}"}}),
        ),
        (
            "task_events",
            json!({"task": 1, "table": "vms", "event": "poweron", "tag": 1}),
        ),
    ];
    for (table, row) in rows {
        let path = format!("/api/v4/{table}");
        let answer = call(server, here, "POST", &path, Some(&admin), Some(&row)).await?;
        story.claim(&format!("a row of {table} is made"), answer.status == 201);
        if answer.status != 201 {
            story.tell(&answer.body);
        }
    }

    story.chapter("The platform's own route");
    let path = "/machines/7/power";
    let answer = call(server, here, "POST", path, None, None).await?;
    story.claim("nobody gets in without a key", answer.status == 401);
    let answer = call(server, here, "POST", path, Some(&user), None).await?;
    story.claim(
        "the handler knows who is calling",
        answer.body == "user 2 powered machine 7 on; 1 notified",
    );
    let received = receiver.wait_for("/chat", 1).await?;
    story.claim(
        "and what it did is reported",
        received.body == r#"{"text":"vm-7 is on"}"#,
    );
    Ok(())
}

async fn key_of(keys: &KeyService, user: u128) -> Result<String, Failure> {
    let draft = KeyDraft::new(OwnerId(user), "example".parse()?);
    let actor = Principal::new(
        OwnerId(user),
        Account::enabled(AccessLevel::SystemAdministrator),
        Via::Platform,
    );
    let (_, once) = keys.create(&actor, draft).await?;
    Ok(once.reveal().as_str().to_owned())
}
