//! The errors of an ordered store.

use std::error::Error;

/// An error of a database's own client.
pub type BoxError = Box<dyn Error + Send + Sync>;

/// The reason why a view or a change did not succeed.
///
/// Except after [`CommitUnknown`](Self::CommitUnknown), nothing of a change that failed is kept.
/// An error's text must not contain keys or values: they may hold a user's data.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KvError {
    /// Another change came in between. The same change may succeed if it runs again.
    #[error("another change came in between")]
    Conflict,
    /// The callback wants nothing of its change to be kept. Adapters must return it as it is, and
    /// must not create this error themselves.
    #[error("the change was abandoned by its caller")]
    Abandoned,
    /// The connection was lost, or the disk failed, during the commit: the change is stored wholly
    /// or not at all, and the caller must read which of the two.
    #[error("it is unknown whether the change was stored")]
    CommitUnknown(#[source] BoxError),
    /// The database does not respond, is full or refuses for now. The same call may succeed later.
    #[error("the database is unavailable")]
    Unavailable(#[source] BoxError),
    /// The database says that what it stored is damaged.
    #[error("the database is damaged")]
    Corrupt(#[source] BoxError),
    /// The caller broke a rule of the contract. Adapters need not check these rules;
    /// [`MemoryKv`](crate::MemoryKv) does.
    #[error("table {table}: {rule}")]
    Invalid {
        /// The table's name.
        table: &'static str,
        /// The rule that the caller broke.
        rule: &'static str,
    },
}

impl KvError {
    /// Wraps an error of the database's client as [`Unavailable`](Self::Unavailable).
    pub fn unavailable(source: impl Into<BoxError>) -> Self {
        Self::Unavailable(source.into())
    }

    /// Wraps an error of the database's client as [`Corrupt`](Self::Corrupt).
    pub fn corrupt(source: impl Into<BoxError>) -> Self {
        Self::Corrupt(source.into())
    }
}
