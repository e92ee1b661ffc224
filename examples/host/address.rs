//! The address to listen on.

use std::fmt;
use std::io::{self, ErrorKind};
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;

use tokio::net::{TcpListener, TcpSocket, lookup_host};

use crate::failure::Failure;

/// How many connections may wait to be accepted; the system may allow fewer. A client whose
/// connection does not fit tries again after a second: with the usual 128, a flood makes everybody
/// wait for that.
const BACKLOG: u32 = 4096;

/// A host, by address or name, and a port: `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Address {
    host: String,
    port: u16,
}

impl Address {
    /// Listens there; if a name has several addresses, on the first that can be bound.
    pub(crate) async fn listen(&self) -> Result<TcpListener, Failure> {
        self.bind().await.map_err(|error| {
            let advice = self.advice(&error);
            Failure::new(format!("cannot listen on {self}"), error).advise(advice)
        })
    }

    /// The name by which clients may call it; `None` if it is every address of this machine.
    pub(crate) fn name(&self) -> Option<&str> {
        let ip = self.host.parse::<IpAddr>();
        (!ip.is_ok_and(|ip| ip.is_unspecified())).then_some(&self.host)
    }

    async fn bind(&self) -> io::Result<TcpListener> {
        let mut failed = io::Error::from(ErrorKind::AddrNotAvailable);
        for addr in lookup_host((self.host.as_str(), self.port)).await? {
            match listen_on(addr) {
                Ok(listener) => return Ok(listener),
                Err(error) => failed = error,
            }
        }
        Err(failed)
    }

    fn advice(&self, error: &io::Error) -> Option<String> {
        let host = self.bracketed();
        match error.kind() {
            ErrorKind::AddrInUse => Some(format!("another host? try --listen {host}:0")),
            ErrorKind::AddrNotAvailable => Some("this machine has no such address".into()),
            ErrorKind::PermissionDenied => Some(format!("try --listen {host}:8080")),
            _ => None,
        }
    }

    fn bracketed(&self) -> String {
        if self.host.contains(':') {
            format!("[{}]", self.host)
        } else {
            self.host.clone()
        }
    }
}

fn listen_on(addr: SocketAddr) -> io::Result<TcpListener> {
    let socket = match addr {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    socket.set_reuseaddr(true)?;
    socket.bind(addr)?;
    socket.listen(BACKLOG)
}

impl From<SocketAddr> for Address {
    fn from(addr: SocketAddr) -> Self {
        Self {
            host: addr.ip().to_string(),
            port: addr.port(),
        }
    }
}

impl FromStr for Address {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        const EXPECTED: &str = "an address and a port are expected, such as 127.0.0.1:8080";
        if let Ok(addr) = text.parse::<SocketAddr>() {
            return Ok(addr.into());
        }
        let (host, port) = text.rsplit_once(':').ok_or(EXPECTED)?;
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-._".contains(c);
        if host.is_empty() || !host.chars().all(is_name) {
            return Err(EXPECTED);
        }
        Ok(Self {
            host: host.to_owned(),
            port: port.parse().map_err(|_| EXPECTED)?,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.bracketed(), self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_with_a_port() {
        for good in [
            "127.0.0.1:8080",
            "[::1]:0",
            "localhost:8080",
            "a-b.example:1",
        ] {
            assert_eq!(good.parse::<Address>().unwrap().to_string(), good);
        }
        for bad in [
            "",
            "8080",
            ":8080",
            "localhost",
            "localhost:",
            "::1:80x",
            "h:70000",
            "a b:1",
        ] {
            assert!(bad.parse::<Address>().is_err(), "{bad}");
        }
    }
}
