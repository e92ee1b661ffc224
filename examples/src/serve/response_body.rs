//! The body of a response, which the client must read.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};

use super::activity::PIECE;
use super::open_request::OpenRequest;
use super::request_body::size_with;

/// The body of a response, in pieces: a client that asks for the next one has taken the one before.
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
        size_with(self.rest.len(), &self.body.size_hint())
    }
}
