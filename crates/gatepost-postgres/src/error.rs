//! The mapping of the driver's errors to a [`StoreError`], which says what can be done and holds no
//! value.

use gatepost_storage::{ErrorKind, StoreError};
use tokio_postgres::error::SqlState;

/// An error of the store. It can be cloned, because a batch that fails has many callers.
#[derive(Clone, Debug)]
pub(crate) struct Failure {
    kind: ErrorKind,
    context: &'static str,
    cause: Option<Cause>,
    /// Whether the server aborted this transaction because of a conflict with another.
    pub(crate) was_victim: bool,
    /// Whether the wait for a lock, or the statement, took too long.
    pub(crate) was_locked: bool,
    /// Whether the connection broke before the server had answered.
    unanswered: bool,
}

/// The cause without values: for a server's error, only the code and the constraint.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct Cause(String);

pub(crate) type Result<T> = std::result::Result<T, Failure>;
/// The result of the traits' methods.
pub(crate) type Answer<T> = std::result::Result<T, StoreError>;

impl Failure {
    pub(crate) fn new(kind: ErrorKind, context: &'static str) -> Self {
        Self {
            kind,
            context,
            cause: None,
            was_victim: false,
            was_locked: false,
            unanswered: false,
        }
    }

    pub(crate) fn not_found(what: &'static str) -> Self {
        Self::new(ErrorKind::NotFound, what)
    }

    pub(crate) fn unavailable(context: &'static str) -> Self {
        Self::new(ErrorKind::Unavailable, context)
    }

    /// Returns the error of a statement that returned nothing although it always returns a row.
    pub(crate) fn nothing() -> Self {
        Self::unavailable("the database returned no result")
    }

    /// Returns the error of stored data that breaks a rule of its record.
    pub(crate) fn corrupt(context: &'static str, cause: impl std::fmt::Display) -> Self {
        Self {
            cause: Some(Cause(cause.to_string())),
            ..Self::new(ErrorKind::Corrupt, context)
        }
    }

    /// Returns the error of a schema that a newer process has migrated.
    pub(crate) fn newer(found: i32, known: i32) -> Self {
        let versions = format!("its schema is version {found}, this process knows {known}");
        Self {
            cause: Some(Cause(versions)),
            ..Self::new(
                ErrorKind::Unsupported,
                "the database was written by a newer version of Gatepost",
            )
        }
    }

    /// Returns the failure as one that happened before the server received the change.
    pub(crate) fn before_anything(self) -> Self {
        Self {
            unanswered: false,
            ..self
        }
    }

    /// Returns the error of an insertion. If the server did not answer, it is unknown whether the
    /// row was stored.
    pub(crate) fn of_insertion(self) -> StoreError {
        let unanswered = self.unanswered;
        let error = StoreError::from(self);
        if unanswered { error.in_doubt() } else { error }
    }

    pub(crate) fn is_transient(&self) -> bool {
        self.kind == ErrorKind::Unavailable
    }

    /// Returns whether the value exists already and must be unique.
    pub(crate) fn is_conflict(&self) -> bool {
        self.kind == ErrorKind::Conflict
    }

    /// Returns whether the stored row is at fault: lists skip such a row.
    pub(crate) fn is_corrupt(&self) -> bool {
        self.kind == ErrorKind::Corrupt
    }

    /// Returns the name of the unreadable data and the reason, without a value.
    pub(crate) fn reason(&self) -> String {
        match &self.cause {
            Some(cause) => format!("{}: {cause}", self.context),
            None => self.context.to_owned(),
        }
    }

