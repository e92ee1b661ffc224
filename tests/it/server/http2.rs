//! HTTP/2 clients that are slow or many, frame by frame.

use examples::serve::ServeLimits;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::slow::large;
use super::{SHORT, SOON, closed, connect, patient, served};

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
/// `GET /` of the static table.
const GET: &[u8] = &[0x82, 0x86, 0x84];
const END_STREAM_AND_HEADERS: u8 = 5;

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    let mut frame = length[1..].to_vec();
    frame.extend([kind, flags]);
    frame.extend(stream.to_be_bytes());
    frame.extend(payload);
    frame
}

/// A connection with the preface and empty settings sent.
async fn greeted(server: std::net::SocketAddr) -> TcpStream {
    let mut stream = connect(server, 1).await;
    let hello = [PREFACE, &frame(SETTINGS, 0, 0, &[])].concat();
    stream.write_all(&hello).await.unwrap();
    stream
}

fn get(stream: u32) -> Vec<u8> {
    frame(HEADERS, END_STREAM_AND_HEADERS, stream, GET)
}

#[tokio::test]
async fn a_response_that_nobody_reads_is_dropped() {
    let limits = ServeLimits {
        idle: SHORT,
        ..patient()
    };
    let (router, dropped) = large();
    let server = served(limits, router).await;
    let mut stream = greeted(server).await;
    stream.write_all(&get(1)).await.unwrap();
    timeout(SOON, dropped.notified()).await.expect("an end");
    closed(&mut stream).await;
}

/// Answered pings do not count as requests: the connection is still idle.
#[tokio::test]
async fn an_idle_connection_is_closed_in_the_end() {
    let limits = ServeLimits {
        idle: SHORT,
        ..patient()
    };
    let server = served(limits, axum::Router::new()).await;
    let mut stream = greeted(server).await;
    stream.write_all(&get(1)).await.unwrap();
    closed(&mut stream).await;
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed() {
    let limits = ServeLimits {
        header: SHORT,
        ..patient()
    };
    let server = served(limits, axum::Router::new()).await;
    closed(&mut greeted(server).await).await;
}

/// The settings state the number of concurrent requests, and the length of a head.
#[tokio::test]
async fn the_settings_bound_streams_and_heads() {
    let server = served(patient(), axum::Router::new()).await;
    let mut stream = greeted(server).await;
    let mut head = [0; 9];
    stream.read_exact(&mut head).await.unwrap();
    assert_eq!(head[3], SETTINGS);
    let length = usize::from(head[1]) << 8 | usize::from(head[2]);
    let mut settings = vec![0; length];
    stream.read_exact(&mut settings).await.unwrap();
    let value = |wanted: u16| {
        let mut settings = settings.chunks_exact(6);
        let found = settings.find(|s| s[..2] == wanted.to_be_bytes());
        found.map(|s| u32::from_be_bytes(s[2..].try_into().unwrap()))
    };
    assert_eq!((value(3), value(6)), (Some(64), Some(64 * 1024)));
}

/// CVE-2023-44487: requests that are cancelled immediately.
#[tokio::test]
async fn rapid_resets_end_the_connection() {
    let server = served(patient(), axum::Router::new()).await;
    let mut stream = greeted(server).await;
    let mut flood = Vec::new();
    for request in 0..10_000_u32 {
        let id = request * 2 + 1;
        flood.extend(get(id));
        flood.extend(frame(RST_STREAM, 0, id, &8_u32.to_be_bytes()));
    }
    let _ = stream.write_all(&flood).await;
    closed(&mut stream).await;
}
