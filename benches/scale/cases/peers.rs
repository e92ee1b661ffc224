//! Gatepost against webhooksmith, and on SQLite against apalis, in one run: messages of 500 bytes,
//! 256 emitters, each on an empty store with the same receiver, three rounds in turn.
//!
//! The peers are separate programs (`benches/peers`, which this builds): all bring SQLite, and a
//! program can link only one.

use std::process::Command;

use benches::platform::Kind;

use crate::cycle::{Cycle, Run, print};
use crate::report::ratio;
use crate::stage::Stage;

const BYTES: usize = 500;
const MESSAGES: i64 = 60_000;
/// The number of a peer's messages, which take about as long.
const FEWER: i64 = 6_000;

pub(crate) async fn measure(stage: &mut Stage) {
    let kind = stage.kind;
    let mut peers = vec![("webhooksmith 0.2.1", build("", "peers"), Vec::new())];
    if kind == Kind::Sqlite {
        let program = build("/apalis", "apalis-peer");
        peers.push(("apalis-sqlite 1.0.0", program, Vec::new()));
    }
    let (mut ours, mut tenants) = (Vec::new(), Vec::new());
    for _ in 0..stage.rounds(3) {
        for (_, program, runs) in &mut peers {
            runs.push(round(stage, Command::new(program)).await);
        }
        for (system, runs) in [("one", &mut ours), ("tenants", &mut tenants)] {
            let mut command = Command::new(std::env::current_exe().unwrap());
            command.args(["--emit", system]);
            runs.push(round(stage, command).await);
        }
    }
    let none = [""; 3];
    let (goal, own) = match kind {
        Kind::Sqlite => (">= 35 x", ["<= 50", "", ""]),
        Kind::Postgres => (">= 14 x", none),
    };
    print(kind, "Gatepost, one webhook, 500 bytes", &ours, own);
    print(kind, "Gatepost, 1,000 tenants, 500 bytes", &tenants, none);
    let rate = |runs: &[Run]| runs.iter().map(|run| run.rate).collect::<Vec<_>>();
    for (peer, _, theirs) in &peers {
        print(kind, &format!("{peer}, 500 bytes"), theirs, none);
        let theirs = rate(theirs);
        let what = format!("cycles, one webhook, over {peer}");
        let goal = if peer.starts_with("webhooksmith") {
            goal
        } else {
            ""
        };
        ratio(kind, &what, &rate(&ours), &theirs, goal);
        let what = format!("cycles, 1,000 tenants, over {peer}");
        ratio(kind, &what, &rate(&tenants), &theirs, goal);
    }
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

/// Builds a peer and returns the path of its program.
fn build(folder: &str, program: &str) -> String {
    let benches = env!("CARGO_MANIFEST_DIR");
    let target = format!("{benches}/../target/{program}");
    let built = Command::new(env!("CARGO"))
        .args([
            "build",
            "--release",
            "--locked",
            "--bins",
            "--manifest-path",
        ])
        .arg(format!("{benches}/peers{folder}/Cargo.toml"))
        .args(["--target-dir", &target])
        .status();
    assert!(built.unwrap().success(), "{program} cannot be built");
    format!("{target}/release/{program}")
}
