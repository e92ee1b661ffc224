//! What one client may take of a server.

use std::time::Duration;

/// How long a client may take, and how much of the server it may hold.
///
/// Without such limits a stranger who opens sockets and says nothing takes every descriptor of the
/// process, and its deliveries stop too. A proxy in front of a server is one address to it: raise
/// what is counted by network there, and let the proxy count.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServeLimits {
    /// Connections in all. When there are more, the one that has been idle for longest makes room;
    /// if none is idle, the new one is closed. Default 1,024.
    pub connections: usize,
    /// Connections of one network: an IPv4 address, or a /64 of IPv6. When there are more, one of
    /// that network makes room, never another's. Default 512.
    pub connections_per_network: usize,
    /// Requests of one network that are worked on at a time. More wait for their turn, each as long
    /// as a body may take; 503 after that. Default 8.
    pub requests_per_network: usize,
    /// How long a TLS handshake may take. Default 10 seconds.
    pub handshake: Duration,
    /// How long the head of a request may take: from the connection, or from its first byte on one
    /// that was idle. Default 10 seconds.
    pub header: Duration,
    /// How long the whole body of a request may take; 408 after that. Default 30 seconds.
    pub body: Duration,
    /// How long a connection may be idle between requests. Default 75 seconds.
    pub idle: Duration,
    /// How long a client may take to read 16 KiB of a response. Default 30 seconds.
    pub stalled: Duration,
    /// Requests at a time on one HTTP/2 connection. Default 64.
    pub streams: u32,
    /// How often a silent HTTP/2 client is asked whether it is still there. It has 10 seconds to
    /// answer. Default 20 seconds.
    pub ping: Duration,
}

impl Default for ServeLimits {
    fn default() -> Self {
        Self {
            connections: 1024,
            connections_per_network: 512,
            requests_per_network: 8,
            handshake: Duration::from_secs(10),
            header: Duration::from_secs(10),
            body: Duration::from_secs(30),
            idle: Duration::from_secs(75),
            stalled: Duration::from_secs(30),
            streams: 64,
            ping: Duration::from_secs(20),
        }
    }
}

impl ServeLimits {
    /// The defaults, with this many connections in all; one network has at most half of them.
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

    /// No time limit that is set is shorter than this.
    pub(super) fn shortest(&self) -> Duration {
        self.header.min(self.idle).min(self.stalled)
    }
}
