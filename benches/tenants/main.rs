//! The cost of one tenant for another. Each measurement runs in a separate process, on a new store;
//! results are ratios of two such runs, taken in turn.
//!
//! `cargo bench -p benches --bench tenants -- NAME [sqlite|postgres] [short] [ROUNDS]`; without a
//! NAME it prints the possible ones.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::exit,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a bench measures time and stops at the first surprise"
)]

mod authenticate;
mod deletion;
mod edits;
mod lists;
mod load;
mod realms;
mod stalls;
mod start;
mod storm;

use std::process::Command;

use benches::platform::Kind;
use tests::postgres::TestPostgres;

const ALL: &[Measurement] = &[
    Measurement {
        name: "edits",
        pairs: &[
            ("tenant", "own-table"),
            ("alone", "own-table"),
            ("same-tenant", "same-idle"),
        ],
        rounds: 5,
    },
    Measurement {
        name: "authenticate",
        pairs: &[("edits", "nothing"), ("edits", "own-table")],
        rounds: 5,
    },
    Measurement {
        name: "places",
        pairs: &[("ten-of-many", "ten"), ("spread", "ten")],
        rounds: 3,
    },
    Measurement {
        name: "start",
        pairs: &[("million", "empty")],
        rounds: 3,
    },
    Measurement {
        name: "deletion",
        pairs: &[("million", "nothing")],
        rounds: 3,
    },
    Measurement {
        name: "stalls",
        pairs: &[
            ("four-tenants", "nothing"),
            ("many-tenants", "nothing"),
            ("dead-neighbour", "nothing"),
            ("slow-neighbour", "nothing"),
            ("answered-once", "all-answer"),
        ],
        rounds: 3,
    },
    Measurement {
        name: "storm",
        pairs: &[
            ("tenant-edits", "tenant-alone"),
            ("system-edits", "system-alone"),
        ],
        rounds: 5,
    },
    Measurement {
        name: "lists",
        pairs: &[("million", "ten")],
        rounds: 1,
    },
];

/// A measurement, and the pairs of cases whose results are divided by each other.
struct Measurement {
    name: &'static str,
    /// The measured case, then the one that it is compared with.
    pairs: &'static [(&'static str, &'static str)],
    rounds: usize,
}

fn main() {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["--run", name, case, kind, size] => {
            run(name, case, kind.parse().unwrap(), *size == "short");
        }
        [name, rest @ ..] => compare(name, rest),
        [] => ALL.iter().for_each(|one| println!("{}", one.name)),
    }
}

/// Runs the cases of a measurement in turn, each in a process, and prints the ratios.
fn compare(name: &str, rest: &[&str]) {
    let measurement = ALL.iter().find(|one| one.name == name).unwrap();
    let size = if rest.contains(&"short") {
        "short"
    } else {
        "full"
    };
    let kind = if rest.contains(&"postgres") {
        "postgres"
    } else {
        "sqlite"
    };
    let rounds = rest.iter().find_map(|word| word.parse().ok());
    let rounds: usize = rounds.unwrap_or(measurement.rounds);
    let server = (kind == "postgres").then(TestPostgres::start);
    for (case, against) in measurement.pairs {
        let mut ratios: std::collections::BTreeMap<String, Vec<f64>> = Default::default();
        for _ in 0..rounds {
            let url = server.as_ref().map(TestPostgres::url);
            let [base, figures] = [against, case].map(|case| child(name, case, kind, size, url));
            for ((what, base), (_, figure)) in base.iter().zip(&figures) {
                println!("  {case}: {what} {figure:.3}; {against}: {base:.3}");
                ratios.entry(what.clone()).or_default().push(figure / base);
            }
        }
        for (what, figures) in ratios {
            let kept = format!("{name}, {kind}: {what}, {case} over {against}");
            benches::keep(&kept, &figures, benches::Better::Less);
            let (median, low, high) = benches::spread(figures);
            println!(
                "{name}, {kind}: {what}, {case} over {against}: {median:.2} ({low:.2} to {high:.2})"
            );
        }
    }
}

/// Returns the measurements of one case, as `name value` lines that its process prints.
fn child(name: &str, case: &str, kind: &str, size: &str, url: Option<&str>) -> Vec<(String, f64)> {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--run", name, case, kind, size])
        .envs(url.map(|url| ("BENCH_POSTGRES_URL", url)))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let figures = text.lines().filter_map(|line| line.strip_prefix("figure "));
    let figures = figures.map(|line| line.rsplit_once(' ').unwrap());
    figures
        .map(|(what, value)| (what.to_owned(), value.parse().unwrap()))
        .collect()
}

fn run(name: &str, case: &str, kind: Kind, short: bool) {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(async {
        match name {
            "authenticate" => authenticate::measure(case, kind, short).await,
            "edits" => edits::measure(case, kind, short).await,
            "places" => realms::measure(case, kind, short).await,
            "start" => start::measure(case, kind, short).await,
            "deletion" => deletion::measure(case, kind, short).await,
            "stalls" => stalls::measure(case, kind, short).await,
            "storm" => storm::measure(case, kind, short).await,
            "lists" => lists::measure(case, kind, short).await,
            other => panic!("no measurement {other}"),
        }
    });
    // Running tasks are not awaited: the store is thrown away.
    std::process::exit(0);
}
