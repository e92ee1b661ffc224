//! Many clients.

use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::Path;
use axum::routing::get;
use examples::serve::ServeLimits;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

use super::{ask, closed, connect, hear, patient, served};

fn hello() -> Router {
    let hello = get(async || "hello").post(async |body: Bytes| body.len().to_string());
    Router::new().route("/", hello)
}

/// Whether it is still served.
async fn lives(stream: &mut TcpStream) -> bool {
    let request = b"GET / HTTP/1.1\r\nhost: here\r\n\r\n";
    stream.write_all(request).await.is_ok() && hear(stream, "hello").await.ends_with("hello")
}

/// Regression: a thousand sockets that send nothing.
#[tokio::test]
async fn idle_sockets_are_closed_for_new_connections() {
    let limits = ServeLimits {
        connections: 40,
        connections_per_network: 10,
        ..patient()
    };
    let server = served(limits, hello()).await;
    let mut honest = connect(server, 1).await;
    assert!(lives(&mut honest).await);
    let mut sockets = Vec::new();
    for socket in 0..200_u32 {
        // From several addresses, so that the total limit is reached too.
        sockets.push(connect(server, 10 + u8::try_from(socket % 5).unwrap()).await);
    }
    let mut other = connect(server, 2).await;
    assert!(lives(&mut other).await, "a new client is served");
    closed(&mut sockets[0]).await;
    assert!(lives(sockets.last_mut().unwrap()).await);
}

/// An address that exceeds its limit does not affect connections of others.
#[tokio::test]
async fn client_over_address_limit_loses_its_own_connections() {
    let limits = ServeLimits {
        connections: 100,
        connections_per_network: 3,
        ..patient()
    };
    let server = served(limits, hello()).await;
    let mut honest = connect(server, 1).await;
    assert!(lives(&mut honest).await);
    let mut sockets = Vec::new();
    for _ in 0..50 {
        sockets.push(connect(server, 2).await);
    }
    for socket in &mut sockets[..47] {
        closed(socket).await;
    }
    assert!(lives(&mut sockets[49]).await);
    assert!(lives(&mut honest).await);
}

/// A connection's slot is freed, however the connection ends.
#[tokio::test]
async fn ended_connections_free_their_permit() {
    let limits = ServeLimits {
        connections: 2,
        connections_per_network: 2,
        ..patient()
    };
    let server = served(limits, hello()).await;
    for round in 0..50 {
        let mut stream = connect(server, 1).await;
        assert!(lives(&mut stream).await, "{round}");
    }
}

/// If all connections are busy, a new one is closed immediately, and accepted again later.
#[tokio::test]
async fn full_server_refuses_then_accepts_connections() {
    let (router, gate) = gated();
    let limits = ServeLimits {
        connections: 2,
        connections_per_network: 2,
        ..patient()
    };
    let server = served(limits, router).await;
    let mut working = [connect(server, 1).await, connect(server, 2).await];
    for stream in &mut working {
        ask(stream, "/gate/1").await;
    }
    gate.begun(2).await;
    closed(&mut connect(server, 3).await).await;
    gate.open(2);
    for stream in &mut working {
        assert!(hear(stream, "through").await.ends_with("through"));
    }
    assert!(lives(&mut connect(server, 3).await).await);
}

/// A flood of silent sockets ends no connection that was served, not even of the same address.
#[tokio::test]
async fn silent_sockets_end_no_connection_that_was_served() {
    let limits = ServeLimits {
        connections: 20,
        connections_per_network: 10,
        ..patient()
    };
    let server = served(limits, hello()).await;
    let mut users = Vec::new();
    for _ in 0..9 {
        let mut stream = connect(server, 1).await;
        assert!(lives(&mut stream).await);
        users.push(stream);
    }
    let mut silent = Vec::new();
    for socket in 0..60_u8 {
        silent.push(connect(server, 1 + socket % 3).await);
    }
    closed(&mut silent[0]).await;
    for stream in &mut users {
        assert!(lives(stream).await);
    }
}

/// The oldest of them ends for a new connection of its address.
#[tokio::test]
async fn pending_bodies_do_not_fill_connections_of_address() {
    let limits = ServeLimits {
        connections_per_network: 3,
        ..patient()
    };
    let server = served(limits, hello()).await;
    let mut slow = Vec::new();
    for _ in 0..10 {
        let mut stream = connect(server, 1).await;
        let head = b"POST / HTTP/1.1\r\nhost: here\r\ncontent-length: 1000\r\n\r\nbegun";
        stream.write_all(head).await.unwrap();
        slow.push(stream);
    }
    assert!(lives(&mut connect(server, 1).await).await);
    closed(&mut slow[0]).await;
}

/// A burst of connections that were accepted together pushed out those whose request came with
/// them.
#[tokio::test]
async fn connection_burst_spares_those_with_a_request() {
    let limits = ServeLimits {
        connections_per_network: 4,
        ..patient()
    };
    let server = served(limits, hello()).await;
    // The server is in this thread and accepts none of them before the first wait.
    let connect = || std::net::TcpStream::connect(server).unwrap();
    let mut good = connect();
    let request = b"GET / HTTP/1.1\r\nhost: here\r\n\r\n";
    std::io::Write::write_all(&mut good, request).unwrap();
    let _silent: Vec<_> = (0..40).map(|_| connect()).collect();
    good.set_nonblocking(true).unwrap();
    let mut good = TcpStream::from_std(good).unwrap();
    assert!(hear(&mut good, "hello").await.ends_with("hello"));
}

/// A gate that requests wait at.
#[derive(Clone)]
struct Gate {
    begun: Arc<Semaphore>,
    through: Arc<Semaphore>,
}

impl Gate {
    /// Waits until this number stand there.
    async fn begun(&self, requests: u32) {
        let wait = self.begun.acquire_many(requests);
        let permits = tokio::time::timeout(super::SOON, wait).await.unwrap();
        permits.unwrap().forget();
    }

    fn open(&self, requests: usize) {
        self.through.add_permits(requests);
    }
}

fn gated() -> (Router, Gate) {
    let gate = Gate {
        begun: Arc::new(Semaphore::new(0)),
        through: Arc::new(Semaphore::new(0)),
    };
    let own = gate.clone();
    let wait = get(async move |Path(_): Path<u32>| {
        own.begun.add_permits(1);
        own.through.acquire().await.unwrap().forget();
        "through"
    });
    (hello().route("/gate/{number}", wait), gate)
}
