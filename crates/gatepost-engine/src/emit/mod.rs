//! From an occurrence to stored deliveries.

mod batch;
mod commit;
mod decision;
mod draft;
mod draft_set;
mod drain;
mod earlier_rows;
mod emit_many;
mod emitted;
mod emitter;
mod emitting;
mod finder;
mod launcher;
mod manual_message;
mod outbox;
mod plan;
mod preconditions;
mod rendering;
mod row;
mod row_set;
mod sink;
#[cfg(test)]
mod tests;
mod undecided_row;
mod waiting_rows;

pub(crate) use drain::OutboxDrain;
pub use emit_many::MAX_EMIT_MANY;
pub use emitted::Emitted;
pub(crate) use emitter::Emitter;
pub(crate) use emitting::Run;
pub(crate) use manual_message::ManualMessage;
