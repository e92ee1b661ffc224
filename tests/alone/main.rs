//! What sets the state of a whole process or measures: each test has a process of its own, and
//! only one of them runs at a time.
#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a test ends where something is not as it must be, and tells what it measured"
)]

mod console_weight;
mod hostile;
mod list_memory;
mod own_process;
mod secret_canary;
mod secret_targets;
mod wire_load;
