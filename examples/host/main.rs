//! A small platform that embeds everything: users, virtual machines, API keys, webhooks.
//!
//! `cargo run --example host -- [--listen 127.0.0.1:8080] [--data DIR|memory|postgres://…]
//! [--tls-self-signed] [--allow-private-targets] …`; `--help` lists all options.
#![allow(clippy::print_stdout, reason = "a program that talks to a person")]

mod app;
mod figures;
mod options;
mod stores;
mod tell;
mod users;

use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use delivery::{Sender, TargetPolicy};
use examples::certificate::SelfSigned;
use examples::platform::Platform;
use examples::private;
use examples::serve::{Descriptors, ServeLimits, serve_within, stop_signal};
use figures::Figures;
use gatepost_engine::{Engine, InFlightLimits, Limits};
use gatepost_ids::{Quota, Quotas};
use gatepost_keys::KeyService;
use metrics_exporter_prometheus::PrometheusBuilder;
use options::Options;
use stores::Stores;
use tell::Told;
use tokio::net::TcpListener;

type Failure = Box<dyn Error + Send + Sync>;

/// Networks of this machine and of private clouds, for tests of webhooks on one's own desk.
const PRIVATE: [&str; 6] = [
    "127.0.0.0/8",
    "::1/128",
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "fc00::/7",
];
/// Connections to the listener of the figures.
const SCRAPERS: usize = 16;

#[tokio::main]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            let mut source = error.source();
            while let Some(error) = source {
                eprintln!("because: {error}");
                source = error.source();
            }
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), Failure> {
    let Some(options) = Options::parse(std::env::args().skip(1))? else {
        println!("{}", options::USAGE);
        return Ok(());
    };
    tracing_subscriber::fmt()
        .with_max_level(tracing::Level::WARN)
        .with_writer(std::io::stderr)
        .init();
    let metrics = PrometheusBuilder::new().install_recorder()?;
    let descriptors = Descriptors::of_this_process()?;
    if !options.memory() || options.tls {
        private::folder(&options.state_folder())?;
    }
    let stores = Stores::open(&options).await?;
    let (passwords, made) = users::passwords(&options)?;
    let platform = Arc::new(Platform::new(passwords));
    let quotas: Arc<dyn Quotas> = if options.unlimited {
        Arc::new(Quota::UNLIMITED)
    } else {
        platform.clone()
    };
    let keys = KeyService::builder(stores.keys.clone(), platform.clone())
        .quotas(quotas.clone())
        .build();
    let engine = engine(&options, &stores, &platform, quotas, descriptors).await?;
    let figures = Figures::of(engine.clone(), metrics).await;
    let app = app::app(&options, &platform, &keys, &engine, &figures);

    let listener = TcpListener::bind(options.listen).await?;
    let certificate = match options.tls {
        true => Some(SelfSigned::kept(&options.state_folder())?),
        false => None,
    };
    // A stop that comes once it has said that it listens ends it well.
    let stop = stop_signal()?;
    let metrics = metrics_listener(&options, &figures).await?;
    tell::tell(&Told {
        options: &options,
        made: &made,
        sealing: stores.sealing.as_ref(),
        addr: listener.local_addr()?,
        metrics,
    });
    let limits = ServeLimits::of_connections(descriptors.connections);
    let tls = certificate.map(|certificate| certificate.server);
    serve_within(limits, listener, tls, app, stop).await?;
    engine.shutdown(Duration::from_secs(10)).await;
    keys.shutdown().await;
    Ok(())
}

async fn engine(
    options: &Options,
    stores: &Stores,
    platform: &Arc<Platform>,
    quotas: Arc<dyn Quotas>,
    descriptors: Descriptors,
) -> Result<Engine, Failure> {
    let mut policy = TargetPolicy::public();
    for net in PRIVATE.iter().filter(|_| options.private_targets) {
        policy = policy.allow(net.parse()?);
    }
    let idle = descriptors.idle;
    let sender = Sender::builder(policy).max_idle(idle.min(256), idle);
    let in_flight = InFlightLimits::default().with_total(descriptors.in_flight);
    let engine = Engine::builder(stores.webhooks.clone(), sender.build()?)
        .watch(platform.clone(), platform.clone())
        .quotas(quotas)
        .catalog(Platform::catalog()?)
        .limits(Limits::default().with_in_flight(in_flight));
    Ok(engine.start().await?)
}

/// Serves the figures at an address of their own, if there is one.
async fn metrics_listener(
    options: &Options,
    figures: &Figures,
) -> Result<Option<std::net::SocketAddr>, Failure> {
    let Some(addr) = options.metrics else {
        return Ok(None);
    };
    let listener = TcpListener::bind(addr).await?;
    let addr = listener.local_addr()?;
    let limits = ServeLimits::of_connections(SCRAPERS);
    let forever = std::future::pending();
    tokio::spawn(serve_within(
        limits,
        listener,
        None,
        figures.open(),
        forever,
    ));
    Ok(Some(addr))
}
