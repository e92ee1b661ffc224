//! The parts of a delivery in their tables: the waiting row, the outcomes, the state.

mod end;
pub(crate) mod history;
pub(crate) mod order;
pub(crate) mod outcome;
pub(crate) mod row;
pub(crate) mod waiting;

pub(crate) use self::end::{
    DELIVERY_BYTES, count_failed, end_waiting, remove, remove_facts, shrunk,
};
