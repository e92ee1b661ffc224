//! Opening one connection to one address.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::{fmt, io};

use tokio::net::TcpStream;

use super::stream::{Base, Wire};

/// What [`Dial::dial`] returns.
pub type DialFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Box<dyn Wire>>> + Send + 'a>>;

/// Opens a byte stream to an address that the target policy has let through.
///
/// The sender brings its own for TCP. Others serve tests (in-memory streams) and platforms that
/// have to bind to an interface or mark their sockets.
pub trait Dial: fmt::Debug + Send + Sync {
    /// Connects to an address.
    ///
    /// # Errors
    ///
    /// Any I/O error; its kind decides what a user reads.
    fn dial(&self, addr: SocketAddr) -> DialFuture<'_>;
}

/// Connects by the platform's dialer, or by TCP when it has none.
pub(super) async fn dial(dialer: Option<&dyn Dial>, addr: SocketAddr) -> io::Result<Base> {
    match dialer {
        Some(dialer) => dialer.dial(addr).await.map(Base::Other),
        None => tcp(addr).await.map(Base::Tcp),
    }
}

/// Without Nagle's delay: a request is written at once.
async fn tcp(addr: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(addr).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
