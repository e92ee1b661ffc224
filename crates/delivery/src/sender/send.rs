//! One attempt within its budget.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;

use chrono::{DateTime, Utc};
use tokio::time::{Instant, timeout_at};

use super::core::Sender;
use crate::outcome::{Attempt, ErrorClass};
use crate::progress::Progress;
use crate::request::Request;

impl Sender {
    /// Makes one attempt. The [`Attempt`] says what happened.
    ///
    /// The request's timeout is one budget for name resolution, connection, TLS, sending and the
    /// response's head and captured body (SPEC 2.2 *Timeout*). Success is a 2xx status, decided by
    /// the status line: what happens to the body afterwards does not undo it. Redirects are not
    /// followed, unless the platform asks for it
    /// ([`SenderBuilder::follow_redirects`](crate::SenderBuilder::follow_redirects)). `now` is
    /// the wall time that goes into the signature, by which certificates and `Retry-After`
    /// dates are judged; durations are measured by tokio's clock.
    ///
    /// One request reaches the target (and one each hop of a redirect), but for one case: if a
    /// connection that had served an earlier request is lost before any byte of the response, the
    /// request is sent once more within the budget, over a fresh connection, as browsers and curl
    /// do ([`Attempt::repeated`]). Nobody can know whether the target had received it: it may see
    /// the request twice. Neither a timeout nor a response that has begun is followed by a second
    /// request, nor is the failure of a fresh connection. Over HTTP/2 a response begins with its
    /// complete head; a stream that the target resets is not repeated, except after
    /// `REFUSED_STREAM`.
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
        // The attempt was made: a log subscriber that panics must not cost its outcome.
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
