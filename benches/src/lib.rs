//! Shared code of the measurements: CPU time of this thread, medians, a receiver in a separate
//! process, the body of the store benches, a platform with tenants.
#![allow(
    clippy::exhaustive_enums,
    clippy::exhaustive_structs,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::panic,
    reason = "a measurement measures time, and stops where it cannot be taken; nothing here is published"
)]

pub mod baseline;
pub mod bulk;
pub mod forge;
mod full_api;
mod keys;
pub mod machines;
mod measurement_output;
pub mod on_demand;
mod one_system;
pub mod platform;
pub mod process;
pub mod server;
pub mod store;
mod targets;

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

pub use full_api::whole;
pub use keys::issued;
pub use measurement_output::{Better, FIGURES, keep, spread};
pub use one_system::one_system;
pub use targets::{Arrived, Here, STALL, targets};

/// Returns the CPU time of this thread so far, as the kernel counts it.
///
/// # Panics
/// If `/proc` is not that of Linux.
#[must_use]
pub fn thread_cpu() -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").expect("Linux");
    let nanos = text
        .split(' ')
        .next()
        .and_then(|n| n.parse().ok())
        .expect("nanoseconds");
    Duration::from_nanos(nanos)
}

/// A receiver in a separate process, so that its CPU time is not ours. It ends with this value.
#[derive(Debug)]
pub struct Receiver {
    child: Child,
    /// The address at which it listens.
    pub addr: SocketAddr,
}

impl Receiver {
    /// Starts this very program with the argument `--receiver`; it must print its address as its
    /// first line.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub fn start() -> Self {
        Self::start_with(&["--receiver"])
    }

    /// Starts this very program with these arguments; it must print its address as its first line.
    ///
    /// # Panics
    /// If it does not start.
    #[must_use]
    pub fn start_with(args: &[&str]) -> Self {
        let own = std::env::current_exe().expect("a path");
        let mut child = Command::new(own)
            .args(args)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the receiver");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output"))
            .read_line(&mut line)
            .expect("its address");
        Self {
            child,
            addr: line.trim().parse().expect("an address"),
        }
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
