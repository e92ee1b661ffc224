//! Traces for an OpenTelemetry collector: one from the request that emits to the targets.

mod client;
mod spans;

use client::Client;
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::SdkTracerProvider;
pub(crate) use spans::{Spans, of_request};
use tracing::{Level, Metadata, Subscriber};
use tracing_subscriber::Layer;
use tracing_subscriber::filter::dynamic_filter_fn;
use tracing_subscriber::registry::LookupSpan;
use url::Url;

use crate::failure::{Failure, InWords};

/// The path at which collectors take spans, below their address.
const PATH: &str = "v1/traces";
/// The targets whose spans are exported: not those of the client that exports them.
const OWN: [&str; 4] = ["gatepost", "delivery", "examples", "host"];

/// The exporter of this process's spans: it sends them to a collector in batches, from its own
/// thread.
#[derive(Clone, Debug)]
pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    /// Exports spans to the collector at this address by OTLP over HTTP. The address is not tried:
    /// the platform works without a collector.
    ///
    /// # Errors
    /// If nothing can be sent there.
    pub(crate) fn to(collector: &Url) -> Result<Self, Failure> {
        let what = || format!("cannot export traces to {collector}");
        let mut folder = collector.clone();
        if !folder.path().ends_with('/') {
            folder.set_path(&format!("{}/", collector.path()));
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Client::new())
            .with_protocol(Protocol::HttpJson)
            .with_endpoint(folder.join(PATH).in_words(what)?)
            .build()
            .in_words(what)?;
        let resource = Resource::builder().with_service_name("gatepost-host");
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource.build());
        Ok(Self(provider.build()))
    }

    /// Returns the layer that hands spans over.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        // Evaluated again for each span. A cached answer, as that of `Targets`, does not count
        // after `enabled!`: the next span on that thread gets the answer that was given there.
        let own = dynamic_filter_fn(|metadata, _| is_own(metadata));
        let tracer = self.0.tracer("gatepost");
        tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_filter(own)
    }

    /// Sends the remaining spans. If the collector is away, they are lost without a message.
    pub(crate) async fn finish(self) {
        // It waits for its thread, which waits for tasks of this runtime.
        let finished = tokio::task::spawn_blocking(move || self.0.shutdown());
        let _ = finished.await;
    }
}

fn is_own(metadata: &Metadata<'_>) -> bool {
    let target = metadata.target();
    *metadata.level() <= Level::INFO && OWN.iter().any(|own| target.starts_with(own))
}
