//! What a key may not do.

use super::name::ScopeName;

/// Why a key's [`Grant`](super::Grant) does not allow something. The words are for whoever holds
/// the key.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum NotGranted {
    /// It names what it may use, and this has no name.
    #[error("This API key may be used only for the tables and scopes that it names")]
    Elsewhere,
    /// It may only read.
    #[error("This API key is read-only")]
    ReadOnly,
    /// It does not have this scope.
    #[error("This API key does not have the scope '{0}'")]
    Scope(ScopeName),
    /// It may not use this table.
    #[error("This API key may not use the table '{0}'")]
    Table(Box<str>),
}
