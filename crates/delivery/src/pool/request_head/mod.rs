//! Gatepost's own head of an HTTP/1.1 request, which replaces the one that hyper writes.
//!
//! Headers are sent in the order and the case in which the caller gave them (SPEC 2.2). hyper's
//! client writes them from a map, which groups repeated names, and in lower case; the types that
//! change this (`HeaderCaseMap`, `OriginalHeaderOrder`) cannot be created outside of hyper.
//! Therefore hyper gets a request without headers, and this stream replaces its short head by ours.
//! hyper still handles the response, the body, and the state of the connection. A separate client
//! would be far larger, and reordering hyper's head would require parsing it.
//!
//! No byte of a body is copied, and head and body are sent in one vectored write, as without this
//! stream. It relies on the following, all of which is checked or ensured here or in
//! [`H1`](super::H1):
//! - hyper encodes a whole head before it writes any of it, so the first buffer of a request begins
//!   with the head and contains all of it. If not, the request fails.
//! - hyper accepts a request only after the previous body is written. This holds while it queues
//!   bodies instead of joining them with the head, so this stream reports vectored writes.
//! - A connection whose head is not completely written gets no other request.
//! - Method and body are the same in both heads, so that hyper frames what our head announces.
//! - The version is always 1.1, also to a receiver that has responded in 1.0 (RFC 9110 §6.2).

use std::io::{self, Cursor, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Buf as _;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

const END: &[u8] = b"\r\n\r\n";

/// The head of the next request, or the unwritten part of it.
#[derive(Debug, Default)]
pub(super) struct NextHead(Mutex<Option<Cursor<Vec<u8>>>>);

impl NextHead {
    /// Sets the head of the request that hyper gets next.
    pub(super) fn set(&self, head: Vec<u8>) {
        *self.lock() = Some(Cursor::new(head));
    }

    /// Returns whether the head is completely written.
    pub(super) fn is_written(&self) -> bool {
        self.lock().is_none()
    }

    fn lock(&self) -> MutexGuard<'_, Option<Cursor<Vec<u8>>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// hyper began a request with other data than a head: this version of hyper is not supported.
#[derive(Debug, thiserror::Error)]
#[error("the request does not begin with a head")]
pub(super) struct NoHead;

/// A stream on which our heads replace hyper's.
pub(super) struct OwnHead<S> {
    pub(super) inner: S,
    pub(super) next: Arc<NextHead>,
}

impl<S: AsyncWrite + Unpin> AsyncWrite for OwnHead<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_write_vectored(cx, &[IoSlice::new(buf)])
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let Self { inner, next } = self.get_mut();
        let mut inner = Pin::new(inner);
        let mut next = next.lock();
        let Some(head) = next.as_mut() else {
            return inner.poll_write_vectored(cx, bufs);
        };
        let first: &[u8] = bufs.first().map_or(&[], |first| first);
        let theirs = end_of_head(first).ok_or_else(|| io::Error::other(NoHead))?;
        let after = &first[theirs..];
        let body: &[u8] = bufs.get(1).map_or(&[], |body| body);
        // Until our head is out, nothing of theirs counts as written: hyper offers it again.
        loop {
            let ours = [head.chunk(), after, body].map(IoSlice::new);
            let wrote = ready!(inner.as_mut().poll_write_vectored(cx, &ours))?;
            if wrote == 0 {
                return Poll::Ready(Ok(0));
            }
            if let Some(beyond) = wrote.checked_sub(head.remaining()) {
                *next = None;
                return Poll::Ready(Ok(theirs + beyond));
            }
            head.advance(wrote);
        }
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for OwnHead<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(cx, buf)
    }
}

fn end_of_head(bytes: &[u8]) -> Option<usize> {
    let at = bytes.windows(END.len()).position(|four| four == END)?;
    Some(at + END.len())
}

#[cfg(test)]
mod tests;
