//! One process of the platform.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use delivery::{Sender, TargetPolicy};
use gatepost_engine::{DisablePolicy, Engine, OperationalEvents};
use gatepost_ids::{Quota, Quotas};
use gatepost_keys::KeyService;
use gatepost_kv::MemoryStore;
use gatepost_storage::{Clock, ManualClock};
use gatepost_testkit::fault::FaultStore;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::accounts::Users;
use super::clock::VirtualClock;
use super::edits::Edits;
use super::faults::Way;
use super::furnish::catalog;
use super::leases::Leases;
use super::network::{Link, Network};
use super::plans::{Plans, Strictest};
use super::sabotage::Sabotage;
use super::trace::Trace;

/// State that outlives each process and is shared by all.
#[derive(Debug)]
pub(super) struct Ground {
    pub seed: u64,
    pub began: Instant,
    pub store: Arc<MemoryStore>,
    pub network: Arc<Network>,
    pub plans: Arc<Plans>,
    pub leases: Arc<Leases>,
    pub edits: Arc<Edits>,
    /// The time of failing after which a webhook is disabled.
    pub disable_after: Duration,
    pub trace: Arc<Mutex<Trace>>,
    pub sabotage: Option<Sabotage>,
}

impl Ground {
    /// Returns the quotas that a process believes in.
    fn quotas(&self) -> Arc<dyn Quotas> {
        match self.sabotage {
            Some(Sabotage::ForgetsQuotas) => Arc::new(Quota::UNLIMITED),
            Some(Sabotage::KeepsLimits) => Arc::new(Strictest(self.plans.clone())),
            _ => self.plans.clone(),
        }
    }
}

/// Returns the keys of a process, over a connection to the store that fails like that of its
/// engine.
fn keys(ground: &Ground, way: &Arc<Way>, clock: Arc<VirtualClock>) -> KeyService {
    let store = FaultStore::new(ground.store.clone());
    let decided = way.clone();
    store.decide(move |method| decided.decide_keys(method));
    if let Some(sabotage) = ground.sabotage {
        let clock = VirtualClock::since(ground.began);
        store.alter(sabotage.altering(clock));
    }
    let stands_still = ground.sabotage == Some(Sabotage::KeysNeverEnd);
    let clock: Arc<dyn Clock> = match stands_still {
        true => Arc::new(ManualClock::at(clock.now())),
        false => clock,
    };
    KeyService::builder(Arc::new(store), Arc::new(Users::default()))
        .quotas(Arc::new(Quota::UNLIMITED))
        .flush_logins(Duration::from_secs(5))
        .cached_keys(256)
        .clock(clock)
        .build()
}

/// A process that runs, or that was killed: then its actions have no effect.
#[derive(Debug)]
pub(super) struct Process {
    /// The number of processes started up to this one.
    pub number: u64,
    pub engine: Engine,
    pub keys: KeyService,
    pub clock: Arc<VirtualClock>,
    pub way: Arc<Way>,
    cut: CancellationToken,
}

impl Process {
    /// Starts the `number`th process of the run. Returns `None` if the store was unreachable; then
    /// try again.
    pub(super) async fn start(ground: &Ground, number: u64, way: Arc<Way>) -> Option<Self> {
        // The store records each call as faults and sabotage changed it.
        let watched = FaultStore::new(ground.store.clone());
        let mut edits = ground.edits.clone().watching();
        let mut leases = ground.leases.clone().watching();
        watched.alter(move |passing| {
            edits(&passing);
            leases(passing);
        });
        let store = FaultStore::new(Arc::new(watched));
        store.set_server_clock(Arc::new(VirtualClock::since(ground.began)));
        let (decided, sabotage) = (way.clone(), ground.sabotage);
        let mut claims = 0;
        store.decide(move |method| {
            claims += u64::from(method == "claim");
            let sabotaged = sabotage.and_then(|sabotage| sabotage.fault(method, claims));
            decided.decide(method).or(sabotaged)
        });
        if let Some(sabotage) = ground.sabotage {
            store.alter(sabotage.altering(VirtualClock::since(ground.began)));
        }
        let cut = CancellationToken::new();
        let link = Arc::new(Link {
            network: ground.network.clone(),
            cut: cut.clone(),
        });
        let mut policy = TargetPolicy::public();
        if ground.sabotage == Some(Sabotage::DialsAnything) {
            policy = policy.allow("10.0.0.0/8".parse().unwrap());
        }
        let sender = Sender::builder(policy);
        let sender = sender.resolver(link.clone()).dialer(link).build().unwrap();
        let clock = Arc::new(VirtualClock::since(ground.began));
        let disable = DisablePolicy::default();
        let engine = Engine::builder(Arc::new(store), sender)
            .addressed_only(Arc::new(Users::late_since(ground.began)))
            .quotas(ground.quotas())
            .clock(clock.clone())
            .catalog(catalog())
            .disable(disable.with_after_failing_for(Some(ground.disable_after)))
            .operational_events(OperationalEvents::default().with_webhooks(true))
            .seed(ground.seed.wrapping_mul(1_000).wrapping_add(number))
            .start();
        let engine = engine.await.ok()?;
        Some(Self {
            number,
            engine,
            keys: keys(ground, &way, clock.clone()),
            clock,
            way,
            cut,
        })
    }

    /// Kills it. The remaining work of its tasks has no effect, and they end soon.
    pub(super) fn kill(&self) {
        self.way.cut();
        self.cut.cancel();
        let engine = self.engine.clone();
        tokio::spawn(async move { engine.shutdown(Duration::ZERO).await });
    }
}
