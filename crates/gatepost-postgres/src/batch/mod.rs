//! Group commit: enqueues or settlements of many callers at the same time share one statement.

mod batcher;
mod enqueue;
mod pace;
mod settle;

pub(crate) use batcher::{Batcher, Work};
pub(crate) use enqueue::EnqueueWork;
pub(crate) use settle::SettleWork;
