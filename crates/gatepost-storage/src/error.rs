//! Errors of a store, classified by what a caller can do about them.

use std::error::Error;
use std::fmt;

type Source = Box<dyn Error + Send + Sync>;

/// The action that a caller can take on a [`StoreError`].
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No row has that id.
    NotFound,
    /// Another row already has the value that must be unique.
    Conflict,
    /// The owner has reached the limit for rows or bytes that the caller passed. The context is
    /// `rows` or `bytes`.
    Full,
    /// Other rows refer to the row, so it was not deleted.
    InUse,
    /// The row was changed since it was read: read it again and repeat the change.
    Stale,
    /// The request breaks a rule of the store (a reference to a row that does not exist, a value
    /// over its limit).
    Invalid,
    /// The store cannot be reached, is full, locked, read-only or shutting down. Nothing was
    /// stored, or it is unknown whether it was; the latter only if the backend lost the server's
    /// reply to a commit. The caller may repeat the call with the same idempotency key, claim token
    /// or revision. The insertion of a record has none of these: for it the backend reports the
    /// uncertainty by [`in_doubt`](StoreError::in_doubt).
    Unavailable,
    /// Stored data cannot be understood.
    Corrupt,
    /// The database was written by a newer version, or its database engine must not be used.
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
    /// Creates an error without a source. `context` names the operation or the rule that was
    /// broken.
    #[must_use]
    pub fn new(kind: ErrorKind, context: &'static str) -> Self {
        Self {
            kind,
            context,
            in_doubt: false,
            source: None,
        }
    }

    /// Marks the error as in doubt: the reply to a change was lost, and the change may have been
    /// stored.
    #[must_use]
    pub fn in_doubt(mut self) -> Self {
        self.in_doubt = true;
        self
    }

    /// Adds the error that caused it.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Source>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Creates the error for a missing row: `StoreError::not_found("webhook")`.
    #[must_use]
    pub fn not_found(what: &'static str) -> Self {
        Self::new(ErrorKind::NotFound, what)
    }

    /// Creates the error for stored data that break a rule of their record. `context` names the
    /// data and `cause` the reason. `cause` must not quote a secret; the parse errors of the models
    /// do not.
    #[must_use]
    pub fn corrupt(context: &'static str, cause: impl fmt::Display) -> Self {
        Self::new(ErrorKind::Corrupt, context).with_source(cause.to_string())
    }

    /// Returns the kind.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Returns the operation, or the rule that was broken.
    #[must_use]
    pub fn context(&self) -> &'static str {
        self.context
    }

    /// Returns the context and the cause.
    #[must_use]
    pub fn reason(&self) -> String {
        match &self.source {
            Some(cause) => format!("{}: {cause}", self.context),
            None => self.context.to_owned(),
        }
    }

    /// Returns whether the failed change may have been stored. Repeating a creation may then create
    /// a second record.
    #[must_use]
    pub fn is_in_doubt(&self) -> bool {
        self.in_doubt
    }

    /// Returns whether the same call may succeed later without any change.
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
