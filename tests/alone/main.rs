//! Tests that set the state of a whole process or measure: each runs in a separate process, and
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
