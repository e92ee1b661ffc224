//! Crashes, power cuts, failing disks, restarts, wrong clocks, and several processes on one store.
#![allow(
    clippy::unwrap_used,
    clippy::print_stderr,
    reason = "a test ends where something is not as it must be, and tells what it measured"
)]

mod clock_jumps;
mod disk_faults;
mod error_sweep;
mod failover;
mod kill;
mod older_node;
mod pairs;
mod poison;
mod postgres_restart;
mod power_cut;
mod simulation;
mod two_processes;
mod workers;
