//! A message of 1 KiB with four variables, escaped for JSON, against a plain copy of the result, in
//! one run; and the filters of 1,000 events, checked against one occurrence.
//!
//! `cargo bench -p benches --bench render`
#![allow(
    missing_docs,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::print_stdout,
    clippy::needless_pass_by_value,
    reason = "a measurement, not a library"
)]

use std::hint::black_box;

use benches::{spread, thread_cpu};
use webhook_model::{Data, Filter, Template, Values};

/// The kernel counts a thread's CPU time in steps of 4 ms.
const TIMES: u32 = 2_000_000;
const ROUNDS: usize = 9;
/// The number of events that match one occurrence.
const EVENTS: usize = 1_000;

fn main() {
    let filler = "x".repeat(900);
    let message = format!(
        r#"{{"name":"${{NAME}}","date":"${{DATE}}","at":${{TIMESTAMP}},"n":${{RANDOM}},"filler":"{filler}"}}"#
    );
    let template = Template::parse(&message.parse().unwrap());
    let values = Values::new(
        "Thu, 16 Oct 2025 11:38:07 EDT",
        1_760_629_087,
        "virtual machine 1",
    );
    let result = template.render(&values, || 1_234_567_890).unwrap();
    let mut copies = Vec::new();
    let mut renders = Vec::new();
    for _ in 0..ROUNDS {
        copies.push(nanos(|| {
            black_box(black_box(result.as_str()).to_owned()).len()
        }));
        renders.push(nanos(|| {
            template
                .render(black_box(&values), || 1_234_567_890)
                .map_or(0, |text| black_box(text).len())
        }));
    }
    let ratios = renders
        .iter()
        .zip(&copies)
        .map(|(render, copy)| render / copy)
        .collect();
    println!(
        "{} bytes, 4 variables, {ROUNDS} rounds; nanoseconds each",
        result.len()
    );
    for (name, figures) in [
        ("copy of the result", copies),
        ("render", renders),
        ("render / copy", ratios),
    ] {
        if name == "render / copy" {
            benches::keep(name, &figures, benches::Better::Less);
        }
        let (median, min, max) = spread(figures);
        println!("{name:20} {median:8.2} ({min:.2} to {max:.2})");
    }
    filters();
}

/// Filters on data of 4 KiB: of three conditions, of which the last decides; and the largest
/// possible ones, of which none decides before the last.
fn filters() {
    let filler: Vec<String> = (0..100)
        .map(|n| format!(r#""key{n}":"{}""#, "x".repeat(28)))
        .collect();
    let data = format!(
        r#"{{"severity":"high","disk":{{"free":7,"kind":"ssd"}},{}}}"#,
        filler.join(",")
    );
    let data: Data = data.parse().unwrap();
    println!(
        "{EVENTS} filters of one occurrence, {} bytes of data; microseconds",
        data.as_str().len()
    );
    ask("of 3 conditions", &data, |n| {
        let telling = n % 100;
        format!(
            r#"{{"severity":{{"$in":["high","critical"]}},"disk.free":{{"$lt":10}},"key{telling}":"y{n}"}}"#
        )
    });
    ask("of 100 conditions", &data, |_| {
        let conditions = (0..100).map(|n| format!(r#""key{n}":{{"$ne":"y"}}"#));
        format!("{{{}}}", conditions.collect::<Vec<_>>().join(","))
    });
}

fn ask(name: &str, data: &Data, filter: impl Fn(usize) -> String) {
    let filters: Vec<Filter> = (0..EVENTS).map(|n| filter(n).parse().unwrap()).collect();
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let before = thread_cpu();
        for _ in 0..100 {
            let found = filters
                .iter()
                .filter(|filter| filter.matches(Some(black_box(data))));
            black_box(found.count());
        }
        times.push((thread_cpu() - before).as_secs_f64() * 1e6 / 100.0);
    }
    let (median, min, max) = spread(times);
    println!("{name:20} {median:8.2} ({min:.2} to {max:.2})");
}

fn nanos(mut call: impl FnMut() -> usize) -> f64 {
    let before = thread_cpu();
    let mut total = 0;
    for _ in 0..TIMES {
        total += call();
    }
    black_box(total);
    (thread_cpu() - before).as_secs_f64() * 1e9 / f64::from(TIMES)
}
