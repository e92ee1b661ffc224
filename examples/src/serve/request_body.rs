//! The body of a request, which must arrive in time.

use std::io;
use std::mem;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until};

use super::ahead::Parts;
use super::patience::Patience;

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The body of a request. The time is for the whole body, so a slow trickle is late too;
/// `RequestBodyTimeoutLayer` of tower-http times each frame and lets it pass.
#[derive(Debug)]
pub(super) struct TimedBody {
    parts: Parts,
    until: Instant,
    patience: Patience,
    timer: Option<Pin<Box<Sleep>>>,
    late: Arc<AtomicBool>,
}

impl TimedBody {
    /// Returns the body, and a flag that says whether it was late.
    pub(super) fn new(parts: Parts, until: Instant, patience: Patience) -> (Self, Arc<AtomicBool>) {
        let late = Arc::new(AtomicBool::new(false));
        let timed = Self {
            parts,
            until,
            patience,
            timer: None,
            late: late.clone(),
        };
        (timed, late)
    }

    fn is_late(&mut self, cx: &mut Context<'_>) -> bool {
        loop {
            let now = Instant::now();
            if self.until <= now || self.patience.is_over(now) {
                return true;
            }
            let next = self.until.min(self.patience.next(now));
            let timer = self
                .timer
                .get_or_insert_with(|| Box::pin(sleep_until(next)));
            timer.as_mut().reset(next);
            if timer.as_mut().poll(cx).is_pending() {
                return false;
            }
        }
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = Failure;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        if !self.parts.bytes.is_empty() {
            let bytes = mem::take(&mut self.parts.bytes);
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        if let Some(after) = self.parts.after.take() {
            // After trailers, or an error, there is nothing more.
            self.parts.rest = None;
            return Poll::Ready(Some(after.map_err(Failure::from)));
        }
        let Some(rest) = &mut self.parts.rest else {
            return Poll::Ready(None);
        };
        let frame = match Pin::new(rest).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => Poll::Ready(frame),
            Poll::Ready(ended) => return Poll::Ready(ended.map(|end| end.map_err(Failure::from))),
            Poll::Pending => Poll::Pending,
        };
        match &frame {
            Poll::Ready(frame) => self.patience.came(frame.data_ref().map_or(0, Bytes::len)),
            Poll::Pending => self.patience.waits(),
        }
        if self.is_late(cx) {
            self.late.store(true, Ordering::Relaxed);
            let late = io::Error::from(io::ErrorKind::TimedOut);
            return Poll::Ready(Some(Err(late.into())));
        }
        frame.map(|frame| Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        let Parts { bytes, after, rest } = &self.parts;
        let is_over = rest.as_ref().is_none_or(HttpBody::is_end_stream);
        bytes.is_empty() && after.is_none() && is_over
    }

    fn size_hint(&self) -> SizeHint {
        let rest = self.parts.rest.as_ref().map(HttpBody::size_hint);
        let rest = rest.unwrap_or_else(|| SizeHint::with_exact(0));
        size_with(self.parts.bytes.len(), &rest)
    }
}

/// Returns the size of the part that is here and of the rest.
pub(super) fn size_with(here: usize, rest: &SizeHint) -> SizeHint {
    let (here, mut hint) = (here as u64, SizeHint::new());
    if let Some(upper) = rest.upper() {
        hint.set_upper(upper.saturating_add(here));
    }
    hint.set_lower(rest.lower().saturating_add(here));
    hint
}
