//! Limits of one client's use of a server.

use std::time::Duration;

/// How long a client may take, and how many connections it may hold.
///
/// Without such limits a stranger who opens sockets and says nothing takes every descriptor of the
/// process, and its deliveries stop too.
///
/// Behind a proxy, the server sees no other address than the proxy's: raise
/// `connections_per_network`, and let the proxy bound the time of heads and bodies and count by
/// address.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServeLimits {
    /// Connections in all. When there are more, one that waits for its client ends: one on which no
    /// request has been answered, or else the one that has waited for longest. If none waits, the
    /// new one is closed. Default 1,024.
    pub connections: usize,
    /// Connections of one network: an IPv4 address, or a /64 of IPv6. When there are more, one of
    /// that network ends by the same rule, never another's, and none that was served within five
    /// seconds. Default 512.
    pub connections_per_network: usize,
    /// How long a TLS handshake may take. Default 10 seconds.
    pub handshake: Duration,
    /// How long the head of a request may take: from the connection, or from its first byte on one
    /// that was idle. Default 10 seconds.
    pub header: Duration,
    /// How long the whole body of a request may take; 408 after that. Default 30 seconds.
    pub body: Duration,
    /// How long a connection may be idle: between requests, and while its client reads nothing of a
    /// response. Default 75 seconds.
    pub idle: Duration,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self {
            connections: 1024,
            connections_per_network: 512,
            handshake: Duration::from_secs(10),
            header: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(75),
        }
    }
}

impl ServeLimits {
    /// Returns the defaults, with this many connections in all; one network has at most half of
    /// them.
    #[must_use]
    pub fn of_connections(connections: usize) -> Self {
        let default = Self::default();
        let half = (connections / 2).max(1);
        Self {
            connections,
            connections_per_network: default.connections_per_network.min(half),
            ..default
        }
    }
}
