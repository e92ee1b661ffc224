//! Ports of 127.0.0.1 for tests that run side by side.

use std::net::{SocketAddr, TcpListener};

use rand::RngExt as _;
use tokio::net::TcpSocket;

/// Below the ports that Linux gives to whoever asks for any (from 32768 on), so that a server
/// finds its port free when it starts and when it starts again.
const SERVERS: std::ops::Range<u16> = 20_000..32_000;

/// A free port for a server that is started as a process.
///
/// # Panics
/// When there is none.
pub fn free() -> u16 {
    let mut random = rand::rng();
    let mut tries = std::iter::repeat_with(|| random.random_range(SERVERS)).take(1000);
    tries
        .find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok())
        .unwrap()
}

/// A port that is taken but not listened on: it refuses every connection, and no other test is
/// given it while this lives.
#[derive(Debug)]
pub struct Refusing(TcpSocket);

impl Refusing {
    /// Takes a free port.
    ///
    /// # Panics
    /// When there is none.
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
