//! Records how claims ended: many in one transaction, none given up while the store is only away.

mod settler;
mod writer;

pub(crate) use settler::Settler;
pub(crate) use writer::SettlementWriter;
