use axum::http::HeaderValue;
use gatepost_keys::{Account, Via};

use super::*;

fn headers(lines: &[(&'static str, &str)]) -> HeaderMap {
    let lines = lines.iter();
    lines
        .map(|(name, value)| {
            let value = HeaderValue::from_str(value).unwrap();
            (axum::http::HeaderName::from_static(name), value)
        })
        .collect()
}

fn bearer(key: &str) -> HeaderMap {
    headers(&[("authorization", &format!("Bearer {key}"))])
}

fn accepted(user: u128) -> Response<()> {
    let account = Account::enabled(gatepost_keys::AccessLevel::User);
    let mut response = Response::new(());
    let principal = Principal::new(OwnerId(user), account, Via::Platform);
    response.extensions_mut().insert(principal);
    response
}

fn refused() -> Response<()> {
    let mut response = Response::new(());
    *response.status_mut() = StatusCode::UNAUTHORIZED;
    response
}

#[test]
fn a_credential_is_a_users_once_it_was_accepted_and_until_it_is_refused() {
    let callers = Callers::default();
    let key = callers.credential(&bearer("a"));
    assert_eq!(callers.caller(key), Caller::Unknown);
    callers.learn(key, &Response::new(()));
    assert_eq!(callers.caller(key), Caller::Unknown, "a page for anybody");
    callers.learn(key, &accepted(1));
    assert_eq!(callers.caller(key), Caller::User(OwnerId(1)));
    callers.learn(key, &Response::new(()));
    assert_eq!(callers.caller(key), Caller::User(OwnerId(1)));
    callers.learn(key, &refused());
    assert_eq!(callers.caller(key), Caller::Unknown, "revoked");
}

#[test]
fn whatever_is_presented_tells_requests_apart() {
    let callers = Callers::default();
    let of = |lines: &[(&'static str, &str)]| callers.credential(&headers(lines));
    assert_eq!(of(&[("accept", "text/html")]), None);
    let all = [
        of(&[("authorization", "a")]),
        of(&[("cookie", "a")]),
        of(&[("x-yottabyte-token", "a")]),
        of(&[("cookie", "a"), ("cookie", "b")]),
    ];
    for (number, one) in all.iter().enumerate() {
        assert!(one.is_some() && !all[..number].contains(one));
    }
    assert_eq!(of(&[("cookie", "a"), ("accept", "*/*")]), all[1]);
    let with_another = of(&[("authorization", "a"), ("cookie", "made up")]);
    assert_eq!(with_another, all[0], "no new user");
}

/// One user with many sessions replaces only this user's credentials, and a network remembers a
/// bounded number.
#[test]
fn what_is_remembered_is_bounded_and_in_the_first_place_by_user() {
    let callers = Callers::default();
    let hers = callers.credential(&bearer("hers"));
    callers.learn(hers, &accepted(1));
    for number in 0..2 * REMEMBERED {
        let his = callers.credential(&bearer(&number.to_string()));
        callers.learn(his, &accepted(2));
    }
    assert_eq!(callers.accepted().users.len(), OF_USER + 1);
    assert_eq!(callers.caller(hers), Caller::User(OwnerId(1)));
    for number in 0..2 * REMEMBERED {
        let key = callers.credential(&bearer(&number.to_string()));
        callers.learn(key, &accepted(10 + number as u128));
        assert_ne!(callers.caller(hers), Caller::Unknown, "it is in use");
    }
    assert_eq!(callers.accepted().users.len(), REMEMBERED);
}
