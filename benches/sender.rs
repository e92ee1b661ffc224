//! Requests per CPU second of the sender with everything switched on, against bare clients, in one
//! run.
//!
//! `cargo bench -p benches --bench sender`
#![allow(
    missing_docs,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a measurement, not a library"
)]

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use benches::{Receiver, spread, thread_cpu};
use bytes::Bytes;
use chrono::{DateTime, Utc};
use delivery::{Request, Sender, SigningKeys, TargetPolicy};
use http_body_util::{BodyExt, Full};
use hyper::service::service_fn;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::{TcpListener, TcpStream};

const IN_FLIGHT: usize = 256;
const REQUESTS: usize = 25_600;
const ROUNDS: usize = 7;
const BODY: &str =
    r#"{"text":"vm-1 is on","at":1790000000,"filler":"0123456789012345678901234567890123456789"}"#;

fn main() {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap();
    if std::env::args().any(|arg| arg == "--receiver") {
        return runtime.block_on(receive());
    }
    let receiver = Receiver::start();
    let url = format!("http://{}/in", receiver.addr);
    let mut figures: [Vec<f64>; 4] = Default::default();
    let names = [
        "sender, everything on",
        "hyper-util pooled client",
        "bare connection handles",
        "reqwest",
    ];
    for _ in 0..ROUNDS {
        figures[0].push(runtime.block_on(ours(&url)));
        figures[1].push(runtime.block_on(pooled(&url)));
        figures[2].push(runtime.block_on(handles(receiver.addr)));
        figures[3].push(runtime.block_on(reqwest_client(&url)));
    }
    println!(
        "{REQUESTS} requests, {IN_FLIGHT} in flight, loopback, HTTP/1.1; microseconds of client CPU each, {ROUNDS} rounds"
    );
    let own = figures[0].clone();
    for (name, micros) in names.iter().zip(figures) {
        let ratios = micros
            .iter()
            .zip(&own)
            .map(|(other, own)| other / own)
            .collect();
        let ((median, min, max), (ratio, low, high)) = (spread(micros), spread(ratios));
        println!(
            "{name:28} {median:6.2} ({min:.2} to {max:.2})   sender is {ratio:.2} x as fast ({low:.2} to {high:.2})"
        );
    }
}

/// Keeps `IN_FLIGHT` calls going until `REQUESTS` are done; microseconds of CPU for each.
async fn measure<F>(call: impl Fn() -> F + Clone + Send + 'static) -> f64
where
    F: Future<Output = ()> + Send + 'static,
{
    let before = thread_cpu();
    let workers: Vec<_> = (0..IN_FLIGHT)
        .map(|_| {
            let call = call.clone();
            tokio::spawn(async move {
                for _ in 0..REQUESTS / IN_FLIGHT {
                    call().await;
                }
            })
        })
        .collect();
    for worker in workers {
        worker.await.unwrap();
    }
    (thread_cpu() - before).as_secs_f64() * 1e6 / REQUESTS as f64
}

async fn ours(url: &str) -> f64 {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let sender = Sender::builder(policy)
        .max_idle(IN_FLIGHT, IN_FLIGHT)
        .build()
        .unwrap();
    let url: url::Url = url.parse().unwrap();
    let keys = SigningKeys::parse(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]).unwrap();
    let now: DateTime<Utc> = "2026-09-21T12:00:00Z".parse().unwrap();
    // What all deliveries to a target have in common is built once, as the engine does.
    let target = Request::builder(url)
        .header("content-type", "application/json")
        .sensitive_header("authorization", "Bearer s3cret")
        .timeout(Duration::from_secs(10))
        .delivery_id("none-yet")
        .signing(keys)
        .build()
        .unwrap();
    measure(move || {
        let (sender, target) = (sender.clone(), target.clone());
        async move {
            let request = target
                .for_delivery("msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", BODY)
                .unwrap();
            let attempt = sender.send(&request, now).await;
            assert!(attempt.is_success(), "{}", attempt.status_info());
        }
    })
    .await
}

async fn pooled(url: &str) -> f64 {
    let client: Client<_, Full<Bytes>> = Client::builder(TokioExecutor::new()).build_http();
    let url: hyper::Uri = url.parse().unwrap();
    measure(move || {
        let (client, url) = (client.clone(), url.clone());
        async move {
            let answer = client.request(request(url)).await.unwrap();
            assert!(answer.status().is_success());
            answer.into_body().collect().await.unwrap();
        }
    })
    .await
}

async fn handles(addr: std::net::SocketAddr) -> f64 {
    let mut handles = Vec::new();
    for _ in 0..IN_FLIGHT {
        let stream = TcpStream::connect(addr).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (handle, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(connection);
        handles.push(handle);
    }
    let free = Arc::new(std::sync::Mutex::new(handles));
    measure(move || {
        let free = free.clone();
        async move {
            let mut handle = free.lock().unwrap().pop().unwrap();
            handle.ready().await.unwrap();
            let mut request = request(hyper::Uri::from_static("/in"));
            request
                .headers_mut()
                .insert("host", hyper::header::HeaderValue::from_static("127.0.0.1"));
            let answer = handle.send_request(request).await.unwrap();
            assert!(answer.status().is_success());
            answer.into_body().collect().await.unwrap();
            free.lock().unwrap().push(handle);
        }
    })
    .await
}

async fn reqwest_client(url: &str) -> f64 {
    let client = reqwest::Client::builder()
        .pool_max_idle_per_host(IN_FLIGHT)
        .build()
        .unwrap();
    let url = url.to_owned();
    measure(move || {
        let call = client
            .post(&url)
            .header("content-type", "application/json")
            .body(BODY);
        async move {
            let answer = call.send().await.unwrap();
            assert!(answer.status().is_success());
            answer.bytes().await.unwrap();
        }
    })
    .await
}

fn request(uri: hyper::Uri) -> hyper::Request<Full<Bytes>> {
    hyper::Request::post(uri)
        .header("content-type", "application/json")
        .body(Full::new(Bytes::from_static(BODY.as_bytes())))
        .unwrap()
}

async fn receive() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("{}", listener.local_addr().unwrap());
    loop {
        let (stream, _) = listener.accept().await.unwrap();
        let _ = stream.set_nodelay(true);
        tokio::spawn(async move {
            let answer = service_fn(
                |request: hyper::Request<hyper::body::Incoming>| async move {
                    let _ = request.into_body().collect().await;
                    Ok::<_, hyper::Error>(hyper::Response::new(Full::new(Bytes::from_static(
                        b"ok",
                    ))))
                },
            );
            let _ = hyper::server::conn::http1::Builder::new()
                .serve_connection(TokioIo::new(stream), answer)
                .await;
        });
    }
}
