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
}

gatepost_ids::setters!(SqliteConfig {
    /// Sets the keys under which secrets of webhooks are sealed; none by default.
    with_sealing(sealing: SealingKeys) => Arc::new(sealing),

    /// Sets when to wait for the disk; [`Synchronous::Full`] by default.
    with_synchronous(synchronous: Synchronous) => synchronous,

    /// Sets how long to wait for another process that writes, before a call is `Unavailable`; 5 s
    /// by default.
    with_busy_timeout(busy_timeout: Duration) => busy_timeout,

    /// Sets the maximum number of concurrent reads; 4 by default, at least 1.
    with_readers(readers: usize) => readers.max(1),

    /// Sets the maximum size of the file in pages, usually of 4 KiB; writes beyond it are
    /// `Unavailable`. No limit by default.
    with_max_pages(max_pages: u32) => Some(max_pages),
});
