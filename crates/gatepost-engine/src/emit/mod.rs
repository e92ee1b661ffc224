//! From an occurrence to stored deliveries.

mod bite;
mod decide;
mod emitted;
mod emitter;
mod finder;
mod launcher;
mod outbox;
mod plan;
mod row;
#[cfg(test)]
mod tests;

pub use emitted::Emitted;
pub(crate) use emitter::Emitter;
pub(crate) use finder::Finder;
pub(crate) use launcher::Launcher;
pub(crate) use outbox::OutboxDrain;
