//! A small platform that embeds everything: users, virtual machines, API keys, webhooks.
//!
//! `cargo run --example host`, and paste the lines that it prints; `--help` lists all options.

mod address;
mod allocator;
mod app;
mod data;
mod demo;
mod engine;
mod failure;
mod figures;
mod line;
mod log;
mod options;
mod stores;
mod tell;
mod traces;
mod trust;
mod usage;
mod users;

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use app::App;
use demo::Demo;
use examples::certificate::SelfSigned;
use examples::descriptors::Descriptors;
use examples::platform::Platform;
use examples::private;
use examples::serve::{ServeLimits, serve_within, stop_signal};
use failure::{Failure, InWords};
use figures::Figures;
use gatepost_ids::{Quota, Quotas};
use gatepost_keys::KeyService;
use gatepost_manage::{AuditLog, KeyEvents};
use lexopt::Parser;
use metrics_exporter_prometheus::PrometheusBuilder;
use options::{Asked, Options};
use stores::Stores;
use tell::Told;
use tokio::net::TcpListener;
use traces::Traces;

/// Connections to the listener of the metrics.
const SCRAPERS: usize = 16;

#[tokio::main]
async fn main() -> ExitCode {
    let done = match Options::parse(Parser::from_env()) {
        Ok(Asked::Help) => {
            say(usage::HELP);
            Ok(())
        }
        Ok(Asked::Version) => {
            say(&format!("{}\n", usage::VERSION));
            Ok(())
        }
        Ok(Asked::Run(options)) => run(&options).await,
        Err(failure) => Err(failure),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            let _ = writeln!(io::stderr(), "error: {failure}");
            failure.exit_code()
        }
    }
}

/// Writes to the standard output. A reader that has closed it is no reason to end.
fn say(text: &str) {
    let _ = io::stdout().write_all(text.as_bytes());
}

async fn run(options: &Options) -> Result<(), Failure> {
    allocator::give_back_soon();
    let traces = options.traces.as_ref().map(Traces::to).transpose()?;
    log::begin(options.verbosity, traces.as_ref())?;
    let metrics = PrometheusBuilder::new().install_recorder();
    let metrics = metrics.in_words(|| "cannot record metrics".into())?;
    let descriptors = Descriptors::of_this_process();
    let descriptors = descriptors.in_words(|| "cannot serve".into())?;
    // The address comes first, as another program may hold it: then nothing else is made.
    let listener = options.listen.listen().await?;
    let addr = listener.local_addr();
    let addr = addr.in_words(|| "cannot read its own address".into())?;
    let scrapers = match &options.metrics {
        Some(address) => Some(address.listen().await?),
        None => None,
    };
    if !options.memory() || options.tls {
        let folder = private::folder(&options.state_folder());
        folder.in_words(|| "cannot use the folder of the state".into())?;
    }
    let certificate = certificate(options)?;
    let stores = Stores::open(options).await?;
    let (passwords, made) = users::passwords(options)?;
    let platform = Arc::new(Platform::new(passwords));
    let quotas: Arc<dyn Quotas> = match options.unlimited {
        true => Arc::new(Quota::UNLIMITED),
        false => platform.clone(),
    };
    let demo = Demo::of(options, stores.new, addr).await?;
    let receiver = demo.as_ref().map(|demo| demo.addr);
    let limits = quotas.clone();
    let engine = engine::start(options, &stores, &platform, limits, descriptors, receiver).await?;
    let keys = KeyService::builder(stores.keys.clone(), platform.clone())
        .quotas(quotas)
        .observer(Arc::new(KeyEvents::new(engine.clone())))
        .build();
    let figures = Figures::of(engine.clone(), metrics).await;
    let log = AuditLog::builder(stores.audit.clone()).build();
    let app = App::new(options, &platform, &keys, &engine, &log);
    let receiver = match demo {
        Some(demo) => demo.begin(app.management()).await?,
        None => None,
    };
    let router = app.router(&figures);
    // A stop signal that comes after the platform has said that it listens ends it cleanly.
    let stop = stop_signal().in_words(|| "cannot wait for signals".into())?;
    let metrics = scrapers.as_ref().map(TcpListener::local_addr).transpose();
    let told = Told {
        options,
        made: &made,
        sealing: stores.sealing.as_ref(),
        addr,
        receiver,
        metrics: metrics.in_words(|| "cannot read the address of the metrics".into())?,
    };
    say(&tell::lines(&told));
    if let Some(scrapers) = scrapers {
        serve_figures(scrapers, &figures);
    }
    let limits = ServeLimits::of_connections(descriptors.connections);
    let tls = certificate.map(|certificate| certificate.server);
    let served = serve_within(limits, listener, tls, router, stop).await;
    served.in_words(|| "cannot serve".into())?;
    engine.shutdown(Duration::from_secs(10)).await;
    keys.shutdown().await;
    if let Some(traces) = traces {
        traces.finish().await;
    }
    // Entries that the store has not taken by then are lost.
    let _ = tokio::time::timeout(Duration::from_secs(5), log.flush()).await;
    let _ = tokio::time::timeout(Duration::from_secs(5), stores.close()).await;
    Ok(())
}

fn certificate(options: &Options) -> Result<Option<SelfSigned>, Failure> {
    if !options.tls {
        return Ok(None);
    }
    let folder = options.state_folder();
    let kept = SelfSigned::kept(&folder, options.listen.name()).in_words(|| {
        let file = folder.join("cert.pem");
        format!("cannot use the certificate {} and its key", file.display())
    });
    Ok(Some(kept?))
}

/// Serves the metrics at a separate address.
fn serve_figures(listener: TcpListener, figures: &Figures) {
    let limits = ServeLimits::of_connections(SCRAPERS);
    let forever = std::future::pending();
    tokio::spawn(serve_within(
        limits,
        listener,
        None,
        figures.open(),
        forever,
    ));
}
