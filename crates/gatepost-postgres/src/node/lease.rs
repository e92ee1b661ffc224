//! The time for which a node may trust its last read, and the state that its heartbeat shares with
//! its callers.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use gatepost_storage::RecentChanges;

use super::generation::Generation;
use crate::db::Fence;
use crate::notify::Ear;

/// The lease of a node in the database.
pub(super) const LEASE: Duration = Duration::from_secs(2);
/// The time after the start of a beat for which a node trusts the values that the beat read.
pub(super) const VALID: Duration = Duration::from_millis(1700);
/// The time between two beats.
pub(super) const BEAT: Duration = Duration::from_millis(500);

pub(super) struct Shared {
    pub(super) generation: Generation,
    /// The changes that the beats have read, with the numbers that callers know.
    pub(super) recent: Mutex<RecentChanges>,
    pub(super) ear: Arc<Ear>,
    pub(super) fence: Fence,
}
