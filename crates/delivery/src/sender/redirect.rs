//! Following redirects, where the host asked for it.

use chrono::{DateTime, Utc};

use super::{Progress, Sender};
use crate::outcome::ErrorClass;
use crate::request::Request;

impl Sender {
    /// One attempt without its budget: a request, and as many hops after it as the host allows.
    ///
    /// Each hop is a request of its own: its URL and every address behind it are judged anew.
    pub(super) async fn run(
        &self,
        request: &Request,
        now: DateTime<Utc>,
        progress: &mut Progress,
    ) -> Result<(), ErrorClass> {
        self.exchange(request, now, progress).await?;
        if self.parts.redirects == 0 {
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
        let mut next = progress.redirected(first);
        while let Some(request) = next.filter(|_| progress.redirects < self.parts.redirects) {
            progress.next_hop();
            self.exchange(&request, now, progress).await?;
            next = progress.redirected(&request);
        }
        Ok(())
    }
}
