//! The seam between the engine and the network: `delivery::Sender` in earnest, a script in tests.

use std::fmt;
use std::pin::Pin;

use chrono::{DateTime, Utc};
use delivery::{Attempt, ErrorClass, Preview, Request, Sender};

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
}
