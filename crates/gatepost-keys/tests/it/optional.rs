//! An optional guard lets requests without a key pass, and refuses a wrong key.

use std::convert::Infallible;
use std::net::IpAddr;

use apikey_core::{Grant, TableNames};
use axum::body::Body;
use axum::http::{Request, Response};
use gatepost_keys::{AuthLayer, Denied, Principal, Refused};
use tower::{Layer, ServiceExt, service_fn};

use crate::world::{World, draft};

fn guard(world: &World) -> AuthLayer {
    AuthLayer::new(world.keys.clone(), |ext| ext.get::<IpAddr>().copied())
}

fn request(method: &str, credentials: &[&str]) -> Request<Body> {
    let from: IpAddr = "10.0.0.1".parse().unwrap();
    let request = Request::builder().method(method).extension(from);
    let request = credentials.iter().fold(request, |request, value| {
        request.header("authorization", *value)
    });
    request.body(Body::empty()).unwrap()
}

/// Returns the status, and the caller that the guarded service sees.
async fn seen(guard: &AuthLayer, request: Request<Body>) -> (u16, Option<i64>) {
    let inner = service_fn(async |request: Request<Body>| {
        let caller = request.extensions().get::<Principal>();
        let name = caller.map_or(String::new(), |caller| caller.owner.0.to_string());
        Ok::<_, Infallible>(
            Response::builder()
                .header("seen", name)
                .body(Body::empty())
                .unwrap(),
        )
    });
    let response = guard.layer(inner).oneshot(request).await.unwrap();
    let seen = response.headers().get("seen");
    let seen = seen.and_then(|seen| seen.to_str().unwrap().parse().ok());
    (response.status().as_u16(), seen)
}

#[tokio::test]
async fn optional_guard_passes_requests_without_a_key() {
    let world = World::new();
    let good = world.key(1, "good").await;
    let guard = guard(&world).optional();
    assert_eq!(seen(&guard, request("POST", &[])).await, (200, None));
    assert_eq!(
        seen(&guard, request("POST", &[&good.header])).await,
        (200, Some(1))
    );
    // Credentials of another scheme are no key: they are for a login behind the guard.
    for other in ["Token eyJhbGciOiJIUzI1NiJ9.e30.c2ln", "Basic YWRhOng="] {
        assert_eq!(
            seen(&guard, request("GET", &[other])).await,
            (200, None),
            "{other}"
        );
    }
}

#[tokio::test]
async fn optional_guard_refuses_wrong_keys() {
    let world = World::new();
    let good = world.key(1, "good").await;
    let forged = good.forged(1).header;
    let bare = good.header.strip_prefix("Bearer ").unwrap();
    let guard = guard(&world).optional();
    let wrong: [&[&str]; 7] = [
        &[&forged],
        &[&good.header[..20]],
        &["Bearer"],
        &["bearer eyJhbGciOiJIUzI1NiJ9.e30.c2ln"],
        &[bare],
        &[&good.header, &good.header],
        &["Basic YWRhOng=", &forged],
    ];
    for credentials in wrong {
        assert_eq!(
            seen(&guard, request("GET", credentials)).await.0,
            401,
            "{credentials:?}"
        );
    }
    world.switch(&good, false).await;
    assert_eq!(
        seen(&guard, request("GET", &[&good.header])).await.0,
        401,
        "disabled"
    );
}

#[tokio::test]
async fn optional_guard_still_narrows_keys() {
    let world = World::new();
    let reading = Grant::new(true, TableNames::none(), "".parse().unwrap());
    let reading = draft(2, "reading").with_grant(reading);
    let (_, once) = world.keys.create(&world.user(2), reading).await.unwrap();
    let header = format!("Bearer {}", once.reveal().as_str());
    let guard = guard(&world).optional();
    assert_eq!(
        seen(&guard, request("GET", &[&header])).await,
        (200, Some(2))
    );
    assert_eq!(seen(&guard, request("POST", &[&header])).await.0, 403);
}

/// An optional guard therefore does not open services that must know their caller, such as the REST
/// API.
#[tokio::test]
async fn optional_guard_called_directly_refuses_unknown_callers() {
    let world = World::new();
    let guard = guard(&world).optional();
    let (parts, _) = request("GET", &[]).into_parts();
    let admitted = guard.admit(&parts).await;
    assert!(matches!(
        admitted,
        Err(Refused::Denied(Denied::Unauthenticated))
    ));
    assert!(guard.admit_optional(&parts).await.unwrap().is_none());
}

#[tokio::test]
async fn optional_guard_without_peer_answers_500() {
    let world = World::new();
    let guard = guard(&world).optional();
    let request = Request::builder().body(Body::empty()).unwrap();
    assert_eq!(seen(&guard, request).await.0, 500);
}
