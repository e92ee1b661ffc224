//! The sender as the engine uses it, and the clients that it is compared with.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use benches::Receiver;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use delivery::{Request, Roots, Sender, SigningKeys, TargetPolicy};
use http_body_util::{BodyExt, Full};
use hyper_util::client::legacy::Client as Pooled;
use hyper_util::client::legacy::connect::{Connect, HttpConnector};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpStream;

use crate::load::Load;
use crate::receiver::Speaks;
use crate::tls::Certificate;

const BODY: &str =
    r#"{"text":"vm-1 is on","at":1790000000,"filler":"0123456789012345678901234567890123456789"}"#;

/// A receiver in a separate process, and its address.
pub struct Target {
    pub receiver: Receiver,
    pub speaks: Speaks,
    pub certificate: Certificate,
}

impl Target {
    pub fn start(speaks: Speaks) -> Self {
        let certificate = Certificate::of_this_machine();
        let folder = certificate.folder();
        Self {
            receiver: Receiver::start_with(&["--receiver", speaks.name(), folder]),
            speaks,
            certificate,
        }
    }

    fn url(&self) -> String {
        let scheme = match self.speaks {
            Speaks::Http1 => "http",
            Speaks::Http1OverTls | Speaks::Http2OverTls => "https",
        };
        format!("{scheme}://{}/in", self.receiver.addr)
    }
}

#[derive(Clone, Copy)]
pub enum Client {
    Sender,
    Bare(Bare),
}

#[derive(Clone, Copy)]
pub enum Bare {
    Handles,
    HyperRustls,
    Pooled,
    Reqwest,
}

impl fmt::Display for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Sender => "sender, everything on",
            Self::Bare(Bare::Handles) => "bare connection handles",
            Self::Bare(Bare::HyperRustls) => "hyper-rustls, bare",
            Self::Bare(Bare::Pooled) => "hyper-util pooled client",
            Self::Bare(Bare::Reqwest) => "reqwest",
        })
    }
}

impl Client {
    /// Returns the CPU time for each request in microseconds.
    pub async fn run(self, target: &Target, load: Load) -> f64 {
        match self {
            Self::Sender => sender(target, load).await,
            Self::Bare(Bare::Handles) => handles(target.receiver.addr, load).await,
            Self::Bare(Bare::HyperRustls) => {
                pooled(target.certificate.connector(target.speaks), target, load).await
            }
            Self::Bare(Bare::Pooled) => pooled(HttpConnector::new(), target, load).await,
            Self::Bare(Bare::Reqwest) => reqwest(target, load).await,
        }
    }
}

async fn sender(target: &Target, load: Load) -> f64 {
    let policy = TargetPolicy::public().allow("127.0.0.0/8".parse().unwrap());
    let sender = Sender::builder(policy)
        .max_idle(load.in_flight, load.in_flight)
        .roots(Roots::ExtraOnly)
        .extra_root(target.certificate.der())
        .build()
        .unwrap();
    let keys = SigningKeys::parse(["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]).unwrap();
    let now: DateTime<Utc> = "2026-09-21T12:00:00Z".parse().unwrap();
    // The common part of all deliveries to a target is built once, as the engine does.
    let fixed = Request::builder(target.url().parse().unwrap())
        .header("content-type", "application/json")
        .sensitive_header("authorization", "Bearer s3cret")
        .timeout(Duration::from_secs(10))
        .delivery_id("none-yet")
        .signing(keys)
        .build()
        .unwrap();
    load.put_on(move || {
        let (sender, fixed) = (sender.clone(), fixed.clone());
        async move { deliver(&sender, &fixed, now).await }
    })
    .await
}

async fn deliver(sender: &Sender, fixed: &Request, now: DateTime<Utc>) {
    let request = fixed
        .for_delivery("msg_2KWPBgLlAfxdpx2AI54pPJ85f4W", BODY)
        .unwrap();
    let attempt = sender.send(&request, now).await;
    assert!(attempt.is_success(), "{}", attempt.status_info());
}

async fn pooled<C>(connector: C, target: &Target, load: Load) -> f64
where
    C: Connect + Clone + Send + Sync + 'static,
{
    let client: Pooled<_, Full<Bytes>> = Pooled::builder(TokioExecutor::new()).build(connector);
    let url: hyper::Uri = target.url().parse().unwrap();
    load.put_on(move || {
        let (client, url) = (client.clone(), url.clone());
        async move {
            let answer = client.request(request(url)).await.unwrap();
            assert!(answer.status().is_success());
            answer.into_body().collect().await.unwrap();
        }
    })
    .await
}

async fn handles(addr: std::net::SocketAddr, load: Load) -> f64 {
    let mut handles = Vec::new();
    for _ in 0..load.in_flight {
        let stream = TcpStream::connect(addr).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let (handle, connection) = hyper::client::conn::http1::handshake(TokioIo::new(stream))
            .await
            .unwrap();
        tokio::spawn(connection);
        handles.push(handle);
    }
    let free = Arc::new(std::sync::Mutex::new(handles));
    load.put_on(move || {
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

async fn reqwest(target: &Target, load: Load) -> f64 {
    let client = reqwest::Client::builder()
        .pool_max_idle_per_host(load.in_flight)
        .build()
        .unwrap();
    let url = target.url();
    load.put_on(move || {
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
