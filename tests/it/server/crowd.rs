//! Many users behind one address, together with one who is slow or wants everything.

use axum::Router;
use axum::body::Bytes;
use axum::extract::Request;
use axum::http::header::AUTHORIZATION;
use axum::middleware::{Next, from_fn};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use examples::serve::ServeLimits;
use gatepost_keys::{AccessLevel, Account, OwnerId, Principal, Via};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::{JoinSet, yield_now};
use tokio::time::{interval, timeout};

use super::many::{Gate, gated, lives};
use super::slow::{LARGE, large};
use super::{SHORT, SOON, ask, closed, connect, hear, patient, served};

/// As much of a body as is read before its request has a turn, and more than comes with it.
const BEYOND: usize = 256 * 1024;

fn hello() -> Router {
    Router::new()
        .route("/", get(async || "hello"))
        .route("/", post(async |body: Bytes| body.len().to_string()))
}

/// One request of an address is worked on at a time.
fn one_at_a_time() -> ServeLimits {
    ServeLimits {
        requests_per_network: 1,
        ..patient()
    }
}

/// Treats each presented number as a user.
fn with_users(router: Router) -> Router {
    router.layer(from_fn(async |request: Request, next: Next| {
        let presented = request.headers().get(AUTHORIZATION);
        let number = presented.and_then(|value| value.to_str().ok()?.parse().ok());
        let refused = presented.is_some() && number.is_none();
        if refused {
            return axum::http::StatusCode::UNAUTHORIZED.into_response();
        }
        let mut response: Response = next.run(request).await;
        if let Some(number) = number {
            let account = Account::enabled(AccessLevel::User);
            let who = Principal::new(OwnerId(number), account, Via::Platform);
            response.extensions_mut().insert(who);
        }
        response
    }))
}

