//! An IP policy of 1,000 entries against one of 10, in one run.
//!
//! `cargo bench -p benches --bench ip_policy`
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
use std::net::{IpAddr, Ipv4Addr};

use apikey_core::{CompiledIpPolicy, IpPolicy};
use benches::{spread, thread_cpu};

const TIMES: u32 = 2_000_000;
const ROUNDS: usize = 9;

fn main() {
    let (small, large) = (policy(10), policy(1_000));
    let mut figures = [Vec::new(), Vec::new()];
    for _ in 0..ROUNDS {
        figures[0].push(nanos(&small, 10));
        figures[1].push(nanos(&large, 1_000));
    }
    let ratios: Vec<f64> = figures[1]
        .iter()
        .zip(&figures[0])
        .map(|(large, small)| large / small)
        .collect();
    benches::keep("1,000 entries / 10", &ratios, benches::Better::Less);
    let [small, large] = figures;
    for (name, figures) in [
        ("10 entries, ns", small),
        ("1,000 entries, ns", large),
        ("ratio", ratios),
    ] {
        let (median, min, max) = spread(figures);
        println!("{name:20} {median:6.2} ({min:.2} to {max:.2})");
    }
}

/// Every second /24 of 10/8, so that nothing can be merged.
fn policy(entries: u32) -> CompiledIpPolicy {
    let allow = (0..entries)
        .map(|n| format!("10.{}.{}.0/24", n * 2 / 256, n * 2 % 256))
        .collect::<Vec<_>>()
        .join(",");
    IpPolicy {
        allow: allow.parse().unwrap(),
        deny: "".parse().unwrap(),
    }
    .compile()
}

fn nanos(policy: &CompiledIpPolicy, entries: u32) -> f64 {
    let before = thread_cpu();
    let mut allowed = 0u32;
    for n in 0..TIMES {
        // Addresses all over the list, every other one on it.
        let at = n.wrapping_mul(2_654_435_761) % (entries * 2);
        let addr = IpAddr::V4(Ipv4Addr::from_bits(0x0A00_0000 + at * 256 + 7));
        allowed += u32::from(black_box(policy).verdict(black_box(addr)).is_allowed());
    }
    black_box(allowed);
    (thread_cpu() - before).as_secs_f64() * 1e9 / f64::from(TIMES)
}
