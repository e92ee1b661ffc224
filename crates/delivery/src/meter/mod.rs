//! Meters for streams: count bytes, bound the data before a response's head is complete, and record
//! why TLS ended.

mod settings;

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};

pub(crate) use settings::SettingsReader;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// The counters of a stream, and its limit.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    read: AtomicU64,
    written: AtomicU64,
    ceiling: AtomicU64,
    tls: OnceLock<rustls::Error>,
}

impl Meter {
    /// Limits further reads to `bytes` until [`Meter::unbound`].
    pub(crate) fn bound(&self, bytes: u64) {
        self.ceiling
            .store(self.read.load(Relaxed).saturating_add(bytes), Relaxed);
    }

    pub(crate) fn unbound(&self) {
        self.ceiling.store(u64::MAX, Relaxed);
    }

    pub(crate) fn read(&self) -> u64 {
        self.read.load(Relaxed)
    }

    pub(crate) fn written(&self) -> u64 {
        self.written.load(Relaxed)
    }

    /// Returns the TLS error that ended the stream, such as the alert of a server that refused the
    /// client certificate after the handshake.
    pub(crate) fn tls_error(&self) -> Option<&rustls::Error> {
        self.tls.get()
    }

    fn note(&self, error: &io::Error) {
        let error = error.get_ref().and_then(|inner| inner.downcast_ref());
        if let Some(error) = error.cloned() {
            self.tls.get_or_init(|| error);
        }
    }
}

/// The head of a response, with all interim responses before it, exceeds its limit.
#[derive(Debug, thiserror::Error)]
#[error("the head of the response is too large")]
pub(crate) struct HeadTooLarge;

/// A stream with its meter.
pub(crate) struct Metered<S> {
    pub(crate) inner: S,
    pub(crate) meter: Arc<Meter>,
    /// Only for HTTP/2.
    pub(crate) settings: Option<SettingsReader>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Metered<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buf.filled().len();
        let ended = ready!(Pin::new(&mut self.inner).poll_read(cx, buf));
        ended.inspect_err(|error| self.meter.note(error))?;
        let came = buf.filled().get(before..).unwrap_or_default();
        if let Some(settings) = &mut self.settings {
            settings.read(came);
        }
        let more = u64::try_from(came.len()).unwrap_or(u64::MAX);
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
