//! The engine, and where it may send.

use std::net::SocketAddr;
use std::sync::Arc;

use delivery::{Sender, SenderBuilder, TargetPolicy};
use examples::descriptors::Descriptors;
use examples::platform::Platform;
use gatepost_engine::{Engine, InFlightLimits, Limits, OperationalEvents};
use gatepost_ids::Quotas;

use crate::failure::{Failure, InWords};
use crate::options::Options;
use crate::stores::Stores;
use crate::traces::Spans;

/// Networks of this machine and of private clouds, for tests of webhooks on one's own desk.
const PRIVATE: [&str; 6] = [
    "127.0.0.0/8",
    "::1/128",
    "10.0.0.0/8",
    "172.16.0.0/12",
    "192.168.0.0/16",
    "fc00::/7",
];
/// The advice in errors about private targets while they are not allowed.
const ADVICE: &str = "start the platform with --allow-private-targets to allow them";

/// Starts it; `receiver` is the one address of this machine to which it may send in any case.
pub(crate) async fn start(
    options: &Options,
    stores: &Stores,
    platform: &Arc<Platform>,
    quotas: Arc<dyn Quotas>,
    descriptors: Descriptors,
    receiver: Option<SocketAddr>,
) -> Result<Engine, Failure> {
    let what = || "cannot start the engine".to_owned();
    let idle = descriptors.idle;
    let sender = Sender::builder(policy(options, receiver)?).max_idle(idle.min(256), idle);
    let trusted = options.trusted.iter().cloned();
    let sender = trusted.fold(sender, SenderBuilder::extra_root);
    let in_flight = InFlightLimits::default().with_total(descriptors.in_flight);
    let mut engine = Engine::builder(stores.webhooks.clone(), sender.build().in_words(what)?)
        .subscription_policy(platform.clone(), platform.clone())
        .quotas(quotas)
        .catalog(Platform::catalog().in_words(what)?)
        .operational_events(OperationalEvents::all())
        .limits(Limits::default().with_in_flight(in_flight));
    if options.traces.is_some() {
        engine = engine.tracer(Arc::new(Spans));
    }
    engine.start().await.in_words(what)
}

fn policy(options: &Options, receiver: Option<SocketAddr>) -> Result<TargetPolicy, Failure> {
    let mut policy = TargetPolicy::public();
    for net in PRIVATE {
        let net = net.parse().in_words(|| format!("{net} is no network"))?;
        policy = match options.private_targets {
            true => policy.allow(net),
            false => policy.advise(net, ADVICE),
        };
    }
    Ok(receiver.into_iter().fold(policy, TargetPolicy::allow_at))
}
