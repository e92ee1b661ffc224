//! Gatepost against webhooksmith in one run: messages of 500 bytes, 256 emitters, each on an empty
//! store with the same receiver, three rounds in turn.
//!
//! webhooksmith is a program of its own (`benches/peers`, which this builds): both bring SQLite,
//! and a program has room for one.

use std::process::Command;

use benches::platform::Kind;

use crate::cycle::{Cycle, Run, print};
use crate::report::ratio;
use crate::stage::Stage;

const BYTES: usize = 500;
const MESSAGES: i64 = 60_000;
/// webhooksmith's, which take about as long.
const FEWER: i64 = 6_000;

pub(crate) async fn measure(stage: &mut Stage) {
    let program = build();
    let (mut theirs, mut ours, mut tenants) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..stage.rounds(3) {
        theirs.push(round(stage, Command::new(&program)).await);
        for (system, runs) in [("one", &mut ours), ("tenants", &mut tenants)] {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--emit", system]);
            runs.push(round(stage, command).await);
        }
    }
    let (kind, none) = (stage.kind, [""; 3]);
    let (goal, own) = match kind {
        Kind::Sqlite => (">= 35 x", ["<= 50", "", ""]),
        Kind::Postgres => (">= 14 x", none),
    };
    print(kind, "webhooksmith 0.2.1, 500 bytes", &theirs, none);
    print(kind, "Gatepost, one webhook, 500 bytes", &ours, own);
    print(kind, "Gatepost, 1,000 tenants, 500 bytes", &tenants, none);
    let rate = |runs: &[Run]| runs.iter().map(|run| run.rate).collect::<Vec<_>>();
    let theirs = rate(&theirs);
    let what = "cycles, one webhook, over webhooksmith's";
    ratio(kind, what, &rate(&ours), &theirs, goal);
    let what = "cycles, 1,000 tenants, over webhooksmith's";
    ratio(kind, what, &rate(&tenants), &theirs, goal);
}

async fn round(stage: &mut Stage, command: Command) -> Run {
    let few = !command.get_args().any(|arg| arg == "--emit");
    let count = stage.scaled(if few { FEWER } else { MESSAGES });
    let store = stage.fresh().await;
    let mut cycle = Cycle::start_as(stage, command, &store.place, BYTES).await;
    cycle.run(stage, count / 10).await;
    let run = cycle.run(stage, count).await;
    drop(cycle);
    store.remove().await;
    println!("  {run:.0?}");
    run
}

/// Where the program is.
fn build() -> String {
    let folder = env!("CARGO_MANIFEST_DIR");
    let target = format!("{folder}/../target/peers");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "--manifest-path"])
        .arg(format!("{folder}/peers/Cargo.toml"))
        .args(["--target-dir", &target])
        .status();
    assert!(built.unwrap().success(), "benches/peers cannot be built");
    format!("{target}/release/peers")
}
