//! The platform's own logins are subject to the limits of guessing: passwords are not checked
//! beyond them, and random secrets always are.

use std::convert::Infallible;
use std::future::{Future, ready};
use std::net::IpAddr;
use std::num::NonZeroU32;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, Request, Response};
use gatepost_keys::{
    AccessLevel, Account, AuthLayer, Denied, FailureLimit, GuessLimits, KeyService, OwnerId,
    PlatformAnswer, PlatformLogin, Presented, Principal, Via,
};
use gatepost_kv::MemoryStore;
use gatepost_storage::ManualClock;
use tower::{Layer, ServiceExt, service_fn};

use crate::world::Users;

/// Logins by passwords in `x-password: name:password` and tokens in `x-token`, with the number of
/// checks.
#[derive(Debug, Default)]
struct Logins {
    checked: AtomicU32,
}

impl PlatformLogin for Logins {
    fn presented<'a>(&self, headers: &'a HeaderMap) -> Presented<'a> {
        if let Some(token) = headers.get("x-token") {
            return Presented::Secret(token.as_bytes());
        }
        let password = headers
            .get("x-password")
            .and_then(|value| value.to_str().ok());
        password.map_or(Presented::Nothing, |password| Presented::Password {
            account: password.split(':').next().unwrap().to_owned(),
        })
    }

    fn login<'a>(
        &'a self,
        headers: &'a HeaderMap,
        _from: IpAddr,
    ) -> Pin<Box<dyn Future<Output = PlatformAnswer> + Send + 'a>> {
        self.checked.fetch_add(1, Ordering::SeqCst);
        let said = headers.get("x-token").or_else(|| headers.get("x-password"));
        let answer = match said.unwrap().to_str().unwrap().rsplit(':').next().unwrap() {
            right @ ("right" | "disabled") => {
                let account = match right {
                    "right" => Account::enabled(AccessLevel::User),
                    _ => Account::disabled(AccessLevel::User),
                };
                let user = Principal::new(OwnerId(1), account, Via::Platform);
                PlatformAnswer::Granted(Box::new(user))
            }
            "busy" => PlatformAnswer::Refused(Denied::Unavailable),
            "crowded" => PlatformAnswer::Busy,
            "panics" => panic!("the login panics"),
            _ => PlatformAnswer::Refused(Denied::Unauthenticated),
        };
        Box::pin(ready(answer))
    }
}

struct Door {
    guard: AuthLayer,
    logins: Arc<Logins>,
    clock: Arc<ManualClock>,
}

impl Door {
    /// Three failures are free, of address, account and pair.
    fn new() -> Self {
        let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().unwrap()));
        let limit = FailureLimit::new(NonZeroU32::new(3).unwrap(), Duration::from_secs(60));
        let limits = GuessLimits::default();
        let keys = KeyService::builder(Arc::new(MemoryStore::new()), Arc::new(Users::default()))
            .clock(clock.clone())
            .guess_limits(
                limits
                    .with_address(limit)
                    .with_account(limit)
                    .with_known(limit),
            )
            .build();
        let logins = Arc::new(Logins::default());
        let guard = AuthLayer::new(keys, |ext| ext.get::<IpAddr>().copied());
        Self {
            guard: guard.platform_login(logins.clone()),
            logins,
            clock,
        }
    }

    async fn response(&self, from: &str, header: &str, value: &str) -> Response<Body> {
        let request = Request::builder().header(header, value);
        let address: IpAddr = from.parse().unwrap();
        let request = request.extension(address).body(Body::empty()).unwrap();
        let inner =
            service_fn(async |_: Request<Body>| Ok::<_, Infallible>(Response::new(Body::empty())));
        self.guard.layer(inner).oneshot(request).await.unwrap()
    }

    /// Returns the status and `Retry-After`.
    async fn ask(&self, from: &str, header: &str, value: &str) -> (u16, Option<u64>) {
        let response = self.response(from, header, value).await;
        let after = response.headers().get("retry-after");
        let after = after.map(|after| after.to_str().unwrap().parse().unwrap());
        (response.status().as_u16(), after)
    }

    fn checked(&self) -> u32 {
        self.logins.checked.load(Ordering::SeqCst)
    }
}

#[tokio::test]
async fn disabled_user_is_refused_without_counting_as_guess() {
    let door = Door::new();
    for _ in 0..20 {
        let (status, _) = door.ask("10.0.0.1", "x-token", "disabled").await;
        assert_eq!(status, 401);
        let password = door.ask("10.0.0.1", "x-password", "ada:disabled").await;
        assert_eq!(password.0, 401);
    }
    assert_eq!(door.ask("10.0.0.1", "x-token", "right").await.0, 200);
    assert_eq!(door.ask("10.0.0.1", "x-password", "ada:right").await.0, 200);
}

