//! What can go wrong in a store, in terms that a caller can act on.

use std::error::Error;
use std::fmt;

type Source = Box<dyn Error + Send + Sync>;

/// What a caller can do about a [`StoreError`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No row has that id.
    NotFound,
    /// Another row already has the value that must be unique.
    Conflict,
    /// The owner has as many rows, or bytes, as the caller allowed. The context is `rows` or
    /// `bytes`.
    Full,
    /// The row is referred to by others and was not deleted.
    InUse,
    /// The row was changed since it was read: read it again, apply the change again.
    Stale,
    /// The request breaks a rule of the store (a reference to a row that does not exist, a value
    /// over its limit).
    Invalid,
    /// The store cannot be reached, is full, locked, read-only or shutting down. Nothing was
    /// stored, or (only where the backend lost the server's reply to a commit) it is unknown
    /// whether it was: repeat with the same idempotency key, claim token or revision. Of the
    /// insertion of a record, which has none of these, the backend says so by
    /// [`in_doubt`](StoreError::in_doubt).
    Unavailable,
    /// Stored data cannot be understood.
    Corrupt,
    /// The database was written by a newer version, or the engine is one that must not be used.
    Unsupported,
}

/// An error of a storage backend: a kind, a short text, and the error that caused it.
///
/// Its text never holds a secret, a message body, or a connection string.
pub struct StoreError {
    kind: ErrorKind,
    context: &'static str,
    in_doubt: bool,
    source: Option<Source>,
}

impl StoreError {
    /// An error without a source. `context` says what was being done or which rule was broken.
    #[must_use]
    pub fn new(kind: ErrorKind, context: &'static str) -> Self {
        Self {
            kind,
            context,
            in_doubt: false,
            source: None,
        }
    }

    /// The same error where the reply to a change was lost: the change may have been stored.
    #[must_use]
    pub fn in_doubt(mut self) -> Self {
        self.in_doubt = true;
        self
    }

    /// The same error with the one that caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Source>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// No row of that kind: `StoreError::not_found("webhook")`.
    #[must_use]
    pub fn not_found(what: &'static str) -> Self {
        Self::new(ErrorKind::NotFound, what)
    }

    /// Stored data that breaks a rule of the record that it should be: what cannot be read, and
    /// why. `cause` must not quote a secret; the parse errors of the models do not.
    #[must_use]
    pub fn corrupt(context: &'static str, cause: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Corrupt, context).with_source(cause.to_string())
    }

    /// What a caller can do about it.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What was being done, or which rule was broken.
    #[must_use]
    pub fn context(&self) -> &'static str {
        self.context
    }

    /// Whether the change that failed may have been stored all the same. Whoever repeats a creation
    /// then may have two.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        self.in_doubt
    }

    /// Whether the same call may succeed later without anything being changed.
    #[must_use]
    pub fn is_transient(&self) -> bool {
        self.kind == ErrorKind::Unavailable
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ErrorKind::NotFound => "not found",
            ErrorKind::Conflict => "already exists",
            ErrorKind::Full => "at its limit",
            ErrorKind::InUse => "still in use",
            ErrorKind::Stale => "changed in the meantime",
            ErrorKind::Invalid => "invalid",
            ErrorKind::Unavailable => "store unavailable",
            ErrorKind::Corrupt => "stored data is corrupt",
            ErrorKind::Unsupported => "unsupported",
        };
        write!(f, "{kind}: {}", self.context)
    }
}

impl fmt::Debug for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StoreError")
            .field("kind", &self.kind)
            .field("context", &self.context)
            .field("in_doubt", &self.in_doubt)
            .field("source", &self.source.as_ref().map(ToString::to_string))
            .finish()
    }
}

impl Error for StoreError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|e| e as &(dyn Error + 'static))
    }
}
