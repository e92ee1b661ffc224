//! The interface between the engine and the network: `delivery::Sender` in production, a script in
//! tests.

use std::fmt;
use std::pin::Pin;

use chrono::{DateTime, Utc};
use delivery::{Attempt, ErrorClass, Preview, Request, Sender, TargetRefusal};
use webhook_model::TargetUrl;

/// Makes one attempt at a time. Every result is in the [`Attempt`].
pub(crate) trait Transport: fmt::Debug + Send + Sync + 'static {
    /// Sends a request, once. `now` is signed and recorded as the start.
    fn send<'a>(
        &'a self,
        request: &'a Request,
        now: DateTime<Utc>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'a>>;

    /// Returns the bytes that would be sent.
    fn preview(&self, request: &Request, now: DateTime<Utc>) -> Result<Preview, ErrorClass>;

    /// Returns the policy's verdict on the URL itself.
    fn check_url(&self, url: &TargetUrl) -> Result<(), TargetRefusal>;

    /// Returns its verdict on the URL and on the current addresses of its name.
    fn check_target<'a>(
        &'a self,
        url: &'a TargetUrl,
    ) -> Pin<Box<dyn Future<Output = Result<(), ErrorClass>> + Send + 'a>>;
}

impl Transport for Sender {
    fn send<'a>(
        &'a self,
        request: &'a Request,
        now: DateTime<Utc>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'a>> {
        Box::pin(Self::send(self, request, now))
    }

    fn preview(&self, request: &Request, now: DateTime<Utc>) -> Result<Preview, ErrorClass> {
        Self::preview(self, request, now)
    }

    fn check_url(&self, url: &TargetUrl) -> Result<(), TargetRefusal> {
        self.policy().check_url(url.as_url())
    }

    fn check_target<'a>(
        &'a self,
        url: &'a TargetUrl,
    ) -> Pin<Box<dyn Future<Output = Result<(), ErrorClass>> + Send + 'a>> {
        Box::pin(Self::check_target(self, url.as_url()))
    }
}
