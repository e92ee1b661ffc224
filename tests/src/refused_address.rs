//! An address that refuses every connection.

use std::net::SocketAddr;

use tokio::net::TcpSocket;

/// A port that is taken but not listened on: it refuses every connection, and no other test is
/// given it while this value exists.
#[derive(Debug)]
pub struct Refusing(TcpSocket);

impl Refusing {
    /// Takes a free port.
    ///
    /// # Panics
    /// If there is none.
    pub fn port() -> Self {
        let socket = TcpSocket::new_v4().unwrap();
        socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
        Self(socket)
    }

    /// Its address.
    ///
    /// # Panics
    /// Never: it is bound.
    pub fn addr(&self) -> SocketAddr {
        self.0.local_addr().unwrap()
    }
}
