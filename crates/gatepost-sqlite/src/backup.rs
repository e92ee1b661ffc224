//! A copy of the file while it is in use.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use gatepost_storage::{ErrorKind, StoreError};

use crate::config::SqliteConfig;
use crate::error::{Failure, Result};
use crate::{connection, files};

/// Copies the database of `config` to `to`: the whole of it at one point in time, or no file at
/// all.
pub(crate) fn copy(config: &SqliteConfig, to: &Path) -> Result<()> {
    if to.exists() {
        return Err(taken());
    }
    let part = beside(to);
    // Left by a process that was killed.
    remove(&part)?;
    files::make(&part).map_err(|error| Failure::from(error).of_file(&part))?;
    let copied = write(config, &part).and_then(|()| Ok(publish(&part, to)?));
    if copied.is_err() {
        // The failure itself is reported, not that its remains could not be removed.
        let _ = remove(&part);
    }
    copied.map_err(|failure| failure.of_file(to))
}

/// Reads in one transaction, which blocks no writer; SQLite does not sync the copy.
fn write(config: &SqliteConfig, part: &Path) -> Result<()> {
    let Some(name) = part.to_str() else {
        let rule = "the path of a backup must be UTF-8";
        return Err(Failure::new(ErrorKind::Invalid, rule));
    };
    let connection = connection::reader(config)?;
    connection.pragma_update(None, "query_only", false)?;
    connection.execute("VACUUM INTO ?1", [name])?;
    // Windows syncs only a file that may be written.
    Ok(File::options().write(true).open(part)?.sync_all()?)
}

/// Renames the copy, without replacing a file that was created there in between.
fn publish(part: &Path, to: &Path) -> io::Result<()> {
    fs::hard_link(part, to)?;
    fs::remove_file(part)?;
    files::sync_folder_of(to)
}

fn beside(to: &Path) -> PathBuf {
    let mut name = OsString::from(to);
    name.push(".part");
    PathBuf::from(name)
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn taken() -> Failure {
    let rule = "there is a file of that name; a backup replaces none";
    StoreError::new(ErrorKind::Conflict, rule).into()
}
