//! Many clients.

use std::sync::Arc;

use axum::Router;
use axum::extract::Path;
use axum::routing::get;
use examples::serve::ServeLimits;
use tokio::sync::Semaphore;

use super::{SHORT, ask, closed, connect, hear, patient, served};

fn hello() -> Router {
    Router::new().route("/", get(async || "hello"))
}

/// Whether it is still served.
pub(super) async fn lives(stream: &mut tokio::net::TcpStream) -> bool {
    use tokio::io::AsyncWriteExt;
    let request = b"GET / HTTP/1.1\r\nhost: here\r\n\r\n";
    stream.write_all(request).await.is_ok() && hear(stream, "hello").await.ends_with("hello")
}

/// Regression: a thousand sockets that send nothing.
#[tokio::test]
async fn who_fills_the_server_with_idle_sockets_makes_room() {
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
async fn who_is_over_the_limit_of_an_address_closes_the_own_connections() {
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
async fn connections_that_end_make_room() {
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
async fn a_server_at_its_limit_goes_on_accepting() {
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

/// One address has a number of requests at work; others do not wait for them.
#[tokio::test]
async fn requests_of_one_address_wait_for_each_other_and_not_for_them_others() {
    let (router, gate) = gated();
    let limits = ServeLimits {
        requests_per_network: 8,
        ..patient()
    };
    let server = served(limits, router).await;
    let mut greedy = Vec::new();
    for _ in 0..6 {
        let mut stream = connect(server, 1).await;
        ask(&mut stream, "/gate/1").await;
        greedy.push(stream);
    }
    gate.begun(2).await;
    assert!(
        lives(&mut connect(server, 2).await).await,
        "another address is served"
    );
    assert_eq!(
        gate.begun.available_permits(),
        0,
        "two are at work, a quarter of the turns, and four wait"
    );
    gate.open(6);
    for stream in &mut greedy {
        assert!(hear(stream, "through").await.ends_with("through"));
    }
}

/// A client that waits too long for its own requests does not keep the connection for ever.
#[tokio::test]
async fn a_turn_that_does_not_come_is_503() {
    let (router, gate) = gated();
    let limits = ServeLimits {
        requests_per_network: 1,
        body: SHORT,
        ..patient()
    };
    let server = served(limits, router).await;
    let mut first = connect(server, 1).await;
    ask(&mut first, "/gate/1").await;
    gate.begun(1).await;
    let mut second = connect(server, 1).await;
    ask(&mut second, "/").await;
    let answer = hear(&mut second, "wait\"}").await;
    assert!(answer.starts_with("HTTP/1.1 503 "), "{answer}");
    closed(&mut second).await;
    gate.open(1);
    assert!(hear(&mut first, "through").await.ends_with("through"));
}

/// A gate that requests wait at.
#[derive(Clone)]
pub(super) struct Gate {
    begun: Arc<Semaphore>,
    through: Arc<Semaphore>,
}

impl Gate {
    /// Waits until this number stand there.
    pub(super) async fn begun(&self, requests: u32) {
        let wait = self.begun.acquire_many(requests);
        let permits = tokio::time::timeout(super::SOON, wait).await.unwrap();
        permits.unwrap().forget();
    }

    pub(super) fn open(&self, requests: usize) {
        self.through.add_permits(requests);
    }
}

pub(super) fn gated() -> (Router, Gate) {
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
