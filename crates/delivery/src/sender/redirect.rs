//! Following redirects, if the platform enables it.

use chrono::{DateTime, Utc};

use super::core::Sender;
use crate::outcome::ErrorClass;
use crate::progress::Progress;
use crate::request::Request;

impl Sender {
    /// Makes one attempt without its timeout: a request, and as many hops after it as the platform
    /// allows.
    ///
    /// Each hop is a separate request: its URL and every address behind it are checked again.
    pub(super) async fn run(
        &self,
        request: &Request,
        now: DateTime<Utc>,
        progress: &mut Progress,
    ) -> Result<(), ErrorClass> {
        self.exchange(request, now, progress).await?;
        if self.parts.redirects == 0 || request.fixed.stays {
            return Ok(());
        }
        // Boxed: rare, and it would double the size of every attempt.
        Box::pin(self.follow(request, now, progress)).await
    }

    async fn follow(
        &self,
        first: &Request,
        now: DateTime<Utc>,
        progress: &mut Progress,
    ) -> Result<(), ErrorClass> {
        let mut next = redirected(first, progress);
        while let Some(request) = next.filter(|_| progress.redirects < self.parts.redirects) {
            progress.next_hop();
            self.exchange(&request, now, progress).await?;
            next = redirected(&request, progress);
        }
        Ok(())
    }
}

/// Returns the request to the response's location, if it is a redirect that may be followed.
fn redirected(request: &Request, progress: &Progress) -> Option<Request> {
    request.redirected(progress.status?, progress.head.as_ref()?)
}
