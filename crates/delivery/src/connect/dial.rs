//! Opening one connection to one address.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::{fmt, io};

use tokio::net::TcpStream;

use super::stream::{Base, IoStream};

/// The return type of [`Dial::dial`].
pub type DialFuture<'a> = Pin<Box<dyn Future<Output = io::Result<Box<dyn IoStream>>> + Send + 'a>>;

/// Opens a byte stream to an address that the target policy allows.
///
/// The sender has an implementation for TCP. Others serve tests (in-memory streams) and platforms
/// that must bind to an interface or mark their sockets.
pub trait Dial: fmt::Debug + Send + Sync {
    /// Connects to an address.
    ///
    /// # Errors
    ///
    /// Any I/O error; its kind selects the text for the user.
    fn dial(&self, addr: SocketAddr) -> DialFuture<'_>;
}

/// Connects with the platform's dialer, or by TCP without one.
pub(super) async fn dial(dialer: Option<&dyn Dial>, addr: SocketAddr) -> io::Result<Base> {
    match dialer {
        Some(dialer) => dialer.dial(addr).await.map(Base::Other),
        None => tcp(addr).await.map(Base::Tcp),
    }
}

/// Without Nagle's delay: a request is written immediately.
async fn tcp(addr: SocketAddr) -> io::Result<TcpStream> {
    let stream = TcpStream::connect(addr).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
