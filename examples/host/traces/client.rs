//! The exporter's client for the collector.

use std::time::Duration;

use async_trait::async_trait;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use tokio::runtime::Handle;

/// How long the collector may take for a batch.
const PATIENCE: Duration = Duration::from_secs(5);

/// An HTTP client whose requests are made by the runtime: the exporter calls it from its own
/// thread, which has no runtime.
#[derive(Debug)]
pub(super) struct Client {
    http: HyperClient,
    runtime: Handle,
}

impl Client {
    /// Creates the client. Must be called within the runtime.
    pub(super) fn new() -> Self {
        Self {
            http: HyperClient::with_default_connector(PATIENCE, None),
            runtime: Handle::current(),
        }
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let http = self.http.clone();
        let sent = self
            .runtime
            .spawn(async move { http.send_bytes(request).await });
        sent.await?
    }
}
