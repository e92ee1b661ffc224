#![doc = include_str!("../README.md")]

mod audit;
mod directory;

// The public interface is:

pub use audit::{Audit, Audited, NoAudit, Operation};
pub use directory::{Choice, Directory, NoDirectory};
