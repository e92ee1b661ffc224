//! Test doubles: records in memory, a clock that breaks on command, a scripted network.

mod bench;
mod clock;
mod records;
mod script;
mod values;

pub(crate) use bench::{Bench, RETRY_AFTER, core, maintenance};
pub(crate) use clock::BrokenClock;
pub(crate) use records::Records;
pub(crate) use script::{Script, responded};
pub(crate) use values::{addressed, matched_task, new_delivery, noon, poweron, route, webhook};
