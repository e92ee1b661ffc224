//! One run, from its script to the verdict.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::TimeDelta;
use gatepost_kv::MemoryStore;
use tokio::time::Instant;

use super::accounts::ALL;
use super::checks::{Breach, Evidence, judge};
use super::clock::VirtualClock;
use super::cluster::Cluster;
use super::edits::Edits;
use super::ending::{all_attempts, all_deliveries};
use super::furnish::{HOSTS, furnish};
use super::keys::create;
use super::leases::Leases;
use super::ledger::Ledger;
use super::network::Network;
use super::notices::inform;
use super::plans::Plans;
use super::process::Ground;
use super::sabotage::Sabotage;
use super::script::Script;
use super::stage::Stage;
use super::trace::Trace;

/// The result of a run.
#[derive(Debug)]
pub struct Outcome {
    /// The broken promises, with their evidence.
    pub breaches: Vec<Breach>,
    /// The events of the run, line by line.
    pub trace: Vec<String>,
    /// A digest over all of that, and over each call of the store.
    pub digest: u64,
    /// Its length in virtual time.
    pub virtual_time: Duration,
    /// Requests that came to targets.
    pub requests: usize,
    /// Deliveries that were stored.
    pub deliveries: usize,
}

/// Carries out a script, on a thread with its own time.
#[must_use]
pub fn run(script: &Script) -> Outcome {
    on_its_own(script, None)
}

/// Carries out a script with an engine that has this fault.
#[must_use]
pub fn run_sabotaged(script: &Script, sabotage: Sabotage) -> Outcome {
    on_its_own(script, Some(sabotage))
}

fn on_its_own(script: &Script, sabotage: Option<Sabotage>) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .unwrap();
    runtime.block_on(carried_out(script, sabotage))
}

async fn carried_out(script: &Script, sabotage: Option<Sabotage>) -> Outcome {
    let began = Instant::now();
    let trace = Arc::new(Mutex::new(Trace::since(began)));
    let network = Network::new(HOSTS + 1, VirtualClock::since(began), trace.clone());
    let store = Arc::new(MemoryStore::new());
    let ground = Ground {
        seed: script.seed,
        began,
        store: store.clone(),
        network: Arc::new(network),
        plans: Arc::new(Plans::new(VirtualClock::since(began))),
        leases: Arc::new(Leases::new(VirtualClock::since(began))),
        edits: Arc::new(Edits::new(VirtualClock::since(began))),
        disable_after: script.disable_after,
        trace: trace.clone(),
        sabotage,
    };
    let mut stage = Stage {
        cluster: Cluster::new(ground, script.processes),
        ledger: Arc::new(Ledger::new(VirtualClock::since(began))),
        jumped: 0,
        jumps: Vec::new(),
        store_troubles: Vec::new(),
    };
    stage.cluster.pass(Duration::from_secs(1)).await;
    if let Some(process) = stage.cluster.process(0) {
        let orders = sabotage != Some(Sabotage::ForgetsOrder);
        furnish(&process.engine, &stage.ledger, orders).await;
        inform(&process.engine).await;
        for user in ALL {
            create(&process.keys, &stage.ledger, user).await;
        }
    }
    for step in &script.steps {
        stage.cluster.pass(step.after).await;
        stage.cluster.tell(format_args!("{:?}", step.act));
        stage.act(step.act).await;
    }
    let late = stage.end().await;
    let deliveries = all_deliveries(&store).await;
    let attempts = all_attempts(&store, &deliveries).await;
    let (seen, most_at_once, forbidden) = stage.cluster.ground.network.end();
    let evidence = Evidence {
        ledger: &stage.ledger,
        plans: &stage.cluster.ground.plans,
        leases: &stage.cluster.ground.leases,
        edits: &stage.cluster.ground.edits,
        disable_after: TimeDelta::from_std(script.disable_after).unwrap(),
        store_troubles: &stage.store_troubles,
        lives: &stage.cluster.lives,
        ended: stage.ledger.now(),
        seen: &seen,
        most_at_once: &most_at_once,
        forbidden: &forbidden,
        deliveries: &deliveries,
        attempts: &attempts,
        late,
        jumped: stage.jumped,
        jumps: &stage.jumps,
        killed: &stage.cluster.killed,
        calm: script.is_calm(),
        processes: script.processes,
    };
    let breaches = judge(&evidence);
    let (lines, digest) = trace.lock().unwrap().clone().end();
    Outcome {
        breaches,
        trace: lines,
        digest,
        virtual_time: began.elapsed(),
        requests: seen.len(),
        deliveries: deliveries.len(),
    }
}
