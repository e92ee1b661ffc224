//! Grants: the part of its user's permissions that a key has, never more (SPEC 1 rule 2).

mod name;
mod names;
mod narrowed;
mod not_granted;

pub use name::{GrantNameError, ScopeName, TableName};
pub use names::{MAX_GRANTED, Names, NamesError, ScopeNames, TableNames};
pub use narrowed::{Access, Grant};
pub use not_granted::NotGranted;
