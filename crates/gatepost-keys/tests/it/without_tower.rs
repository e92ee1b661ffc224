//! A service that is not built on tower returns the same responses as the layer.

use std::convert::Infallible;
use std::net::IpAddr;

use apikey_core::{Expiration, Grant, KeyDraft, RateLimit, TableNames};
use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, Response};
use chrono::TimeDelta;
use gatepost_keys::{AuthLayer, Denied, KeyService, Principal, RateState};
use gatepost_storage::Clock as _;
use tower::{Layer, ServiceExt, service_fn};

use crate::world::{World, draft};

/// Status, headers and body; for a response to a known caller, also the caller.
type Said = (u16, HeaderMap, String, Option<u128>);

fn request(method: &str, credential: Option<&str>) -> Request<Body> {
    let from: IpAddr = "10.0.0.1".parse().unwrap();
    let request = Request::builder().method(method).extension(from);
    let request = match credential {
        Some(credential) => request.header("authorization", credential),
        None => request,
    };
    request.body(Body::empty()).unwrap()
}

async fn said(response: Response<Body>) -> Said {
    let caller = response.extensions().get::<Principal>();
    let caller = caller.map(|caller| caller.owner.0);
    let (parts, body) = response.into_parts();
    let body = to_bytes(body, 4_096).await.unwrap().to_vec();
    let body = String::from_utf8(body).unwrap();
    (parts.status.as_u16(), parts.headers, body, caller)
}

async fn by_the_layer(guard: &AuthLayer, request: Request<Body>) -> Said {
    let inner =
        service_fn(async |_: Request<Body>| Ok::<_, Infallible>(Response::new(Body::empty())));
    said(guard.layer(inner).oneshot(request).await.unwrap()).await
}

/// Authenticates a request manually, as the documentation of `AuthLayer::admit` describes.
async fn by_hand(guard: &AuthLayer, request: Request<Body>) -> Said {
    let (parts, _body) = request.into_parts();
    let response = match guard.admit(&parts).await {
        Ok(caller) => {
            let mut response = Response::new(Body::empty());
            if let Some(rate) = &caller.rate {
                rate.set_headers(response.headers_mut());
            }
            response.extensions_mut().insert(caller);
            response
        }
        Err(refused) => refused.into(),
    };
    said(response).await
}

async fn made(world: &World, of: KeyDraft) -> String {
    let owner = world.user(of.owner.0);
    let (_, once) = world.keys.create(&owner, of).await.unwrap();
    format!("Bearer {}", once.reveal().as_str())
}

fn guard(keys: &KeyService) -> AuthLayer {
    AuthLayer::new(keys.clone(), |ext| ext.get::<IpAddr>().copied())
}

#[tokio::test]
async fn manual_response_equals_that_of_layer() {
    let world = World::new();
    let good = world.key(1, "good").await;
    let reading = Grant::new(true, TableNames::none(), "".parse().unwrap());
    let reading = draft(2, "reading")
        .with_grant(reading)
        .with_limit(Some(RateLimit::per_minute(100).unwrap()));
    let reading = made(&world, reading).await;
    let forged = good.forged(1).header;
    let cases = [
        ("GET", None, 401),
        ("GET", Some(forged.as_str()), 401),
        ("GET", Some(good.header.as_str()), 200),
        ("POST", Some(good.header.as_str()), 200),
        ("GET", Some(reading.as_str()), 200),
        ("POST", Some(reading.as_str()), 403),
    ];
    // Each in its own process: the buckets are equally full.
    let (layer, hand) = (guard(&world.process()), guard(&world.process()));
    for (method, credential, status) in cases {
        let expected = by_the_layer(&layer, request(method, credential)).await;
        assert_eq!(expected.0, status, "{method} {credential:?}");
        let found = by_hand(&hand, request(method, credential)).await;
        assert_eq!(found, expected, "{method} {credential:?}");
        assert_eq!(expected.1.contains_key("ratelimit"), expected.3 == Some(2));
    }
}

#[test]
fn denial_response_has_headers_of_its_status() {
    let unknown: Response<String> = Denied::Unauthenticated.into();
    assert_eq!(unknown.status(), 401);
    assert_eq!(unknown.headers()["www-authenticate"], "Bearer");
    assert_eq!(unknown.headers()["cache-control"], "no-store");
    assert_eq!(unknown.body(), r#"{"err":"Authentication required"}"#);
    let later: Response<String> = Denied::Unavailable.into();
    assert_eq!(later.status(), 503);
    assert_eq!(later.headers()["retry-after"], "1");
}

/// The headers of a limit replace those that the service wrote.
#[tokio::test]
async fn the_fields_of_a_limit_are_said_once() {
    let world = World::new();
    let limited = draft(1, "limited").with_limit(Some(RateLimit::per_minute(2).unwrap()));
    let limited = made(&world, limited).await;
    let (parts, _) = request("GET", Some(&limited)).into_parts();
    let caller = guard(&world.keys).admit(&parts).await.unwrap();
    let rate: RateState = caller.rate.unwrap();
    let mut headers = HeaderMap::new();
    rate.set_headers(&mut headers);
    rate.set_headers(&mut headers);
    assert_eq!(headers.len(), 2);
    assert_eq!(headers["ratelimit-policy"], r#""key";q=2;w=60"#);
}

#[tokio::test(start_paused = true)]
async fn expired_key_stays_expired_after_clock_set_back() {
    let world = World::new();
    let mut form = draft(1, "short");
    form.expiration = Expiration::At(world.clock.now() + TimeDelta::hours(1));
    let (_, once) = world.keys.create(&world.user(1), form).await.unwrap();
    let header = format!("Bearer {}", once.reveal().as_str());
    let from = [10, 0, 0, 1].into();
    let mut admitted = Vec::new();
    for hours in [0, 2, -2] {
        world.clock.jump(TimeDelta::hours(hours));
        let outcome = world.keys.authenticate([header.as_bytes()], from).await;
        admitted.push(outcome.is_ok());
    }
    assert_eq!(admitted, [true, false, false]);
}
