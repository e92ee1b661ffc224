//! What the parts are tested with: records in memory, a clock that breaks on command, a network
//! that is a script.

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
