//! Records and counts the settlements of all workers together, as fast as the store accepts them.

mod counts;
mod load;
mod settler;
mod writer;

pub(crate) use counts::{counted, counted_since, has_failed, last_sent};
pub(crate) use settler::Settler;
#[cfg(test)]
pub(crate) use settler::UNRECORDED;
pub(crate) use writer::SettlementWriter;
