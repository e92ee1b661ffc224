//! The engine as a platform holds it: every method forwards to the part that does it.

mod deliveries;
mod events;
mod handle;
mod owners;
mod tasks;
mod webhooks;

pub use handle::Engine;
pub(crate) use handle::Shared;
