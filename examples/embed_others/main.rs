//! The same keys in front of services that are not axum's: `cargo run --example embed_others`.
//!
//! `plain_hyper.rs` calls the guard from its own function, `warp_filters.rs` has it as a tower
//! layer around warp's filters. Each is a whole server. The program is the client of both and ends
//! with success only if every claim held.

mod plain_hyper;
mod warp_filters;

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use apikey_core::{Grant, KeyDraft, OwnerId, RateLimit, TableNames};
use examples::client::{Response, call};
use examples::story::Story;
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, AuthLayer, KeyService, Principal, Via,
};
use gatepost_kv::MemoryStore;
use tokio::net::TcpListener;

type Failure = Box<dyn Error + Send + Sync>;

#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let ada = (owner == OwnerId(1)).then(|| Account::enabled(AccessLevel::User));
        AccountAnswer::Now(Ok(ada))
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let keys = KeyService::builder(Arc::new(MemoryStore::new()), Arc::new(Users)).build();
    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<SocketAddr>().map(SocketAddr::ip)
    });
    let hyper = TcpListener::bind("127.0.0.1:0").await?;
    let warp = TcpListener::bind("127.0.0.1:0").await?;
    let servers = [
        ("Plain hyper", hyper.local_addr()?),
        ("warp", warp.local_addr()?),
    ];
    tokio::spawn(plain_hyper::serve(hyper, guard.clone()));
    tokio::spawn(warp_filters::serve(warp, guard));

    let mut story = Story::default();
    for (name, server) in servers {
        story.chapter(name);
        tell(&mut story, name, server, &keys).await?;
    }
    keys.shutdown().await;
    Ok(if story.end() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn tell(
    story: &mut Story,
    name: &str,
    server: SocketAddr,
    keys: &KeyService,
) -> Result<(), Failure> {
    let (all, reading) = (
        Grant::all(),
        Grant::new(true, TableNames::none(), "".parse()?),
    );
    let key = key(keys, &format!("{name}: all"), all).await?;
    let reader = self::key(keys, &format!("{name}: reading"), reading).await?;
    let response = asked(server, "GET", None).await?;
    story.claim(
        "nobody gets in without a key, and learns what is missing",
        response.status == 401 && response.header("www-authenticate") == Some("Bearer"),
    );
    let response = asked(server, "GET", Some(&key)).await?;
    story.claim(
        "with a key the service knows who is calling",
        response.status == 200 && response.body == "user 1",
    );
    story.claim(
        "and the caller how often it may ask",
        response.header("ratelimit-policy") == Some(r#""key";q=60;w=60"#),
    );
    let response = asked(server, "POST", Some(&reader)).await?;
    story.claim("a read-only key writes nothing", response.status == 403);
    Ok(())
}

async fn asked(server: SocketAddr, method: &str, key: Option<&str>) -> Result<Response, Failure> {
    let here = IpAddr::V4(Ipv4Addr::LOCALHOST);
    Ok(call(server, here, method, "/whoami", key, None).await?)
}

async fn key(keys: &KeyService, name: &str, grant: Grant) -> Result<String, Failure> {
    let ada = Principal::new(
        OwnerId(1),
        Account::enabled(AccessLevel::User),
        Via::Platform,
    );
    let draft = KeyDraft::new(ada.owner, name.parse()?)
        .with_grant(grant)
        .with_limit(Some(RateLimit::per_minute(60)?));
    let (_, once) = keys.create(&ada, draft).await?;
    Ok(once.reveal().as_str().to_owned())
}
