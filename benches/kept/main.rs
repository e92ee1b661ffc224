//! Runs the benches whose results are ratios, about ten minutes in all, and compares them with
//! `benches/kept.json`: a result fails if it is worse by more than the tolerance, and is so again
//! when its bench runs once more.
//!
//! `cargo bench -p benches --bench kept`; with the argument `keep` it writes the file again, and
//! with names of benches it runs only these.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    clippy::disallowed_methods,
    clippy::panic,
    reason = "a bench measures time and stops at the first surprise"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

use benches::FIGURES;
use benches::baseline::{Figure, Verdict};
use serde_json::Value;

/// The benches, and the arguments with which all of them together take about ten minutes.
const RUNS: &[(&str, &[&str])] = &[
    ("allocations", &[]),
    ("authenticate", &[]),
    ("ip_policy", &[]),
    ("layer", &[]),
    ("list", &[]),
    ("render", &[]),
    ("sender", &[]),
    ("stalled", &[]),
    ("store_sqlite", &["quick"]),
    ("store_postgres", &["quick"]),
    ("emit_many", &[]),
    ("scale", &["growth", "sqlite", "2"]),
];

type Figures = BTreeMap<String, Figure>;

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("kept.json");
    let mut kept = read(&file);
    let named = |bench: &str| words.iter().any(|word| word == bench);
    let all = !RUNS.iter().any(|(bench, _)| named(bench));
    let mut failed = false;
    for (bench, arguments) in RUNS.iter().filter(|(bench, _)| all || named(bench)) {
        let began = Instant::now();
        let figures = run(bench, arguments);
        println!("{bench}: {:.0} s", began.elapsed().as_secs_f64());
        if named("keep") {
            kept.retain(|name, _| !name.starts_with(&format!("{bench}: ")));
            kept.extend(figures);
        } else {
            failed |= is_worse(&kept, bench, arguments, &figures);
        }
    }
    if named("keep") {
        write(&file, &kept);
    }
    ExitCode::from(u8::from(failed))
}

/// Prints each result of a bench next to the stored one.
fn is_worse(kept: &Figures, bench: &str, arguments: &[&str], figures: &Figures) -> bool {
    let mut failed = false;
    let mut again = None;
    for (name, before) in kept.iter().filter(|(name, _)| of(name, bench)) {
        let Some(now) = figures.get(name) else {
            println!("  {name}: not measured any more");
            failed = true;
            continue;
        };
        let mut verdict = now.against(before);
        if verdict == Verdict::Worse {
            // A single bad result may come from other work on this machine.
            let second = again.get_or_insert_with(|| run(bench, arguments));
            verdict = second
                .get(name)
                .map_or(verdict, |second| second.against(before));
        }
        println!(
            "  {name}: {:.3} ({:.3} to {:.3}), kept {:.3} ({:.3} to {:.3}): {verdict:?}",
            now.median, now.low, now.high, before.median, before.low, before.high,
        );
        failed |= verdict == Verdict::Worse;
    }
    for name in figures.keys().filter(|name| !kept.contains_key(*name)) {
        println!("  {name}: not kept yet; run with `keep`");
        failed = true;
    }
    failed
}

fn of(name: &str, bench: &str) -> bool {
    name.split_once(": ").is_some_and(|(of, _)| of == bench)
}

/// Runs a bench of this package; returns the ratios that it reports.
fn run(bench: &str, arguments: &[&str]) -> Figures {
    let folder = tempfile::tempdir().unwrap();
    let told = folder.path().join("figures");
    let status = Command::new(env!("CARGO"))
        .args(["bench", "--quiet", "--locked", "-p", "benches", "--bench"])
        .args([bench, "--"])
        .args(arguments)
        .env(FIGURES, &told)
        .status()
        .unwrap();
    assert!(status.success(), "{bench} failed");
    let lines =
        std::fs::read_to_string(&told).unwrap_or_else(|_| panic!("{bench} told of no figure"));
    lines
        .lines()
        .map(|line| {
            let mut figure = Figure::from_json(&serde_json::from_str(line).unwrap()).unwrap();
            figure.name = format!("{bench}: {}", figure.name);
            (figure.name.clone(), figure)
        })
        .collect()
}

fn read(file: &Path) -> Figures {
    let text = std::fs::read_to_string(file).unwrap_or_else(|_| "[]".to_owned());
    let figures: Vec<Value> = serde_json::from_str(&text).unwrap();
    let figures = figures
        .iter()
        .map(|value| Figure::from_json(value).unwrap());
    figures
        .map(|figure| (figure.name.clone(), figure))
        .collect()
}

/// Writes one result a line, in the order of their names.
fn write(file: &Path, kept: &Figures) {
    let lines: Vec<String> = kept
        .values()
        .map(|figure| format!("  {}", figure.to_json()))
        .collect();
    std::fs::write(file, format!("[\n{}\n]\n", lines.join(",\n"))).unwrap();
}
