//! Group commit: what many callers enqueue or settle at the same time is one statement.

mod batcher;
mod enqueue;
mod pace;
mod settle;

pub(crate) use batcher::{Batcher, Work};
pub(crate) use enqueue::EnqueueWork;
pub(crate) use settle::SettleWork;
