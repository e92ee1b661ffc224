//! Files that nobody else on the machine may read: passwords' hashes, keys, a certificate's key.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use gatepost_ids::trim_pasted;

/// The permission bits of everybody but the owner.
const OTHERS: u32 = 0o077;

/// Makes a folder that only its owner may open (0700), whatever the umask. One that exists is left
/// as it is; if others may look into it, that is logged as a warning.
///
/// # Errors
/// If it cannot be made, naming it.
pub fn folder(path: &Path) -> io::Result<()> {
    if !path.is_dir() {
        make_folder(path).map_err(|error| named(path, &error))?;
    }
    warn_if_wide(path)
}

fn make_folder(path: &Path) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    DirBuilder::new().mode(0o700).create(path)?;
    fs::set_permissions(path, Permissions::from_mode(0o700))
}

/// Returns the text of a file, without surrounding white space ([`trim_pasted`]); `None` if there
/// is no file. If others may read it, that is logged as a warning.
///
/// # Errors
/// If it cannot be read, naming the file.
pub fn read(path: &Path) -> io::Result<Option<String>> {
    match fs::read_to_string(path) {
        Ok(text) => {
            warn_if_wide(path)?;
            Ok(Some(trim_pasted(&text).to_owned()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(named(path, &error)),
    }
}

/// Writes a file that only its owner may read (0600), whatever the umask: all of it, or it stays as
/// it was.
///
/// # Errors
/// If it cannot be written, naming the file.
pub fn write(path: &Path, text: &str) -> io::Result<()> {
    let mut new = path.as_os_str().to_owned();
    new.push(".new");
    let new = PathBuf::from(new);
    replace(&new, path, text).map_err(|error| named(path, &error))
}

fn replace(new: &Path, path: &Path, text: &str) -> io::Result<()> {
    // A file that an earlier start left is not opened: it may be anything.
    match fs::remove_file(new) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    let mut options = OpenOptions::new();
    let mut file = options.write(true).create_new(true).mode(0o600).open(new)?;
    file.set_permissions(Permissions::from_mode(0o600))?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(new, path)?;
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => File::open(parent)?.sync_all(),
        _ => Ok(()),
    }
}

fn warn_if_wide(path: &Path) -> io::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode() & 0o777;
    if mode & OTHERS != 0 {
        let path = path.display();
        tracing::warn!("{path} has the mode {mode:04o}: other users of this machine may look in");
    }
    Ok(())
}

fn named(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn only_the_owner_may_look() {
        let outer = tempfile::tempdir().unwrap();
        let inner = outer.path().join("a/b");
        folder(&inner).unwrap();
        assert_eq!(mode(&inner), 0o700);
        let file = inner.join("secret");
        assert_eq!(read(&file).unwrap(), None);
        write(&file, "one\n").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
        write(&file, "\u{feff} two\r\n").unwrap();
        assert_eq!(
            (read(&file).unwrap().as_deref(), mode(&file)),
            (Some("two"), 0o600)
        );
        assert_eq!(
            fs::read_dir(&inner).unwrap().count(),
            1,
            "no other file is left"
        );
    }

    #[test]
    fn unreadable_file_error_names_the_path() {
        let folder = tempfile::tempdir().unwrap();
        let error = read(folder.path()).unwrap_err().to_string();
        assert!(error.contains(folder.path().to_str().unwrap()), "{error}");
    }
}
