//! A scripted network.

use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Mutex;

use chrono::{DateTime, Utc};
use delivery::{
    Attempt, DnsFault, ErrorClass, Preview, Request, RequestError, TargetPolicy, TargetRefusal,
};
use tokio::sync::Semaphore;
use webhook_model::TargetUrl;

use crate::transport::Transport;

/// Returns an attempt that got this status.
pub(crate) fn responded(status: u16, now: DateTime<Utc>) -> Attempt {
    let mut attempt = Attempt::unsent(ErrorClass::Status(status), now);
    if (200..300).contains(&status) {
        attempt.outcome = Ok(status);
    }
    attempt.status = Some(status);
    attempt.body.bytes = b"thanks".to_vec().into();
    attempt
}

/// Responds to each request with the next status, then with 200; remembers the bodies.
#[derive(Debug)]
pub(crate) struct Script {
    statuses: Mutex<VecDeque<u16>>,
    pub bodies: Mutex<Vec<String>>,
    urls: Mutex<Vec<String>>,
    /// Limits the number of responses.
    pub gate: Semaphore,
}

impl Script {
    pub(crate) fn new(statuses: &[u16]) -> Self {
        Self {
            statuses: Mutex::new(statuses.iter().copied().collect()),
            bodies: Mutex::default(),
            urls: Mutex::default(),
            gate: Semaphore::new(1_000_000),
        }
    }

    /// Stops responding until permits are added.
    pub(crate) fn hold(&self) {
        self.gate.forget_permits(usize::MAX);
    }

    pub(crate) fn sent(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }

    pub(crate) fn urls(&self) -> Vec<String> {
        self.urls.lock().unwrap().clone()
    }
}

impl Transport for Script {
    fn send<'a>(
        &'a self,
        request: &'a Request,
        now: DateTime<Utc>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'a>> {
        Box::pin(async move {
            let body = String::from_utf8(request.body().to_vec()).unwrap();
            self.bodies.lock().unwrap().push(body);
            self.urls.lock().unwrap().push(request.url().to_string());
            self.gate.acquire().await.unwrap().forget();
            let status = self.statuses.lock().unwrap().pop_front();
            responded(status.unwrap_or(200), now)
        })
    }

    fn preview(&self, _: &Request, _: DateTime<Utc>) -> Result<Preview, ErrorClass> {
        Err(ErrorClass::Build(RequestError::TooManyHeaders))
    }

    fn check_url(&self, url: &TargetUrl) -> Result<(), TargetRefusal> {
        TargetPolicy::public().check_url(url.as_url())
    }

    fn check_target<'a>(
        &'a self,
        _: &'a TargetUrl,
    ) -> Pin<Box<dyn Future<Output = Result<(), ErrorClass>> + Send + 'a>> {
        Box::pin(async {
            self.gate.acquire().await.unwrap().forget();
            Err(ErrorClass::Dns(DnsFault::NoAddress))
        })
    }
}
