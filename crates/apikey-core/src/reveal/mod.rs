//! The rule that a key string is shown once, expressed as types (SPEC 2.1 rules 1 and 2): a key
//! string leaves this crate by a move, and cannot be moved twice.

mod issue;
mod new_key;
mod pak;

pub use new_key::{NewKey, RevealOnce, RevealedKey};
pub use pak::Pak;
