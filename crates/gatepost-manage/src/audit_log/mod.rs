//! The audit log, with a bounded buffer so that no change waits for it.

mod buffer;
mod builder;
mod deletions;
mod drain;
mod log;
mod shared;

pub use builder::AuditLogBuilder;
pub use deletions::{Deletion, Deletions};
pub use log::AuditLog;
