//! Limits of one client's use of a server.

use std::time::Duration;

use crate::processors;

const SHORTEST_LOOK: Duration = Duration::from_millis(10);

/// How long a client may take, and how much of the server it may hold.
///
/// Without such limits a stranger who opens sockets and says nothing takes every descriptor of the
/// process, and its deliveries stop too.
///
/// A network may be one user or many: an office behind one address, or all clients of a proxy in
/// front of the server, whose address is the only one that the server sees. So users share the
/// limits of their network: their requests take turns, and in a full network a connection of the
/// user with most of them ends. A user is one whose credentials were accepted before, from this
/// network and while it had a connection; all others of a network share the limits of one user.
/// Behind a proxy, raise the limits per network, and let the proxy bound the time of heads and
/// bodies and count by address.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ServeLimits {
    /// Connections in all. When there are more, the one that has been idle for longest ends; if
    /// none is idle, the new one is closed. Default 1,024.
    pub connections: usize,
    /// Connections of one network: an IPv4 address, or a /64 of IPv6. When there are more, one of
    /// that network ends, never another's: of the user who has most that are idle or wait for a
    /// body, the one that has done so for longest. Default 512.
    pub connections_per_network: usize,
    /// Requests of one network that are worked on at a time. A user who has some gets another only
    /// while three times as many are free: without other users, a quarter of them. More wait, user
    /// by user in turn, each as long as a body may take; 503 after that. Default 8.
    pub requests_per_network: usize,
    /// Requests of one user that are worked on at a time, within the limit above. It should be
    /// below the number of processors, or one user's slow requests occupy all of them. All unknown
    /// users count as one, so a server on which one of their requests waits for another needs more.
    /// Default half of the processors, at least 1.
    pub requests_per_user: usize,
    /// Requests of one network that wait for their turn. When there are more, the last one of the
    /// user who has most is answered with 503. It should be below `connections_per_network`, or
    /// those that wait hold every connection. Default 256.
    pub waiting_per_network: usize,
    /// How long a TLS handshake may take. Default 10 seconds.
    pub handshake: Duration,
    /// How long the head of a request may take: from the connection, or from its first byte on one
    /// that was idle. Default 10 seconds.
    pub header: Duration,
    /// How long the whole body of a request may take; 408 after that. Default 30 seconds.
    pub body: Duration,
    /// How long a request that is worked on may wait for 16 KiB of its body, or for its client to
    /// read as much of the response, while another request would have its turn: 408 after that, or
    /// the end of the connection. The first 64 KiB of a body take no turn. Default 1 second.
    pub patience: Duration,
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
            requests_per_user: processors::half(),
            waiting_per_network: 256,
            handshake: Duration::from_secs(10),
            header: Duration::from_secs(10),
            body: Duration::from_secs(30),
            patience: Duration::from_secs(1),
            idle: Duration::from_secs(75),
            stalled: Duration::from_secs(30),
            streams: 64,
            ping: Duration::from_secs(20),
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
            waiting_per_network: default.waiting_per_network.min((half / 2).max(1)),
            ..default
        }
    }

    /// Returns the time between two checks for connections that take too long.
    pub(super) fn look(&self) -> Duration {
        let shortest = self.header.min(self.idle).min(self.stalled);
        shortest.min(self.patience).max(SHORTEST_LOOK)
    }
}
