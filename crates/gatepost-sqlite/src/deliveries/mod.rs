//! The parts of a delivery, as they lie in their tables: what waits, what became of it, how it
//! stands.

mod end;
pub(crate) mod history;
pub(crate) mod order;
pub(crate) mod outcome;
pub(crate) mod row;
pub(crate) mod waiting;

pub(crate) use self::end::{
    DELIVERY_BYTES, count_failed, end_waiting, remove, remove_facts, shrunk,
};
