//! The growth of costs with the number of records of each kind: three sizes each, and the exponent.
//! 0 is a constant cost, 1 one that grows in proportion.

mod records;

use crate::report::row;
use crate::stage::Stage;

const ALL: [Growth; 6] = [
    Growth {
        what: "keys",
        sizes: [1_000, 10_000, 100_000],
        unit: "CPU of authenticate",
        goal: 0.25,
    },
    Growth {
        what: "webhooks",
        sizes: [100, 1_000, 10_000],
        unit: "CPU of an emit that reaches one",
        goal: 0.1,
    },
    Growth {
        what: "backlog",
        sizes: [1_000, 10_000, 100_000],
        unit: "a claim of 64",
        goal: 0.1,
    },
    Growth {
        what: "history",
        sizes: [10_000, 100_000, 1_000_000],
        unit: "a list of 50",
        goal: 0.1,
    },
    Growth {
        what: "processes",
        sizes: [1, 2, 4],
        unit: "CPU of a row of the outbox",
        goal: 0.1,
    },
    Growth {
        what: "bytes of a message",
        sizes: [200, 2_000, 20_000],
        unit: "CPU of the whole cycle",
        goal: 0.5,
    },
];

/// A kind of record whose number may be large.
struct Growth {
    what: &'static str,
    /// The sizes, each ten times the one before, except for processes.
    sizes: [i64; 3],
    /// The measured call; its cost is in µs.
    unit: &'static str,
    goal: f64,
}

/// With `short` the sizes are the same: the third takes most of the time, and decides.
pub(crate) async fn measure(stage: &mut Stage) {
    for growth in ALL {
        let (mut exponents, mut costs) = (Vec::new(), [const { Vec::new() }; 3]);
        for _ in 0..stage.rounds(3) {
            let mut round = [0.0; 3];
            for (cost, size) in round.iter_mut().zip(growth.sizes) {
                *cost = cost_of(stage, growth.what, size).await;
            }
            exponents.push(exponent(growth.sizes, round));
            for (all, cost) in costs.iter_mut().zip(round) {
                all.push(cost);
            }
        }
        let kind = stage.kind;
        for (costs, size) in costs.iter().zip(growth.sizes) {
            let what = format!("{}, {size} {}", growth.unit, growth.what);
            row(kind, &what, costs, "µs", "");
        }
        let what = format!("{} by {}: exponent", growth.unit, growth.what);
        row(kind, &what, &exponents, "", &format!("<= {}", growth.goal));
        benches::keep(
            &format!("{kind}: {what}"),
            &exponents,
            benches::Better::Less,
        );
    }
}

async fn cost_of(stage: &mut Stage, what: &str, size: i64) -> f64 {
    match what {
        "keys" => records::keys(stage, size).await,
        "webhooks" => records::webhooks(stage, size).await,
        "backlog" => records::backlog(stage, size).await,
        "history" => records::history(stage, size).await,
        "processes" => {
            let processes = size.try_into().unwrap();
            super::outbox::drain(stage, processes, 16).await.1
        }
        _ => records::bytes(stage, size).await,
    }
}

/// Returns the slope of the straight line through the logarithms.
fn exponent(sizes: [i64; 3], costs: [f64; 3]) -> f64 {
    let points = sizes.map(|size| (size as f64).ln());
    let logs = costs.map(f64::ln);
    let (x, y) = (mean(points), mean(logs));
    let of = |n: usize| ((points[n] - x) * (logs[n] - y), (points[n] - x).powi(2));
    let sums = [0, 1, 2].map(of);
    sums.iter().map(|s| s.0).sum::<f64>() / sums.iter().map(|s| s.1).sum::<f64>()
}

fn mean(of: [f64; 3]) -> f64 {
    of.iter().sum::<f64>() / 3.0
}
