//! CPU time of processes, as the kernel counts it.

use std::time::Duration;

/// Ticks a second in `/proc`: the same on every Linux.
const TICKS: f64 = 100.0;

/// Returns the CPU time of a process, with its children that have ended.
///
/// # Panics
/// If there is no such process, or `/proc` is not that of Linux.
#[must_use]
pub fn process_cpu(pid: u32) -> Duration {
    let fields = fields(pid).expect("a process");
    used(&fields[11..15])
}

/// Returns the CPU time of a process and of its children, with those that have ended.
///
/// # Panics
/// If there is no such process, or `/proc` is not that of Linux.
#[must_use]
pub fn family_cpu(pid: u32) -> Duration {
    let children = children(pid).filter_map(fields);
    let used = children.map(|fields| used(&fields[11..13]));
    used.sum::<Duration>() + process_cpu(pid)
}

/// Returns the memory of a process and of its children, in bytes: a page that several of them have
/// is counted once.
#[must_use]
pub fn family_memory(pid: u32) -> u64 {
    let all = children(pid).chain([pid]);
    all.filter_map(proportional).sum::<u64>() * 1024
}

/// Returns its share of the pages that it has, in KiB.
fn proportional(pid: u32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.split_whitespace().next()?.parse().ok()
}

fn children(pid: u32) -> impl Iterator<Item = u32> {
    let own = pid.to_string();
    let processes = std::fs::read_dir("/proc").expect("Linux").flatten();
    let others = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    others.filter(move |other| fields(*other).is_some_and(|fields| fields[1] == own))
}

fn used(ticks: &[String]) -> Duration {
    let ticks: f64 = ticks.iter().filter_map(|t| t.parse::<f64>().ok()).sum();
    Duration::from_secs_f64(ticks / TICKS)
}

/// Returns the fields of `/proc` after the name, which may have spaces: the state, the parent and
/// so on.
fn fields(pid: u32) -> Option<Vec<String>> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(") ")?;
    Some(rest.split(' ').map(str::to_owned).collect())
}
