//! Access to the files: they are created for their owner only, and wider access is reported.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io;
use std::path::{Path, PathBuf};

/// Creates the file, empty and with access for its owner only, whatever the umask is; creates its
/// folder, too, if that is missing. An existing file or folder is not changed.
///
/// SQLite gives the `-wal` and `-shm` files next to it the mode of this one.
pub(crate) fn make(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent().filter(|folder| *folder != Path::new("")) {
        made(unix::make_folder(folder))?;
    }
    made(unix::make_file(path))
}

/// Warns of each file that others may open, and of a folder in which they may see or change files.
pub(crate) fn report(path: &Path) {
    for (path, mode) in too_wide(path) {
        tracing::warn!(
            path = %path.display(),
            mode = %format_args!("{mode:04o}"),
            "others on this machine may open the database: allow only its owner (files 0600, folder 0700)"
        );
    }
}

/// Returns the one of the database, its log and its shared memory that this process cannot use, and
/// the cause, because SQLite does not report it.
pub(crate) fn obstacle(path: &Path) -> Option<(PathBuf, io::Error)> {
    let usable = |path: &Path| OpenOptions::new().read(true).write(true).open(path);
    if let Err(error) = usable(path) {
        return Some((path.to_owned(), error));
    }
    log_and_shared_memory(path).into_iter().find_map(|path| {
        // SQLite creates those that are missing, too.
        let used = made(unix::make_file(&path)).and_then(|()| usable(&path));
        Some((path, used.err()?))
    })
}

/// Makes files that were created or renamed in the folder of this file survive a power cut.
pub(crate) fn sync_folder_of(path: &Path) -> io::Result<()> {
    unix::sync_folder(folder_of(path))
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    }
}

/// Returns the folder, the database, its log and its shared memory, if others have access.
fn too_wide(path: &Path) -> Vec<(PathBuf, u32)> {
    let all = [folder_of(path).to_owned(), path.to_owned()];
    let all = all.into_iter().chain(log_and_shared_memory(path));
    let modes = all.filter_map(|path| {
        let mode = unix::mode(&path)?;
        Some((path, mode))
    });
    modes.filter(|(_, mode)| mode & 0o077 != 0).collect()
}

/// Returns the files that SQLite keeps with the database.
fn log_and_shared_memory(path: &Path) -> [PathBuf; 2] {
    ["-wal", "-shm"].map(|end| {
        let mut name = OsString::from(path);
        name.push(end);
        PathBuf::from(name)
    })
}

fn made(result: io::Result<()>) -> io::Result<()> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        other => other,
    }
}

#[cfg(unix)]
mod unix {
    use std::fs::{DirBuilder, File, OpenOptions, Permissions, metadata, set_permissions};
    use std::io;
    use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _, PermissionsExt as _};
    use std::path::Path;

    /// Creates a folder. The umask may remove permissions that the owner needs, so they are set in
    /// a second step.
    pub(super) fn make_folder(path: &Path) -> io::Result<()> {
        DirBuilder::new().mode(0o700).create(path)?;
        set_permissions(path, Permissions::from_mode(0o700))
    }

    pub(super) fn make_file(path: &Path) -> io::Result<()> {
        let mut new = OpenOptions::new();
        let file = new.write(true).create_new(true).mode(0o600).open(path)?;
        file.set_permissions(Permissions::from_mode(0o600))
    }

    pub(super) fn sync_folder(path: &Path) -> io::Result<()> {
        File::open(path)?.sync_all()
    }

    pub(super) fn mode(path: &Path) -> Option<u32> {
        Some(metadata(path).ok()?.permissions().mode() & 0o7777)
    }
}

/// Other systems have no modes: the permissions of the folder apply.
#[cfg(not(unix))]
mod unix {
    use std::fs::File;
    use std::io;
    use std::path::Path;

    pub(super) fn make_folder(path: &Path) -> io::Result<()> {
        std::fs::create_dir(path)
    }

    pub(super) fn make_file(path: &Path) -> io::Result<()> {
        File::create_new(path).map(drop)
    }

    pub(super) fn sync_folder(_path: &Path) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn mode(_path: &Path) -> Option<u32> {
        None
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn too_wide_file_modes_are_found_and_kept() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
        make(&at("gatepost.db")).unwrap();
        assert_eq!(too_wide(&at("gatepost.db")), []);
        std::fs::write(at("gatepost.db-wal"), "").unwrap();
        for (name, mode) in [
            ("gatepost.db", 0o640),
            ("gatepost.db-wal", 0o604),
            ("", 0o755),
        ] {
            set_permissions(at(name), Permissions::from_mode(mode)).unwrap();
        }
        make(&at("gatepost.db")).unwrap();
        let modes = too_wide(&at("gatepost.db"))
            .into_iter()
            .map(|(_, mode)| mode);
        assert_eq!(modes.collect::<Vec<_>>(), [0o755, 0o640, 0o604]);
    }
}
