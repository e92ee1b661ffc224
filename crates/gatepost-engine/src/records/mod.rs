//! The engine's methods by which webhooks, tasks, events and deliveries are made, read and changed.
//! Who may do so is decided by the caller.

pub(crate) mod changes;
pub(crate) mod cursor;
mod deliveries;
mod events;
pub(crate) mod fetching;
mod manual;
pub(crate) mod owners;
pub(crate) mod replays;
pub(crate) mod run_context;
mod sending;
pub(crate) mod targets;
mod tasks;
#[cfg(test)]
mod tests;
pub(crate) mod wait_reason;
mod webhooks;
