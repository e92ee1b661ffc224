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

/// Where collectors take spans, below their address.
const PATH: &str = "v1/traces";
/// The targets whose spans are exported: not those of the client that exports them.
const OWN: [&str; 4] = ["gatepost", "delivery", "examples", "host"];

/// The spans of this process, on their way to a collector: in batches, from a thread of their own.
#[derive(Clone, Debug)]
pub(crate) struct Traces(SdkTracerProvider);

impl Traces {
    /// Spans go to the collector at this address by OTLP over HTTP. Whether it is there shows
    /// later: the platform works without it.
    ///
    /// # Errors
    /// When nothing can be sent there.
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

    /// What hands spans over.
    pub(crate) fn layer<S>(&self) -> impl Layer<S> + use<S>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        // Asked anew for each span. An answer that is cached, as that of `Targets`, is not the one
        // that counts after `enabled!`: the next span on that thread gets what was said there.
        let own = dynamic_filter_fn(|metadata, _| is_own(metadata));
        let tracer = self.0.tracer("gatepost");
        tracing_opentelemetry::layer()
            .with_tracer(tracer)
            .with_filter(own)
    }

    /// Sends what was not sent yet. A collector that is away has had its chance: nothing is said.
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
