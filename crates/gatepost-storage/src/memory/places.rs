//! The versions of places, and what was changed in each of them.

use std::collections::{HashMap, VecDeque};

use gatepost_ids::{OwnerId, Place};

use super::rows::Counter;
use crate::owners::PassedOver;
use crate::webhooks::{RecordId, RoutesVersion};

/// How many changes of a place are remembered.
const CHANGES_KEPT: usize = 1024;

/// What was done in one commit.
#[derive(Debug)]
pub(super) enum Change {
    /// These records were changed; or their owner left, was held or removed.
    Records(Vec<RecordId>),
    /// An owner came, with all records, or was released.
    Entered(OwnerId),
}

#[derive(Debug, Default)]
struct Log {
    version: i64,
    changes: VecDeque<(i64, Change)>,
    /// The version of the last change that is not remembered any more.
    forgotten: i64,
}

#[derive(Debug, Default)]
pub(super) struct Places {
    versions: Counter,
    logs: HashMap<Place, Log>,
}

impl Places {
    pub(super) fn version(&self, place: Place) -> RoutesVersion {
        RoutesVersion(self.logs.get(&place).map_or(0, |log| log.version))
    }

    pub(super) fn changed(&mut self, place: Place, change: Change) -> RoutesVersion {
        let version = self.versions.next();
        let log = self.logs.entry(place).or_default();
        log.version = version;
        log.changes.push_back((version, change));
        if log.changes.len() > CHANGES_KEPT
            && let Some((forgotten, _)) = log.changes.pop_front()
        {
            log.forgotten = forgotten;
        }
        RoutesVersion(version)
    }

    /// Moves all places, beyond versions that are never given, and forgets what was changed.
    pub(super) fn restored(&mut self, versions: PassedOver) {
        self.versions.pass_over(versions);
        for log in self.logs.values_mut() {
            log.version = self.versions.next();
            log.changes.clear();
            log.forgotten = log.version;
        }
    }

    /// What was changed after `since`; `None` when that is not remembered, or is in the future.
    pub(super) fn since(&self, place: Place, since: RoutesVersion) -> Option<Vec<&Change>> {
        let Some(log) = self.logs.get(&place) else {
            return (since.0 == 0).then(Vec::new);
        };
        if !(log.forgotten..=log.version).contains(&since.0) {
            return None;
        }
        let after = log.changes.iter().rev();
        let after = after.take_while(|(version, _)| *version > since.0);
        Some(after.map(|(_, change)| change).collect())
    }
}
