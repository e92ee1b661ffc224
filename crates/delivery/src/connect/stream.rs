//! The byte streams of HTTP connections.

use std::fmt;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::{Connected, Connection};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::client::TlsStream;

/// A byte stream that a connection can use.
pub trait IoStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> IoStream for T {}

/// A connection as it was dialled.
pub(crate) enum Base {
    Tcp(TcpStream),
    Other(Box<dyn IoStream>),
}

/// A connection that is secured.
pub(crate) type Secured = TlsStream<TokioIo<TokioIo<Base>>>;

/// A connection for HTTP.
pub(crate) enum Stream {
    Plain(Base),
    Tls(Box<Secured>),
}

impl Stream {
    /// Returns whether both sides agreed on HTTP/2 (RFC 7301).
    pub(crate) fn chose_h2(&self) -> bool {
        matches!(self, Self::Tls(tls) if tls.get_ref().1.alpn_protocol() == Some(b"h2"))
    }
}

/// No connection metadata: the address is already known, and hyper does not pool the connection.
impl Connection for Base {
    fn connected(&self) -> Connected {
        Connected::new()
    }
}

/// Forwards a call to the stream.
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
