//! Bodies of requests, which must arrive in time, and of responses, which must be read.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep, sleep_until};

use super::activity::{OpenRequest, PIECE};

type Failure = Box<dyn std::error::Error + Send + Sync>;

/// The body of a request. The time is for all of it: a trickle is late too, which
/// `RequestBodyTimeoutLayer` of tower-http, that times each frame, lets pass.
#[derive(Debug)]
pub(super) struct TimedBody {
    body: Incoming,
    until: Instant,
    timer: Option<Pin<Box<Sleep>>>,
    late: Arc<AtomicBool>,
}

impl TimedBody {
    /// The body, and whether it was late.
    pub(super) fn new(body: Incoming, until: Instant) -> (Self, Arc<AtomicBool>) {
        let late = Arc::new(AtomicBool::new(false));
        let timed = Self {
            body,
            until,
            timer: None,
            late: late.clone(),
        };
        (timed, late)
    }

    fn is_late(&mut self, cx: &mut Context<'_>) -> bool {
        let until = self.until;
        let timer = self
            .timer
            .get_or_insert_with(|| Box::pin(sleep_until(until)));
        timer.as_mut().poll(cx).is_ready()
    }
}

impl HttpBody for TimedBody {
    type Data = Bytes;
    type Error = Failure;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Failure>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(Some(Err(error))) => Poll::Ready(Some(Err(error.into()))),
            Poll::Ready(None) => Poll::Ready(None),
            more if self.is_late(cx) => {
                drop(more);
                self.late.store(true, Ordering::Relaxed);
                Poll::Ready(Some(Err(io::Error::from(io::ErrorKind::TimedOut).into())))
            }
            Poll::Ready(Some(Ok(frame))) => Poll::Ready(Some(Ok(frame))),
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The body of a response, in pieces: who asks for the next one has taken the one before.
#[derive(Debug)]
pub(super) struct PacedBody {
    body: Body,
    rest: Bytes,
    request: OpenRequest,
}

impl PacedBody {
    pub(super) fn new(body: Body, request: OpenRequest) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            request,
        }
    }

    fn piece(&mut self) -> Frame<Bytes> {
        self.request.handed();
        Frame::data(self.rest.split_to(self.rest.len().min(PIECE)))
    }
}

impl HttpBody for PacedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        self.request.taken();
        if !self.rest.is_empty() {
            return Poll::Ready(Some(Ok(self.piece())));
        }
        let frame = match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
            Some(Ok(frame)) => frame,
            ended => return Poll::Ready(ended),
        };
        Poll::Ready(Some(Ok(match frame.into_data() {
            Ok(data) => {
                self.rest = data;
                self.piece()
            }
            Err(trailers) => trailers,
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, left) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        if let Some(upper) = left.upper() {
            hint.set_upper(upper.saturating_add(rest));
        }
        hint.set_lower(left.lower().saturating_add(rest));
        hint
    }
}
