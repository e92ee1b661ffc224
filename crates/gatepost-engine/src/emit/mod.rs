//! From an occurrence to stored deliveries.

mod ahead;
mod apart;
mod bite;
mod commit;
mod decide;
mod draft;
mod drain;
mod emitted;
mod emitter;
mod emitting;
mod fill;
mod finder;
mod launcher;
mod letter;
mod many;
mod outbox;
mod plan;
mod races;
mod row;
mod set;
mod sink;
#[cfg(test)]
mod tests;
mod together;
mod waiting;

pub(crate) use drain::OutboxDrain;
pub use emitted::Emitted;
pub(crate) use emitter::Emitter;
pub(crate) use emitting::Run;
pub(crate) use letter::Letter;
pub use many::MAX_EMIT_MANY;