#[tokio::test]
async fn waiting_passwords_charge_their_address_like_failures() {
    let door = Door::new();
    for n in 0..4 {
        let name = format!("user{n}:crowded");
        let (status, _) = door.ask("10.0.0.1", "x-password", &name).await;
        assert_eq!(status, 503, "{n}");
    }
    let (status, after) = door.ask("10.0.0.1", "x-password", "ada:crowded").await;
    assert_eq!((status, after), (429, Some(1)));
    for n in 2..20 {
        let from = format!("10.0.0.{n}");
        let (status, _) = door.ask(&from, "x-password", "ada:crowded").await;
        assert_eq!(status, 503, "the account is charged with nothing");
    }
    assert_eq!(door.ask("10.0.1.1", "x-password", "ada:right").await.0, 200);
}

/// The response names the user, so that the platform can log who sent the request.
#[tokio::test]
async fn response_names_the_principal_to_platform() {
    let door = Door::new();
    let who = async |token: &str| {
        let response = door.response("10.0.0.1", "x-token", token).await;
        let principal = response.extensions().get::<Principal>();
        principal.map(|principal| (principal.owner, principal.via))
    };
    assert_eq!(who("right").await, Some((OwnerId(1), Via::Platform)));
    assert_eq!(who("wrong").await, None);
}

#[tokio::test]
async fn wrong_passwords_are_checked_only_four_times() {
    let door = Door::new();
    for n in 0..1_000 {
        let (status, _) = door
            .ask("10.0.0.1", "x-password", &format!("ada:{n}"))
            .await;
        assert_eq!(status, if n < 4 { 401 } else { 429 }, "{n}");
    }
    assert_eq!(door.checked(), 4);
    // The right password is refused too, else guessing would continue: by address and by name.
    let right = door.ask("10.0.0.1", "x-password", "ada:right").await;
    assert_eq!(right, (429, Some(1)));
    assert_eq!(door.ask("10.0.0.2", "x-password", "ada:right").await.0, 429);
    assert_eq!(door.ask("10.0.0.1", "x-password", "bob:right").await.0, 429);
    assert_eq!(door.checked(), 4);
    door.clock.advance(Duration::from_millis(999));
    assert_eq!(door.ask("10.0.0.1", "x-password", "ada:right").await.0, 429);
    door.clock.advance(Duration::from_millis(1));
    assert_eq!(door.ask("10.0.0.1", "x-password", "ada:right").await.0, 200);
}

#[tokio::test]
async fn user_known_at_address_is_not_locked_out() {
    let door = Door::new();
    assert_eq!(door.ask("10.0.0.1", "x-password", "ada:right").await.0, 200);
    for n in 0..20 {
        door.ask(&format!("10.0.1.{n}"), "x-password", "ada:wrong")
            .await;
        door.ask("10.0.0.1", "x-password", &format!("user{n}:wrong"))
            .await;
    }
    assert_eq!(door.ask("10.0.2.1", "x-password", "ada:right").await.0, 429);
    assert_eq!(door.ask("10.0.0.1", "x-password", "bob:right").await.0, 429);
    assert_eq!(door.ask("10.0.0.1", "x-password", "ada:right").await.0, 200);
}

#[tokio::test]
async fn good_token_always_passes_wrong_ones_lock_passwords() {
    let door = Door::new();
    for n in 0..20 {
        let (status, _) = door.ask("10.0.0.1", "x-token", &format!("token{n}")).await;
        assert_eq!(status, if n < 4 { 401 } else { 429 }, "{n}");
    }
    assert_eq!(door.ask("10.0.0.1", "x-token", "right").await.0, 200);
    assert_eq!(door.ask("10.0.0.1", "x-password", "ada:right").await.0, 429);
    let (status, _) = door.ask("10.0.0.1", "authorization", "Bearer no-key").await;
    assert_eq!(status, 429, "one limiter for all doors");
}

#[tokio::test]
async fn platform_error_counts_no_guess() {
    let door = Door::new();
    for _ in 0..20 {
        assert_eq!(door.ask("10.0.0.1", "x-password", "ada:busy").await.0, 503);
        assert_eq!(
            door.ask("10.0.0.1", "x-password", "ada:panics").await.0,
            503
        );
    }
    assert_eq!(door.ask("10.0.0.1", "x-password", "ada:right").await.0, 200);
}
