//! From an occurrence to stored deliveries.

mod batch;
mod emitted;
mod emitter;
mod outbox;
#[cfg(test)]
mod tests;

pub use emitted::Emitted;
pub(crate) use emitted::Trigger;
pub(crate) use emitter::Emitter;
pub(crate) use outbox::OutboxDrain;
