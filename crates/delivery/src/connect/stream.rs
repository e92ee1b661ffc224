//! The byte streams that HTTP runs on, with counters.

use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// Any byte stream that a connection can run on.
pub trait Wire: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Wire for T {}

/// A connection as it was dialled.
pub(crate) enum Base {
    Tcp(TcpStream),
    Other(Box<dyn Wire>),
}

/// A connection as HTTP uses it.
pub(crate) enum Stream {
    Plain(Base),
    Tls(Box<TlsStream<Base>>),
}

impl Stream {
    /// Whether both sides agreed on HTTP/2 (RFC 7301).
    pub(crate) fn chose_h2(&self) -> bool {
        matches!(self, Self::Tls(tls) if tls.get_ref().1.alpn_protocol() == Some(b"h2"))
    }
}

/// Counts what passes, and bounds what may come before an answer's head is complete.
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

/// The head of an answer, with all interim answers before it, has passed its bound.
#[derive(Debug, thiserror::Error)]
#[error("the head of the answer is too large")]
pub(crate) struct HeadTooLarge;

/// A stream with its meter.
pub(crate) struct Metered {
    pub(crate) inner: Stream,
    pub(crate) meter: Arc<Meter>,
}

/// Hands a call on to whichever stream there is.
macro_rules! on {
    ($self:expr, $kind:ident { $($variant:ident),+ }, $io:ident => $call:expr) => {
        match $self.get_mut() { $($kind::$variant($io) => { let $io = Pin::new($io); $call })+ }
    };
}

macro_rules! forward {
    ($kind:ident { $($variant:ident),+ }) => {
        impl AsyncRead for $kind {
            fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
                on!(self, $kind { $($variant),+ }, io => io.poll_read(cx, buf))
            }
        }

        impl AsyncWrite for $kind {
            fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
                on!(self, $kind { $($variant),+ }, io => io.poll_write(cx, buf))
            }

            fn poll_write_vectored(self: Pin<&mut Self>, cx: &mut Context<'_>, bufs: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
                on!(self, $kind { $($variant),+ }, io => io.poll_write_vectored(cx, bufs))
            }

            fn is_write_vectored(&self) -> bool {
                match self { $($kind::$variant(io) => io.is_write_vectored()),+ }
            }

            fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                on!(self, $kind { $($variant),+ }, io => io.poll_flush(cx))
            }

            fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
                on!(self, $kind { $($variant),+ }, io => io.poll_shutdown(cx))
            }
        }
    };
}

forward!(Base { Tcp, Other });
forward!(Stream { Plain, Tls });

impl fmt::Debug for Base {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Base")
    }
}

impl AsyncRead for Metered {
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

impl Metered {
    fn count(&self, wrote: io::Result<usize>) -> io::Result<usize> {
        if let Ok(bytes) = &wrote {
            self.meter
                .written
                .fetch_add(u64::try_from(*bytes).unwrap_or(0), Relaxed);
        }
        wrote
    }
}

impl AsyncWrite for Metered {
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
