//! A server that does not pass on peer addresses logs the change that it needs.

use std::convert::Infallible;
use std::io::Write;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use axum::body::{Body, to_bytes};
use axum::http::{Request, Response};
use gatepost_keys::AuthLayer;
use tower::{Layer, ServiceExt, service_fn};

use crate::captured_log::heard;
use crate::world::World;

const CALL: &str = "into_make_service_with_connect_info::<SocketAddr>()";

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Write for Log {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[tokio::test]
async fn missing_connect_info_is_named_and_logged_once() {
    let log = Log::default();
    let writer = log.clone();
    let subscriber = tracing_subscriber::fmt().with_writer(move || writer.clone());
    // All tasks of this test run on this thread.
    let _guard = heard(subscriber.finish());
    let world = World::new();
    let key = world.key(1, "key").await;
    let guard = AuthLayer::new(world.keys, |ext| ext.get::<IpAddr>().copied());
    for _ in 0..3 {
        let inner =
            service_fn(async |_: Request<Body>| Ok::<_, Infallible>(Response::new(Body::empty())));
        let request = Request::builder().header("authorization", &key.header);
        let request = request.body(Body::empty()).unwrap();
        let response = guard.clone().layer(inner).oneshot(request).await.unwrap();
        assert_eq!(response.status(), 500);
        let body = to_bytes(response.into_body(), 4_096).await.unwrap();
        let body: serde_json::Value = serde_json::from_slice(&body).unwrap();
        assert!(body["err"].as_str().unwrap().contains(CALL), "{body}");
        assert!(!body.to_string().contains(&key.header[7..]), "{body}");
    }
    let log = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
    let said: Vec<_> = log.lines().filter(|line| line.contains(CALL)).collect();
    assert_eq!(said.len(), 1, "{log}");
    assert!(said[0].contains("ERROR"), "{log}");
    assert!(!log.contains(&key.header[7..]), "{log}");
}