async fn ask_as(stream: &mut TcpStream, user: &str, path: &str) {
    let request = format!("GET {path} HTTP/1.1\r\nhost: here\r\nauthorization: {user}\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
}

/// A connection on which this user has been served.
async fn known(server: std::net::SocketAddr, user: &str) -> TcpStream {
    let mut stream = connect(server, 1).await;
    ask_as(&mut stream, user, "/").await;
    assert!(hear(&mut stream, "hello").await.ends_with("hello"));
    stream
}

/// The server is in this thread: it does what it can while the test yields.
async fn settled() {
    for _ in 0..200 {
        yield_now().await;
    }
}

/// Asserts that of the other user's twenty requests, the one at work and at most one more come
/// before hers.
async fn hers_is_next(gate: &Gate, hers: &mut TcpStream, his: &mut [TcpStream]) {
    ask_as(hers, "1", "/").await;
    settled().await;
    gate.open(2);
    assert!(hear(hers, "hello").await.ends_with("hello"));
    gate.open(18);
    for stream in his {
        assert!(hear(stream, "through").await.ends_with("through"));
    }
}

/// The head of a request with a body of this length, and as much of it.
async fn begin_body(stream: &mut TcpStream, length: usize, sent: usize) {
    let head = format!("POST / HTTP/1.1\r\nhost: here\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).await.unwrap();
    stream.write_all(&vec![b'x'; sent]).await.unwrap();
}

/// Issue: one user's slow bodies held all turns of the address, 30 seconds each.
#[tokio::test]
async fn a_body_that_is_still_to_come_takes_no_turn() {
    let server = served(one_at_a_time(), hello()).await;
    let mut slow = connect(server, 1).await;
    begin_body(&mut slow, 1000, 10).await;
    assert!(lives(&mut connect(server, 1).await).await);
    slow.write_all(&[b'x'; 990]).await.unwrap();
    assert!(hear(&mut slow, "1000").await.ends_with("\r\n\r\n1000"));
}

/// The oldest of them ends for a new connection of its address.
#[tokio::test]
async fn bodies_that_are_still_to_come_do_not_fill_the_connections_of_an_address() {
    let limits = ServeLimits {
        connections_per_network: 3,
        ..one_at_a_time()
    };
    let server = served(limits, hello()).await;
    let mut slow = Vec::new();
    for _ in 0..10 {
        let mut stream = connect(server, 1).await;
        begin_body(&mut stream, 1000, 10).await;
        slow.push(stream);
    }
    assert!(lives(&mut connect(server, 1).await).await);
    closed(&mut slow[0]).await;
}

/// Also in many small pieces, with trailers after it, and without a length.
#[tokio::test]
async fn what_was_read_ahead_of_a_body_is_part_of_it() {
    let server = served(ServeLimits::default(), hello()).await;
    for pieces in [1_usize, 10, 100] {
        let mut stream = connect(server, 1).await;
        let head = "POST / HTTP/1.1\r\nhost: here\r\ntransfer-encoding: chunked\r\n\r\n";
        let piece = format!("1000\r\n{}\r\n", "x".repeat(0x1000));
        let end = "0\r\nx-after: all\r\n\r\n";
        let request = format!("{head}{}{end}", piece.repeat(pieces));
        stream.write_all(request.as_bytes()).await.unwrap();
        let length = (pieces * 0x1000).to_string();
        let answer = hear(&mut stream, &format!("\r\n\r\n{length}")).await;
        assert!(answer.starts_with("HTTP/1.1 200 "), "{answer}");
    }
}

/// A large body has a turn once it has begun, and loses it if it stops while others wait: 408. If
/// nobody waits, it continues.
#[tokio::test]
async fn a_body_that_stops_makes_room_when_others_wait() {
    let limits = ServeLimits {
        patience: SHORT,
        ..one_at_a_time()
    };
    let server = served(limits, hello()).await;
    let (mut alone, mut stops) = (connect(server, 2).await, connect(server, 1).await);
    begin_body(&mut alone, 2 * BEYOND, BEYOND).await;
    begin_body(&mut stops, 2 * BEYOND, BEYOND).await;
    settled().await;
    let mut other = connect(server, 1).await;
    begin_body(&mut other, BEYOND, BEYOND).await;
    let answer = hear(&mut stops, "in time\"}").await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    let length = BEYOND.to_string();
    assert!(hear(&mut other, &length).await.ends_with(&length));
    alone.write_all(&vec![b'x'; BEYOND]).await.unwrap();
    let length = (2 * BEYOND).to_string();
    assert!(hear(&mut alone, &length).await.ends_with(&length));
}

/// A byte now and then is no progress.
#[tokio::test]
async fn a_body_that_trickles_makes_room_when_others_wait() {
    let limits = ServeLimits {
        patience: SHORT,
        ..one_at_a_time()
    };
    let server = served(limits, hello()).await;
    let mut trickles = connect(server, 1).await;
    begin_body(&mut trickles, 2 * BEYOND, BEYOND).await;
    settled().await;
    let mut other = connect(server, 1).await;
    begin_body(&mut other, BEYOND, BEYOND).await;
    let (mut read, mut write) = trickles.into_split();
    let trickle = async {
        let mut tick = interval(SHORT / 10);
        while write.write_all(b"x").await.is_ok() {
            tick.tick().await;
        }
        std::future::pending::<()>().await;
    };
    let mut answer = Vec::new();
    let all = async {
        while !answer.ends_with(b"in time\"}") {
            assert_ne!(read.read_buf(&mut answer).await.unwrap(), 0);
        }
    };
    let first = async {
        tokio::select! {
            () = all => {}
            () = trickle => unreachable!(),
        }
    };
    timeout(SOON, first).await.expect("a response");
    let length = BEYOND.to_string();
    assert!(hear(&mut other, &length).await.ends_with(&length));
}

/// Its connection ends then. If nobody waits, the whole response arrives.
#[tokio::test]
async fn a_response_that_nobody_reads_makes_room_when_others_wait() {
    let limits = ServeLimits {
        patience: SHORT,
        ..one_at_a_time()
    };
    let (router, dropped) = large();
    let server = served(limits, router.route("/hello", get(async || "hello"))).await;
    let (mut alone, mut stops) = (connect(server, 2).await, connect(server, 1).await);
    ask(&mut alone, "/").await;
    ask(&mut stops, "/").await;
    // It has its turn.
    stops.readable().await.unwrap();
    let mut other = connect(server, 1).await;
    ask(&mut other, "/hello").await;
    assert!(hear(&mut other, "hello").await.ends_with("hello"));
    timeout(SOON, dropped.notified()).await.expect("an end");
    closed(&mut stops).await;
    let mut read = vec![0; LARGE];
    let all = alone.read_exact(&mut read);
    timeout(SOON, all).await.unwrap().unwrap();
}

/// Issue: 60 requests of one user delayed every other by as many turns.
#[tokio::test]
async fn a_user_does_not_wait_for_the_queue_of_another() {
    let (router, gate) = gated();
    let server = served(one_at_a_time(), with_users(router)).await;
    let mut hers = known(server, "1").await;
    let mut his = Vec::new();
    for _ in 0..20 {
        his.push(known(server, "2").await);
    }
    for stream in &mut his {
        ask_as(stream, "2", "/gate/1").await;
    }
    gate.begun(1).await;
    settled().await;
    hers_is_next(&gate, &mut hers, &mut his).await;
}

/// Nobody gets more turns by making up users.
#[tokio::test]
async fn made_up_credentials_are_one_callers() {
    let (router, gate) = gated();
    let server = served(one_at_a_time(), with_users(router)).await;
    let mut hers = known(server, "1").await;
    let mut his = Vec::new();
    for user in 100..120 {
        let mut stream = connect(server, 1).await;
        ask_as(&mut stream, &user.to_string(), "/gate/1").await;
        if his.is_empty() {
            gate.begun(1).await;
        }
        his.push(stream);
    }
    hers_is_next(&gate, &mut hers, &mut his).await;
}

/// The user with the most waiting requests is refused immediately; the other's one request waits
/// for its turn.
#[tokio::test]
async fn when_too_many_wait_who_has_most_is_refused() {
    let (router, gate) = gated();
    let limits = ServeLimits {
        waiting_per_network: 3,
        ..one_at_a_time()
    };
    let server = served(limits, with_users(router)).await;
    let mut hers = known(server, "1").await;
    let mut streams = Vec::new();
    for _ in 0..4 {
        streams.push(known(server, "2").await);
    }
    let mut his = JoinSet::new();
    for mut stream in streams {
        ask_as(&mut stream, "2", "/gate/1").await;
        his.spawn(async move { hear(&mut stream, "through").await });
    }
    gate.begun(1).await;
    settled().await;
    ask_as(&mut hers, "1", "/").await;
    let refused = his.join_next().await.unwrap().unwrap();
    assert!(refused.starts_with("HTTP/1.1 503 "), "{refused}");
    gate.open(3);
    assert!(hear(&mut hers, "hello").await.ends_with("hello"));
    for answer in his.join_all().await {
        assert!(answer.ends_with("through"), "{answer}");
    }
}

/// One who opens connections closes the own ones, not those of the users behind the same address.
#[tokio::test]
async fn users_keep_their_connections_beside_one_who_opens_many() {
    let limits = ServeLimits {
        connections_per_network: 10,
        ..patient()
    };
    let server = served(limits, with_users(hello())).await;
    let mut users = Vec::new();
    for user in 1..5 {
        users.push(known(server, &user.to_string()).await);
    }
    let mut his = Vec::new();
    for _ in 0..30 {
        his.push(known(server, "9").await);
    }
    closed(&mut his[0]).await;
    for stream in &mut users {
        assert!(lives(stream).await);
    }
}

/// A burst of connections that were accepted together pushed out those whose request came with
/// them.
#[tokio::test]
async fn a_burst_of_connections_pushes_out_none_whose_request_has_come() {
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
