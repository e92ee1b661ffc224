//! A service that knows nothing of keys, behind an nginx that asks for each request who sent it:
//! `cargo run --example forward_auth`.
//!
//! Services in any language can share one checker of keys in this way. `nginx.conf` in this folder
//! is the whole configuration; Traefik's `forwardAuth` and Envoy's `ext_authz` ask the same checker
//! (`docs/guides/forward-auth.md`). The program starts its own nginx, is its own client, and ends
//! with success only if every claim held; with 2 if nginx is not installed.

mod judge;
mod nginx;

use std::error::Error;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::process::ExitCode;
use std::sync::Arc;

use apikey_core::{Grant, IpPolicy, KeyDraft, KeyId, OwnerId, RateLimit, TableNames};
use axum::Router;
use axum::body::Bytes;
use axum::extract::ConnectInfo;
use axum::http::HeaderMap;
use examples::client::{Response, send};
use examples::serve::serve;
use examples::story::Story;
use gatepost_keys::{
    AccessLevel, Account, AccountAnswer, Accounts, AuthLayer, ForwardedHeader, KeyService,
    Principal, TrustedProxies, Via,
};
use gatepost_kv::MemoryStore;
use nginx::Nginx;
use tokio::net::TcpListener;

type Failure = Box<dyn Error + Send + Sync>;

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// The address of another client.
const THERE: IpAddr = IpAddr::V4(Ipv4Addr::new(127, 0, 0, 2));
/// A body that is larger than nginx accepts by default, in bytes.
const LARGE: usize = 3 << 19;
/// Wrong keys, more than the guard accepts from one address.
const GUESSES: usize = 200;

/// The platform's user.
#[derive(Debug)]
struct Users;

impl Accounts for Users {
    fn account(&self, owner: OwnerId) -> AccountAnswer<'_> {
        let ada = (owner == OwnerId(7)).then(|| Account::enabled(AccessLevel::User));
        AccountAnswer::Now(Ok(ada))
    }
}

#[tokio::main]
async fn main() -> Result<ExitCode, Failure> {
    let keys = KeyService::builder(Arc::new(MemoryStore::new()), Arc::new(Users)).build();
    let nginx = TrustedProxies::new(vec![HERE.into()], ForwardedHeader::XForwardedFor);
    let guard = AuthLayer::new(keys.clone(), |ext| {
        ext.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip())
    });
    let judge = started(judge::router(guard.trusted_proxies(nginx))).await?;
    let orders = started(Router::new().fallback(orders)).await?;
    let folder = tempfile::tempdir()?;
    let nginx = match Nginx::start(folder.path(), judge, orders).await {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Story::default().tell("needs nginx (Debian, Ubuntu: apt install nginx-light)");
            return Ok(ExitCode::from(2));
        }
        started => started?,
    };

    let mut story = Story::default();
    tell(&mut story, nginx.server, judge, &keys).await?;
    keys.shutdown().await;
    Ok(if story.end() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

async fn started(router: Router) -> Result<SocketAddr, Failure> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    let server = listener.local_addr()?;
    tokio::spawn(serve(listener, None, router, std::future::pending()));
    Ok(server)
}

/// The guarded service: it repeats the headers that it received.
async fn orders(headers: HeaderMap, _body: Bytes) -> String {
    let said = |name| {
        headers
            .get(name)
            .map_or("nothing", |v| v.to_str().unwrap_or("?"))
    };
    format!(
        "user {}, access {}, tenant {}, key {}, scopes {}, authorization {}",
        said("x-auth-user"),
        said("x-auth-access"),
        said("x-auth-tenant"),
        said("x-auth-key"),
        said("x-auth-scopes"),
        said("authorization"),
    )
}

