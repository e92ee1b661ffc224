//! What one client may take of a server.

use std::time::Duration;

/// How long a client may take, and how much of the server it may hold.
///
/// Without such limits a stranger who opens sockets and says nothing takes every descriptor of the
/// process, and its deliveries stop too.
///
/// A network may be one user or many: an office behind one address, or all clients of a proxy in
/// front of the server, whose address is the only one that is seen here. Behind a proxy raise what
/// is counted by network, and let the proxy count by address: `docs/proxy.md`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServeLimits {
    /// Connections in all. When there are more, the one that has been idle for longest makes room;
    /// if none is idle, the new one is closed. Default 1,024.
    pub connections: usize,
    /// Connections of one network: an IPv4 address, or a /64 of IPv6. When there are more, one of
    /// that network makes room, never another's. Default 512.
    pub connections_per_network: usize,
    /// How long the head of a request may take: from the connection, with the TLS handshake, or
    /// from its first byte on one that was idle. Default 10 seconds.
    pub header: Duration,
    /// How long the whole body of a request may take; 408 after that. Default 30 seconds.
    pub body: Duration,
    /// How long a client may take to read a response, but for the last 128 KiB of it, which count
    /// as read once they wait for the client. Default 60 seconds.
    pub response: Duration,
    /// How long a connection may be idle between requests. Default 75 seconds.
    pub idle: Duration,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self::of_connections(1024)
    }
}

impl ServeLimits {
    /// The defaults, with this many connections in all; one network has at most half of them.
    #[must_use]
    pub fn of_connections(connections: usize) -> Self {
        Self {
            connections,
            connections_per_network: (connections / 2).clamp(1, 512),
            header: Duration::from_secs(10),
            body: Duration::from_secs(30),
            response: Duration::from_secs(60),
            idle: Duration::from_secs(75),
        }
    }
}
