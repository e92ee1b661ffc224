//! The mapping of SQLite's errors to those of the contract.

use std::error::Error as _;
use std::fmt::Display;
use std::io;
use std::path::Path;

use gatepost_storage::{ErrorKind, StoreError};
use rusqlite::ErrorCode;

/// An error before its conversion: SQLite's own, or one of the contract.
#[derive(Debug)]
pub(crate) enum Failure {
    Sql(rusqlite::Error),
    Store(StoreError),
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;
/// The result of the traits' methods.
pub(crate) type Answer<T> = std::result::Result<T, StoreError>;

impl Failure {
    pub(crate) fn new(kind: ErrorKind, context: &'static str) -> Self {
        Self::Store(StoreError::new(kind, context))
    }

    pub(crate) fn not_found(what: &'static str) -> Self {
        Self::Store(StoreError::not_found(what))
    }

    /// Returns the kind that the error of the contract will have.
    pub(crate) fn kind(&self) -> ErrorKind {
        match self {
            Self::Sql(error) => judge(error).0,
            Self::Store(error) => error.kind(),
        }
    }

    /// Adds the name of the file, which SQLite's errors do not contain.
    pub(crate) fn of_file(self, path: &Path) -> Self {
        let error = StoreError::from(self);
        let path = path.display();
        let source = match error.source() {
            Some(source) => format!("{path}: {source}"),
            None => path.to_string(),
        };
        error.with_source(source).into()
    }

    /// Adds the system's error for a file, if SQLite reports only a failure.
    pub(crate) fn because_of(self, path: &Path, cause: &io::Error) -> Self {
        let source = format!("{}: {cause}", path.display());
        StoreError::from(self).with_source(source).into()
    }

    /// Does the same as [`StoreError::corrupt`].
    pub(crate) fn corrupt(context: &'static str, error: impl Display) -> Self {
        Self::Store(StoreError::corrupt(context, error))
    }
}

pub(crate) fn unavailable(context: &'static str) -> StoreError {
    StoreError::new(ErrorKind::Unavailable, context)
}

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sql(error)
    }
}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Self::Store(unavailable("the file or its folder cannot be created").with_source(error))
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<Failure> for StoreError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Store(error) => error,
            Failure::Sql(error) => {
                let (kind, context) = judge(&error);
                Self::new(kind, context).with_source(error)
            }
        }
    }
}

fn judge(error: &rusqlite::Error) -> (ErrorKind, &'static str) {
    use ErrorKind::{Conflict, Corrupt, Invalid, Unavailable};
    use rusqlite::Error as E;
    match error {
        E::SqliteFailure(e, _) => match e.code {
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => {
                (Unavailable, "another process holds the database")
            }
            ErrorCode::DiskFull => (Unavailable, "the disk or the database is full"),
            ErrorCode::ReadOnly => (Unavailable, "the database is read-only"),
            ErrorCode::CannotOpen => (Unavailable, "the file cannot be opened"),
            ErrorCode::SystemIoFailure => (Unavailable, "the file cannot be read or written"),
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => {
                (Corrupt, "the file is damaged or not a database")
            }
            ErrorCode::ConstraintViolation
                if e.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY =>
            {
                (Invalid, "a row that is referred to does not exist")
            }
            ErrorCode::ConstraintViolation
                if [
                    rusqlite::ffi::SQLITE_CONSTRAINT_UNIQUE,
                    rusqlite::ffi::SQLITE_CONSTRAINT_PRIMARYKEY,
                ]
                .contains(&e.extended_code) =>
            {
                (Conflict, "a value that must be unique")
            }
            ErrorCode::ConstraintViolation => (Invalid, "a rule of the table"),
            ErrorCode::TooBig => (Invalid, "a value is too large"),
            _ => (Unavailable, "SQLite"),
        },
        E::FromSqlConversionFailure(..)
        | E::IntegralValueOutOfRange(..)
        | E::Utf8Error(..)
        | E::InvalidColumnType(..) => (Corrupt, "a stored value"),
        E::QueryReturnedNoRows => (Corrupt, "a row that must be there is missing"),
        _ => (Unavailable, "SQLite"),
    }
}
