//! The body of a request or a response, in pieces, which says when it has gone.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

/// hyper takes a frame as a whole, however large it is, and has then no more to ask of the body.
const PIECE: usize = 16 * 1024;

/// A body, and what is dropped with it: once all of it has been handed over, or nobody is to have
/// the rest any more.
#[derive(Debug)]
pub(super) struct Held<B, T> {
    body: B,
    rest: Bytes,
    _with: T,
}

impl<B, T> Held<B, T> {
    pub(super) fn new(body: B, with: T) -> Self {
        Self {
            body,
            rest: Bytes::new(),
            _with: with,
        }
    }
}

impl<B: Body<Data = Bytes> + Unpin, T: Unpin> Body for Held<B, T> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        if self.rest.is_empty() {
            match ready!(Pin::new(&mut self.body).poll_frame(cx)) {
                Some(Ok(frame)) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                ended => return Poll::Ready(ended),
            }
        }
        let length = self.rest.len().min(PIECE);
        Poll::Ready(Some(Ok(Frame::data(self.rest.split_to(length)))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    /// Nobody asks once it has begun.
    fn size_hint(&self) -> SizeHint {
        match self.rest.is_empty() {
            true => self.body.size_hint(),
            false => SizeHint::default(),
        }
    }
}
