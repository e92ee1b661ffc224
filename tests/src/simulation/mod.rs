//! Whole days of several engines on one store, in virtual time and from a seed: processes die and
//! start again, clocks jump, the store fails and lies about commits, targets refuse, hang and
//! reset, and users edit, pause, replay and delete all the while.
//!
//! Only time, the network's far end and the disk are simulated: the engine, its sender with its
//! pool, and HTTP itself are real. Only its [`Script`] and its seed decide a run: the same two make
//! the same run, to the byte ([`Outcome::trace`]).

mod accounts;
mod checks;
mod clock;
mod cluster;
mod credentials;
mod edits;
mod ending;
mod faults;
mod furnish;
mod hooks;
mod keys;
mod leases;
mod ledger;
mod network;
mod notices;
mod outages;
mod pairs;
mod plans;
mod process;
mod report;
mod run;
mod sabotage;
mod script;
mod serve;
mod shrink;
mod stage;
mod switches;
mod trace;

pub use checks::{Breach, Promise};
pub use pairs::pairs;
pub use report::told;
pub use run::{Outcome, run, run_sabotaged};
pub use sabotage::Sabotage;
pub use script::Script;
pub use shrink::shrunk;