    /// Returns the cause as text, for a row that ends because of it.
    pub(crate) fn cause(&self) -> String {
        self.cause
            .as_ref()
            .map_or_else(|| self.context.to_owned(), ToString::to_string)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        let error = Self::new(failure.kind, failure.context);
        match failure.cause {
            Some(cause) => error.with_source(cause),
            None => error,
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        let cause = std::error::Error::source(&error).map(|cause| Cause(cause.to_string()));
        Self {
            cause,
            ..Self::new(error.kind(), error.context())
        }
    }
}

impl From<tokio_postgres::Error> for Failure {
    fn from(error: tokio_postgres::Error) -> Self {
        let Some(db) = error.as_db_error() else {
            return without_answer(&error);
        };
        let (kind, context) = classify(db.code(), db.constraint());
        let cause = match db.constraint() {
            Some(constraint) => format!("SQLSTATE {} ({constraint})", db.code().code()),
            None => match meaning(db.code()) {
                Some(meaning) => format!("{meaning} (SQLSTATE {})", db.code().code()),
                None => format!("SQLSTATE {}", db.code().code()),
            },
        };
        let was_victim = matches!(
            *db.code(),
            SqlState::T_R_DEADLOCK_DETECTED | SqlState::T_R_SERIALIZATION_FAILURE
        );
        Self {
            kind,
            context,
            cause: Some(Cause(cause)),
            was_victim,
            was_locked: matches!(
                *db.code(),
                SqlState::LOCK_NOT_AVAILABLE | SqlState::QUERY_CANCELED
            ),
            unanswered: false,
        }
    }
}

impl From<deadpool_postgres::PoolError> for Failure {
    fn from(error: deadpool_postgres::PoolError) -> Self {
        use deadpool_postgres::PoolError;
        match error {
            PoolError::Backend(error) => {
                let mut failure = Self::from(error).before_anything();
                // A refused login, a missing database or a read-only server can be corrected
                // without a change here.
                failure.kind = ErrorKind::Unavailable;
                failure.context = "no connection to the database";
                failure
            }
            PoolError::Timeout(_) => Self::unavailable("no connection became free in time"),
            _ => Self::unavailable("the pool of connections is closed"),
        }
    }
}

/// Returns the failure of the driver's own errors: a lost connection, or a value that does not fit.
fn without_answer(error: &tokio_postgres::Error) -> Failure {
    let text = error.to_string();
    let (kind, context) = if text.starts_with("error serializing parameter") {
        (ErrorKind::Invalid, "a value that PostgreSQL cannot hold")
    } else if text.starts_with("error deserializing column") || text.starts_with("invalid column") {
        (ErrorKind::Corrupt, "a row that cannot be read")
    } else {
        (
            ErrorKind::Unavailable,
            "the connection to the database was lost",
        )
    };
    // The error may quote a value that does not fit.
    let source = match kind {
        ErrorKind::Unavailable => std::error::Error::source(error),
        _ => None,
    };
    let cause = match source.map(words) {
        Some(source) => format!("{text}: {source}"),
        None => text,
    };
    Failure {
        cause: Some(Cause(cause)),
        unanswered: kind == ErrorKind::Unavailable,
        ..Failure::new(kind, context)
    }
}

/// Returns the text of an error; for an error of the operating system without its number and in
/// lower case, to fit into a sentence.
fn words(error: &(dyn std::error::Error + 'static)) -> String {
    let text = error.to_string();
    let system = error.downcast_ref::<std::io::Error>();
    if system.is_none_or(|error| error.raw_os_error().is_none()) {
        return text;
    }
    let mut letters = text.split(" (os error ").next().unwrap_or_default().chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// Returns the reason why a platform cannot start, as text: the codes are found only in
/// PostgreSQL's appendix A.
fn meaning(code: &SqlState) -> Option<&'static str> {
    Some(match *code {
        SqlState::INVALID_PASSWORD => "wrong user or password",
        SqlState::INVALID_AUTHORIZATION_SPECIFICATION => "this user may not log in from here",
        SqlState::INVALID_CATALOG_NAME => "there is no such database",
        SqlState::INSUFFICIENT_PRIVILEGE => "this user may not do that",
        SqlState::TOO_MANY_CONNECTIONS => "the server has no connection left",
        SqlState::CANNOT_CONNECT_NOW => "the server is starting or stopping",
        _ => return None,
    })
}

fn classify(code: &SqlState, constraint: Option<&str>) -> (ErrorKind, &'static str) {
    match (code.code().get(..2).unwrap_or(""), code) {
        (_, &SqlState::UNIQUE_VIOLATION) => (
            ErrorKind::Conflict,
            match constraint {
                Some("gatepost_key_name") => "the owner has a key of that name",
                Some("gatepost_key_lookup") => "a key with that lookup id",
                Some("gatepost_webhook_name") => "the owner has a webhook of that name",
                _ => "a row with that value",
            },
        ),
        (_, &SqlState::FOREIGN_KEY_VIOLATION) => (
            ErrorKind::Invalid,
            match constraint {
                Some("gatepost_task_webhook") => "the task's webhook does not exist",
                Some("gatepost_event_task") => "the event's task does not exist",
                _ => "a row that is referred to does not exist",
            },
        ),
        // A read-only server is left after a failover.
        (_, &SqlState::READ_ONLY_SQL_TRANSACTION) => {
            (ErrorKind::Unavailable, "the database is read-only")
        }
        (_, &SqlState::LOCK_NOT_AVAILABLE | &SqlState::QUERY_CANCELED) => (
            ErrorKind::Unavailable,
            "the database did not answer in time",
        ),
        ("22" | "23", _) => (ErrorKind::Invalid, "a value that PostgreSQL refuses"),
        ("53", _) => (
            ErrorKind::Unavailable,
            "the database is out of disk, memory or connections",
        ),
        ("57", _) => (
            ErrorKind::Unavailable,
            "the database is shutting down or restarting",
        ),
        ("42" | "0A", _) => (
            ErrorKind::Unsupported,
            "the database is not as this version needs it",
        ),
        _ => (ErrorKind::Unavailable, "the database refused"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_may_pass_by_itself_is_transient() {
        for code in [
            "08006", "40001", "40P01", "25006", "53100", "53300", "55P03", "57014", "57P01",
            "57P03", "XX000",
        ] {
            assert_eq!(
                classify(&SqlState::from_code(code), None).0,
                ErrorKind::Unavailable,
                "{code}"
            );
        }
        assert_eq!(
            classify(&SqlState::UNIQUE_VIOLATION, Some("gatepost_webhook_name")),
            (ErrorKind::Conflict, "the owner has a webhook of that name")
        );
        assert_eq!(
            classify(&SqlState::FOREIGN_KEY_VIOLATION, None).0,
            ErrorKind::Invalid
        );
        assert_eq!(
            classify(&SqlState::from_code("22021"), None).0,
            ErrorKind::Invalid
        );
        assert_eq!(
            classify(&SqlState::UNDEFINED_TABLE, None).0,
            ErrorKind::Unsupported
        );
    }
}
