//! SQLite by its own statements against SQLite by the lower door: the durable cycle with one
//! webhook and with 1,000 tenants, in turn.

use std::process::Command;

use crate::cycle::{Cycle, Run, print};
use crate::report::ratio;
use crate::stage::Stage;

const MESSAGES: i64 = 60_000;
/// A store, and whether its commits wait for others and hold as many as those of `sql`.
pub(super) const STORES: [(&str, &str, bool); 3] = [
    ("SQL", "sql", false),
    ("lower door", "kv", false),
    ("lower door, 512 a commit, linger", "kv", true),
];
const SYSTEMS: [(&str, &str, usize); 3] = [
    ("one webhook, 500 bytes", "one", 500),
    ("1,000 tenants, 500 bytes", "tenants", 500),
    ("1,000 tenants, 200 bytes", "tenants", 200),
];

pub(crate) async fn measure(stage: &mut Stage) {
    let mut all = [const { [const { Vec::<Run>::new() }; 3] }; 3];
    for _ in 0..stage.rounds(3) {
        for (runs, (what, system, bytes)) in all.iter_mut().zip(SYSTEMS) {
            for (runs, (name, store, lingers)) in runs.iter_mut().zip(STORES) {
                let mut command = Command::new(std::env::current_exe().unwrap());
                command.args(["--emit", system]).env("GATE_STORE", store);
                if lingers {
                    command.env("GATE_LINGER", "1");
                }
                let run = round(stage, command, bytes).await;
                println!("  {what}, {name}: {run:.1?}");
                runs.push(run);
            }
        }
    }
    for (runs, (what, ..)) in all.iter().zip(SYSTEMS) {
        for (own, (name, ..)) in runs.iter().zip(STORES) {
            print(stage.kind, &format!("{what}, {name}"), own, [""; 3]);
            let of = |runs: &[Run], of: fn(&Run) -> f64| runs.iter().map(of).collect::<Vec<_>>();
            for (figure, run, goal) in [
                ("cycles", (|run| run.rate) as fn(&Run) -> f64, ">= 0.95 x"),
                ("CPU", (|run| run.own) as fn(&Run) -> f64, "<= 1 x"),
            ] {
                let what = format!("{what}, {name}: {figure} over SQL");
                ratio(stage.kind, &what, &of(own, run), &of(&runs[0], run), goal);
            }
        }
    }
}

async fn round(stage: &mut Stage, command: Command, bytes: usize) -> Run {
    let count = stage.scaled(MESSAGES);
    let store = stage.fresh().await;
    let mut cycle = Cycle::start_as(stage, command, &store.place, bytes).await;
    cycle.run(stage, count / 10).await;
    let run = cycle.run(stage, count).await;
    drop(cycle);
    store.remove().await;
    run
}
