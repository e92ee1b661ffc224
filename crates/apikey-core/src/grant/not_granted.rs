//! The error for a missing permission of a key.

use super::name::ScopeName;

/// The reason why a key's [`Grant`](super::Grant) does not allow something. The text is for the
/// holder of the key.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotGranted {
    /// The key names its tables and scopes, and the resource has neither.
    #[error("This API key may be used only for the tables and scopes that it names")]
    Elsewhere,
    /// The key may only read.
    #[error("This API key is read-only")]
    ReadOnly,
    /// The key does not have this scope.
    #[error("This API key does not have the scope '{0}'")]
    Scope(ScopeName),
    /// The key may not use this table.
    #[error("This API key may not use the table '{0}'")]
    Table(Box<str>),
}
