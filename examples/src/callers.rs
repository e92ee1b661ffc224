//! A limit of the concurrent requests of one caller: many requests only delay the caller's own.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use axum::Json;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::processors;
use crate::session::Sessions;

/// Requests of one caller that wait; more are refused with 429.
const WAITING: usize = 64;
/// The headers with keys, passwords and tokens.
const CREDENTIALS: [&str; 2] = ["authorization", "x-yottabyte-token"];

/// The callers with requests under way: users of the console, and credentials of the API.
/// `gatepost_keys::RequestLimits` limits the rate of a key's requests; this limits how many of them
/// occupy the processors at a time.
#[derive(Clone, Debug)]
pub struct Callers {
    sessions: Sessions,
    hasher: RandomState,
    busy: Arc<Mutex<HashMap<u64, Weak<Semaphore>>>>,
    /// Concurrent requests of one caller: below the number of processors, or one caller's slow
    /// requests occupy all of them.
    concurrent: usize,
}

impl Callers {
    /// Creates the limit; `sessions` are those of the console's users.
    #[must_use]
    pub fn new(sessions: Sessions) -> Self {
        Self {
            sessions,
            hasher: RandomState::new(),
            busy: Arc::default(),
            concurrent: processors::half(),
        }
    }

    /// Lets a request wait while its caller occupies half of the processors; responds with 429 if
    /// 64 wait already. A request without credentials passes.
    pub async fn limit(State(callers): State<Self>, request: Request, next: Next) -> Response {
        let Some(caller) = callers.caller(request.headers()) else {
            return next.run(request).await;
        };
        let Some(requests) = callers.requests(caller) else {
            let text = Json(json!({"err": "Too many of your requests wait"}));
            let soon = [(header::RETRY_AFTER, "5")];
            return (StatusCode::TOO_MANY_REQUESTS, soon, text).into_response();
        };
        // It is never closed.
        let _permit = requests.acquire().await;
        next.run(request).await
    }

    fn caller(&self, headers: &HeaderMap) -> Option<u64> {
        if let Some(user) = self.sessions.user(headers) {
            return Some(self.hasher.hash_one(user));
        }
        let name = CREDENTIALS.iter().find(|name| headers.contains_key(**name));
        let values = headers.get_all(*name?).iter().map(HeaderValue::as_bytes);
        Some(self.hasher.hash_one(values.collect::<Vec<_>>()))
    }

    /// Returns the permits of a caller; `None` if too many requests wait for them.
    fn requests(&self, caller: u64) -> Option<Arc<Semaphore>> {
        let mut busy = self.busy.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(requests) = busy.get(&caller).and_then(Weak::upgrade) {
            // Each of the others holds a reference.
            let others = Arc::strong_count(&requests) - 1;
            return (others < self.concurrent + WAITING).then_some(requests);
        }
        busy.retain(|_, requests| requests.strong_count() > 0);
        let requests = Arc::new(Semaphore::new(self.concurrent));
        busy.insert(caller, Arc::downgrade(&requests));
        Some(requests)
    }
}

#[cfg(test)]
mod tests {
    use gatepost_keys::{GuessLimiter, GuessLimits};
    use gatepost_storage::SystemClock;

    use super::*;
    use crate::passwords::Checked;

    fn callers() -> Callers {
        let guesses = GuessLimiter::new(GuessLimits::default(), Arc::new(SystemClock));
        let check = |_, _| async { Checked::Wrong };
        Callers::new(Sessions::new(false, guesses, check))
    }

    fn with(name: &'static str, value: &'static str) -> HeaderMap {
        HeaderMap::from_iter([(name.parse().unwrap(), HeaderValue::from_static(value))])
    }

    #[tokio::test]
    async fn caller_over_limit_waits_then_is_refused() {
        let callers = callers();
        let key = callers.caller(&with("authorization", "Bearer a")).unwrap();
        let requests: Vec<_> = (0..callers.concurrent + WAITING)
            .map(|_| callers.requests(key).unwrap())
            .collect();
        let mut held: Vec<_> = (0..callers.concurrent)
            .map(|_| requests[0].try_acquire().unwrap())
            .collect();
        assert!(requests[0].try_acquire().is_err(), "the next one waits");
        assert!(callers.requests(key).is_none(), "too many wait");
        let other = callers.caller(&with("authorization", "Bearer b")).unwrap();
        assert!(callers.requests(other).unwrap().try_acquire().is_ok());
        held.pop();
        assert!(requests[0].try_acquire().is_ok());
        drop(held);
        drop(requests);
        assert!(callers.requests(key).is_some());
        assert_eq!(
            callers.busy.lock().unwrap().len(),
            1,
            "others are forgotten"
        );
    }

    #[test]
    fn request_without_credentials_has_no_caller() {
        let callers = callers();
        assert_eq!(callers.caller(&HeaderMap::new()), None);
        assert_eq!(callers.caller(&with("cookie", "session=unknown")), None);
    }
}
