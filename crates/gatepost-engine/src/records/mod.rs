//! The engine's methods to create, read and change webhooks, tasks, events and deliveries. The
//! caller decides who may do so.

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
