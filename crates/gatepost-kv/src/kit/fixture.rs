//! The store of a test, the function that opens it, and the second process of a test.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::rows::TABLES;
use crate::contract::Kv;

const FOLDER: &str = "GATEPOST_KV_FOLDER";

/// Opens a store in a folder.
type Open = dyn Fn(&Path) -> Box<dyn Kv> + Send + Sync;

/// The store of one test.
pub struct Fixture {
    open: Box<Open>,
    folder: PathBuf,
    test: String,
    is_child: bool,
}

impl Fixture {
    /// Creates the fixture of a store in a folder. `test` is the name under which the test binary
    /// knows the test: a case may run it again in a separate process.
    pub fn new<K: Kv>(
        folder: &Path,
        test: impl Into<String>,
        open: impl Fn(&Path) -> K + Send + Sync + 'static,
    ) -> Self {
        Self {
            open: Box::new(move |folder| Box::new(open(folder))),
            is_child: folder_of_the_first_process().is_some(),
            folder: folder.to_path_buf(),
            test: test.into(),
        }
    }

    /// Opens the store, which may hold earlier data.
    pub(super) fn open(&self) -> Box<dyn Kv> {
        let kv = (self.open)(&self.folder);
        kv.prepare(TABLES).unwrap();
        kv
    }

    /// Returns whether this process is the second one of the test.
    pub(super) fn is_child(&self) -> bool {
        self.is_child
    }

    /// Returns the command that runs the same test in a second process, whose output the caller
    /// reads.
    pub(super) fn child(&self) -> Command {
        let mut command = Command::new(env::current_exe().unwrap());
        command
            .args(["--exact", &self.test, "--nocapture", "--include-ignored"])
            .env(FOLDER, &self.folder)
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    }
}

impl fmt::Debug for Fixture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fixture")
            .field("folder", &self.folder)
            .finish_non_exhaustive()
    }
}

/// Returns the folder of the process that started this one, if this is the second one of a test.
pub(super) fn folder_of_the_first_process() -> Option<PathBuf> {
    env::var_os(FOLDER).map(PathBuf::from)
}
