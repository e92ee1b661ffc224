//! An attempt with its timeout.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;

use chrono::{DateTime, Utc};
use tokio::time::{Instant, timeout_at};

use super::core::Sender;
use crate::outcome::{Attempt, ErrorClass};
use crate::progress::Progress;
use crate::request::Request;

impl Sender {
    /// Makes one attempt and returns its record.
    ///
    /// The request's timeout covers name resolution, connection, TLS, sending and the response's
    /// head and captured body (SPEC 2.2 *Timeout*). A 2xx status is a success, as soon as the
    /// status line is read: a later failure of the body does not change that. Redirects are
    /// followed only if the platform enables that
    /// ([`SenderBuilder::follow_redirects`](crate::SenderBuilder::follow_redirects)). `now` is the
    /// wall time for the signature, the validity of certificates, and `Retry-After` dates;
    /// durations are measured by tokio's clock.
    ///
    /// The target gets one request (and one for each hop of a redirect), with one exception: if a
    /// connection that had served an earlier request is lost before any byte of the response, the
    /// request is sent again within the timeout, over a fresh connection, as browsers and curl do
    /// ([`Attempt::repeated`]). Nobody can know whether the target had received it, so it may see
    /// the request twice. A request is not sent again after a timeout, after a response has begun,
    /// or after the failure of a fresh connection. Over HTTP/2 a response begins with its complete
    /// head; a stream that the target resets is not repeated, except after `REFUSED_STREAM`.
    ///
    /// Dropping the future closes its connection (HTTP/1) or its stream (HTTP/2).
    pub async fn send(&self, request: &Request, now: DateTime<Utc>) -> Attempt {
        let started = Instant::now();
        let mut progress = Progress::new(started);
        let ended = {
            let run = pin!(self.run(request, now, &mut progress));
            match started.checked_add(request.fixed.timeout) {
                Some(deadline) => timeout_at(deadline, run).await,
                None => Ok(run.await),
            }
        };
        let fault = match ended {
            Ok(Ok(())) => None,
            Ok(Err(class)) => Some(class),
            Err(_) => Some(ErrorClass::Timeout(progress.phase_of_timeout())),
        };
        let attempt = progress.into_attempt(fault, now);
        // The attempt was made: a log subscriber that panics must not lose its outcome.
        let _ = catch_unwind(AssertUnwindSafe(|| log(request, &attempt)));
        attempt
    }
}

fn log(request: &Request, attempt: &Attempt) {
    tracing::debug!(
        origin = ?request.fixed.origin,
        id = request.delivery_id(),
        status = attempt.status,
        code = attempt.error().map(ErrorClass::code),
        ms = attempt.duration.as_millis(),
        reused = attempt.reused,
        repeated = attempt.repeated,
        "attempt ended"
    );
}
