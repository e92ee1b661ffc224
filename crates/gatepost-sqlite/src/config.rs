//! The configuration of a store.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use gatepost_storage::seal::SealingKeys;

/// The time at which SQLite waits for the disk.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
#[non_exhaustive]
pub enum Synchronous {
    /// Before each commit returns. Only with this setting does `Ok` mean that the data is on disk.
    #[default]
    Full,
    /// Only at checkpoints. **Unsafe**: a power cut loses the last commits, among them deliveries
    /// and deletions of keys.
    Normal,
    /// Never. **Unsafe**: a power cut may damage the file. For tests, and as the control in tests
    /// of durability.
    Off,
}

impl Synchronous {
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Full => "FULL",
            Self::Normal => "NORMAL",
            Self::Off => "OFF",
        }
    }
}

/// The path of the file, and the settings to open it with.
#[derive(Clone, Debug)]
pub struct SqliteConfig {
    pub(crate) path: PathBuf,
    pub(crate) sealing: Arc<SealingKeys>,
    pub(crate) synchronous: Synchronous,
    pub(crate) busy_timeout: Duration,
    pub(crate) readers: usize,
    pub(crate) max_pages: Option<u32>,
}

impl SqliteConfig {
    /// Takes the path of the database file. The file is created if it does not exist, and so is its
    /// folder. It must be on a local disk: SQLite's write-ahead log needs memory that is shared
    /// between the processes that use it. It is a path, not SQLite's `:memory:` or a URI `file:…`,
    /// which are refused when the store is opened; with `./` before it, every name is a path.
    #[must_use]
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            sealing: Arc::new(SealingKeys::none()),
            synchronous: Synchronous::default(),
            busy_timeout: Duration::from_secs(5),
            readers: 4,
            max_pages: None,
        }
    }

    /// Sets the keys under which secrets of webhooks are sealed; none by default.
    #[must_use]
    pub fn with_sealing(mut self, keys: SealingKeys) -> Self {
        self.sealing = Arc::new(keys);
        self
    }

    /// Sets when to wait for the disk; [`Synchronous::Full`] by default.
    #[must_use]
    pub fn with_synchronous(mut self, synchronous: Synchronous) -> Self {
        self.synchronous = synchronous;
        self
    }

    /// Sets how long to wait for another process that writes, before a call is `Unavailable`; 5 s
    /// by default.
    #[must_use]
    pub fn with_busy_timeout(mut self, timeout: Duration) -> Self {
        self.busy_timeout = timeout;
        self
    }

    /// Sets the maximum number of concurrent reads; 4 by default, at least 1.
    #[must_use]
    pub fn with_readers(mut self, readers: usize) -> Self {
        self.readers = readers.max(1);
        self
    }

    /// Sets the maximum size of the file in pages, usually of 4 KiB; writes beyond it are
    /// `Unavailable`. No limit by default.
    #[must_use]
    pub fn with_max_pages(mut self, pages: u32) -> Self {
        self.max_pages = Some(pages);
        self
    }
}
