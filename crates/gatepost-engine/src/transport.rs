//! The seam between the engine and the network: `delivery::Sender` in earnest, a script in tests.

use std::fmt;
use std::pin::Pin;

use chrono::{DateTime, Utc};
use delivery::{Attempt, ErrorClass, Preview, Request, Sender, TargetRefusal};
use webhook_model::TargetUrl;

/// Makes one attempt at a time. Whatever happens is in the [`Attempt`].
pub(crate) trait Transport: fmt::Debug + Send + Sync + 'static {
    /// Sends a request, once. `now` is signed and recorded as the start.
    fn send<'a>(
        &'a self,
        request: &'a Request,
        now: DateTime<Utc>,
    ) -> Pin<Box<dyn Future<Output = Attempt> + Send + 'a>>;

    /// What would be sent.
    fn preview(&self, request: &Request, now: DateTime<Utc>) -> Result<Preview, ErrorClass>;

    /// What the policy says to the URL itself.
    fn check_url(&self, url: &TargetUrl) -> Result<(), TargetRefusal>;

    /// What it says to the URL and to the addresses that its name has now.
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