/// Sends the requests of the service's clients.
async fn tell(
    story: &mut Story,
    server: SocketAddr,
    judge: SocketAddr,
    keys: &KeyService,
) -> Result<(), Failure> {
    let ada = Principal::new(
        OwnerId(7),
        Account::enabled(AccessLevel::User),
        Via::Platform,
    );
    let (key, token) = made(keys, &ada, IpPolicy::default(), Grant::all(), None).await?;
    let told = format!(
        "user 7, access user, tenant nothing, key {key}, scopes nothing, authorization nothing"
    );

    story.chapter("Requests with and without a key");
    let answer = call(server, HERE, None).await?;
    story.claim("without a key nobody", answer.status == 401);
    story.claim(
        "and the response says that it takes a key",
        answer.header("www-authenticate") == Some("Bearer"),
    );
    let answer = call(server, HERE, Some(&token)).await?;
    story.claim(
        "with a key its user; the service is given the user, but not the key",
        answer.status == 200 && answer.body == told,
    );

    let large = "x".repeat(LARGE);
    let head = format!(
        "POST /orders HTTP/1.1\r\nHost: orders\r\nAuthorization: Bearer {token}\r\nContent-Length: {LARGE}\r\nConnection: close\r\n\r\n"
    );
    let answer = send(server, HERE, &head, &large).await?;
    story.claim("also with a large body", answer.status == 200);

    story.chapter("Headers in which a client names a user");
    let forged = "X-Auth-User: 1\r\nX-Auth-Tenant: 1\r\nX-Auth-Access: system-administrator\r\n";
    let answer = asked(server, HERE, Some(&token), forged).await?;
    story.claim("have no effect", answer.body == told);
    let (_, bound) = made(keys, &ada, only(THERE)?, Grant::all(), None).await?;
    let answer = call(server, THERE, Some(&bound)).await?;
    story.claim(
        "a key that is bound to an address is good there",
        answer.status == 200,
    );
    let lie = "X-Forwarded-For: 127.0.0.2\r\n";
    let answer = asked(server, HERE, Some(&bound), lie).await?;
    story.claim(
        "and nowhere else, whatever the client claims",
        answer.status == 403,
    );

    story.chapter("Keys that may less than their users");
    let (_, narrow) = made(
        keys,
        &ada,
        IpPolicy::default(),
        reading("orders:read")?,
        None,
    )
    .await?;
    let answer = call(server, HERE, Some(&narrow)).await?;
    story.claim(
        "the service is given the scopes of a key",
        answer.body.contains("scopes orders:read"),
    );
    let head = format!(
        "POST /orders HTTP/1.1\r\nHost: orders\r\nAuthorization: Bearer {narrow}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    let answer = send(server, HERE, &head, "").await?;
    story.claim("a read-only key writes nothing", answer.status == 403);
    let head = head.replace(
        "Content-Length",
        "X-Forwarded-Method: GET\r\nContent-Length",
    );
    let through = send(server, HERE, &head, "").await?;
    // As Envoy asks: with the client's own method, and the other headers that it is configured to
    // forward.
    let direct = send(judge, HERE, &head, "").await?;
    story.claim(
        "whatever the client says of its method",
        (through.status, direct.status) == (403, 403),
    );

    story.chapter("Keys that may not ask often");
    let limit = Some(RateLimit::per_minute(2)?);
    let (_, slow) = made(keys, &ada, IpPolicy::default(), Grant::all(), limit).await?;
    let answer = call(server, HERE, Some(&slow)).await?;
    story.claim(
        "the response says how many requests are left",
        answer.status == 200
            && answer
                .header("ratelimit")
                .is_some_and(|left| left.contains("r=1")),
    );
    call(server, HERE, Some(&slow)).await?;
    let answer = call(server, HERE, Some(&slow)).await?;
    story.claim(
        "and, of one request too many, when to come back",
        answer.status == 429
            && answer.header("retry-after").is_some()
            && answer.header("ratelimit-policy").is_some(),
    );

    story.chapter("When that ends");
    keys.delete(&ada, key).await?;
    let answer = call(server, HERE, Some(&token)).await?;
    story.claim(
        "a deleted key is refused at the next request",
        answer.status == 401,
    );
    let mut last = answer;
    for guess in 0..GUESSES {
        if last.status != 401 {
            break;
        }
        last = call(server, THERE, Some(&format!("{token}{guess}"))).await?;
    }
    story.claim(
        "the response to a guess says when to try again",
        last.status == 429 && last.header("retry-after").is_some(),
    );
    Ok(())
}

async fn call(server: SocketAddr, from: IpAddr, token: Option<&str>) -> io::Result<Response> {
    asked(server, from, token, "").await
}

/// Sends a request whose head has these additional lines.
async fn asked(
    server: SocketAddr,
    from: IpAddr,
    token: Option<&str>,
    lines: &str,
) -> io::Result<Response> {
    let key = token.map(|token| format!("Authorization: Bearer {token}\r\n"));
    let key = key.unwrap_or_default();
    let head =
        format!("GET /orders HTTP/1.1\r\nHost: orders\r\n{key}{lines}Connection: close\r\n\r\n");
    send(server, from, &head, "").await
}

/// Creates a key of the user.
async fn made(
    keys: &KeyService,
    user: &Principal,
    ip: IpPolicy,
    grant: Grant,
    limit: Option<RateLimit>,
) -> Result<(KeyId, String), Failure> {
    let draft = KeyDraft::new(
        user.owner,
        format!("orders {} {} {limit:?}", ip.allow.len(), grant.scopes()).parse()?,
    )
    .with_ip(ip)
    .with_grant(grant)
    .with_limit(limit);
    let (row, once) = keys.create(user, draft).await?;
    Ok((row.id, once.reveal().as_str().to_owned()))
}

fn only(address: IpAddr) -> Result<IpPolicy, Failure> {
    Ok(IpPolicy {
        allow: address.to_string().parse()?,
        ..IpPolicy::default()
    })
}

/// A grant of only reading and only this scope.
fn reading(scope: &str) -> Result<Grant, Failure> {
    Ok(Grant::new(true, TableNames::none(), scope.parse()?))
}
