//! Settlements of all workers are recorded together, as fast as the store takes them; and counted.

mod counts;
mod load;
mod settler;
mod writer;

pub(crate) use counts::{counted, counted_since, has_failed, last_sent};
pub(crate) use settler::Settler;
#[cfg(test)]
pub(crate) use settler::UNRECORDED;
pub(crate) use writer::SettlementWriter;
