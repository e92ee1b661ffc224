//! Counts what passes a stream, and bounds what may come before a response's head is complete.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// Counts what passes, and bounds what may come before a response's head is complete.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    read: AtomicU64,
    written: AtomicU64,
    ceiling: AtomicU64,
}

impl Meter {
    /// From now on at most `bytes` may be read before [`Meter::unbound`].
    pub(crate) fn bound(&self, bytes: u64) {
        self.ceiling
            .store(self.read.load(Relaxed).saturating_add(bytes), Relaxed);
    }

    pub(crate) fn unbound(&self) {
        self.ceiling.store(u64::MAX, Relaxed);
    }

    pub(crate) fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }
}

/// The head of a response, with all interim responses before it, has passed its bound.
#[derive(Debug, thiserror::Error)]
#[error("the head of the response is too large")]
pub(crate) struct HeadTooLarge;

/// A stream with its meter.
pub(crate) struct Metered<S> {
    pub(crate) inner: S,
    pub(crate) meter: Arc<Meter>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(cx, buf))?;
        let more = u64::try_from(buf.filled().len() - before).unwrap_or(u64::MAX);
        let read = self
            .meter
            .read
            .fetch_add(more, Relaxed)
            .saturating_add(more);
        if read > self.meter.ceiling.load(Relaxed) {
            return Poll::Ready(Err(io::Error::other(HeadTooLarge)));
        }
        Poll::Ready(Ok(()))
    }
}

impl<S> Metered<S> {
    fn count(&self, wrote: io::Result<usize>) -> io::Result<usize> {
        if let Ok(bytes) = &wrote {
            self.meter
                .written
                .fetch_add(u64::try_from(*bytes).unwrap_or(0), Relaxed);
        }
        wrote
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Metered<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wrote = ready!(Pin::new(&mut self.inner).poll_write(cx, buf));
        Poll::Ready(self.count(wrote))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bufs: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let wrote = ready!(Pin::new(&mut self.inner).poll_write_vectored(cx, bufs));
        Poll::Ready(self.count(wrote))
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
