//! Connections with the settings of the store.

use std::path::Path;
use std::time::Duration;

use gatepost_storage::ErrorKind;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, MAIN_DB, OpenFlags};

use crate::config::SqliteConfig;
use crate::error::{Failure, Result};
use crate::files;

/// 3.51.3 is the first version without a bug by which two processes at a checkpoint could damage
/// the file.
const OLDEST_LIBRARY: i32 = 3_051_003;

/// Checks that the linked SQLite may be used.
pub(crate) fn check_library(version: i32) -> Result<()> {
    if version < OLDEST_LIBRARY {
        return Err(Failure::new(
            ErrorKind::Unsupported,
            "the linked SQLite library is older than 3.51.3",
        ));
    }
    Ok(())
}

/// Refuses locations that SQLite does not treat as a file, such as `:memory:`: as a path they would
/// create a file of that name unnoticed.
pub(crate) fn check_path(path: &Path) -> Result<()> {
    let text = path.to_string_lossy().to_ascii_lowercase();
    if text.trim().is_empty() {
        let words = "the path is empty: SqliteConfig::file takes the path of a file";
        return Err(Failure::new(ErrorKind::Invalid, words));
    }
    let names_no_file = text.trim() == ":memory:" || text.trim_start().starts_with("file:");
    let is_url = text
        .split('/')
        .next()
        .is_some_and(|first| first.ends_with(':'))
        && text.contains("://");
    if names_no_file || is_url {
        let words = "this is no path of a file: SqliteConfig::file takes neither `:memory:` nor a \
                     URI such as `file:…`; to store nothing use MemoryStore, and to mean a file of \
                     this name put `./` before it";
        return Err(Failure::new(ErrorKind::Invalid, words));
    }
    Ok(())
}

/// Opens a connection that writes. Creates the file, and its folder if only that is missing.
pub(crate) fn writer(config: &SqliteConfig) -> Result<Connection> {
    open_writer(config).map_err(|failure| unopened(failure, &config.path))
}

/// Opens a connection that only reads; it sees each commit of every process immediately.
pub(crate) fn reader(config: &SqliteConfig) -> Result<Connection> {
    open_reader(config).map_err(|failure| unopened(failure, &config.path))
}

/// Returns the failure with the name of the file, and of the log or shared-memory file that cannot
/// be used.
fn unopened(failure: Failure, path: &Path) -> Failure {
    let obstacle = match &failure {
        Failure::Sql(error) => match error.sqlite_error_code() {
            Some(ErrorCode::CannotOpen | ErrorCode::ReadOnly | ErrorCode::SystemIoFailure) => {
                files::obstacle(path)
            }
            _ => None,
        },
        Failure::Store(_) => None,
    };
    match obstacle {
        Some((path, error)) => failure.because_of(&path, &error),
        None => failure.of_file(path),
    }
}

fn open_writer(config: &SqliteConfig) -> Result<Connection> {
    files::make(&config.path)?;
    let connection = Connection::open_with_flags(
        &config.path,
        OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    // SQLite opens a file read-only if it may not write it.
    if connection.is_readonly(MAIN_DB)? {
        let read_only = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_READONLY);
        return Err(rusqlite::Error::SqliteFailure(read_only, None).into());
    }
    connection.busy_timeout(config.busy_timeout)?;
    use_write_ahead_log(&connection)?;
    connection.pragma_update(None, "synchronous", config.synchronous.word())?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", -16_000)?;
    // About 16 MiB of log between checkpoints: fewer syncs of the database, and a log that stays
    // small.
    connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
    connection.pragma_update(None, "journal_size_limit", 67_108_864)?;
    if let Some(pages) = config.max_pages {
        connection.pragma_update(None, "max_page_count", pages)?;
    }
    prepare_once(&connection)?;
    connection.set_prepared_statement_cache_capacity(128);
    Ok(connection)
}

fn open_reader(config: &SqliteConfig) -> Result<Connection> {
    let connection = Connection::open_with_flags(
        &config.path,
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX,
    )?;
    connection.busy_timeout(config.busy_timeout)?;
    connection.pragma_update(None, "query_only", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    prepare_once(&connection)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Prevents SQLite from preparing a statement again for each new value. Without this it does so for
/// every table with a partial index, in case the value makes that index usable.
fn prepare_once(connection: &Connection) -> Result<()> {
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(())
}

/// Turns the write-ahead log on. The switch needs exclusive access to the file, and SQLite does not
/// wait for that itself.
fn use_write_ahead_log(connection: &Connection) -> Result<()> {
    let mut tries = 0;
    loop {
        let mode = connection
            .pragma_update_and_check(None, "journal_mode", "WAL", |row| row.get::<_, String>(0));
        match mode {
            Ok(mode) if mode == "wal" => return Ok(()),
            Ok(_) => {
                return Err(Failure::new(
                    ErrorKind::Unsupported,
                    "a write-ahead log is not possible on this file",
                ));
            }
            Err(e) if e.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) && tries < 100 => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(20));
            }
            Err(e) => return Err(e.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use gatepost_storage::StoreError;
    use rusqlite::StatementStatus;

    use super::*;

    #[test]
    fn statement_is_not_reprepared_for_other_values() {
        let folder = tempfile::tempdir().unwrap();
        let config = SqliteConfig::file(folder.path().join("gatepost.db"));
        let mut connection = writer(&config).unwrap();
        crate::migrate::migrate(&mut connection).unwrap();
        let prepared = |connection: &Connection| {
            let sql = sql!("batch/webhook");
            let mut statement = connection.prepare(sql).unwrap();
            for webhook in 1..=9 {
                assert!(!statement.exists([webhook]).unwrap());
            }
            statement.get_status(StatementStatus::RePrepare)
        };
        assert_eq!(prepared(&connection), 0);
        connection
            .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, false)
            .unwrap();
        assert!(prepared(&connection) > 0, "as SQLite does by itself");
    }

    #[test]
    fn old_sqlite_library_is_refused_linked_one_accepted() {
        let error = StoreError::from(check_library(3_051_002).unwrap_err());
        assert_eq!(error.kind(), ErrorKind::Unsupported);
        check_library(rusqlite::version_number()).unwrap();
    }
}
