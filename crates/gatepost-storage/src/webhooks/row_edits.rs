//! The effect of inserts and edits on the rows of webhooks, tasks and events: the rules of
//! [`RecordStore`](super::RecordStore) for a backend that reads and writes whole rows. The backend
//! must check names and limits.

use chrono::{DateTime, SubsecRound as _, Utc};
use gatepost_ids::OwnerId;

use crate::codec::Record;
use crate::error::{ErrorKind, StoreError};
use crate::page::{Revision, Row};

impl<I, T> Row<I, T> {
    /// Creates the row of a new record at `now`.
    #[must_use]
    pub fn inserted(id: I, owner: OwnerId, value: T, now: DateTime<Utc>) -> Self {
        let now = now.trunc_subsecs(6);
        Self {
            id,
            owner,
            revision: Revision::FIRST,
            created: now,
            modified: now,
            value,
        }
    }
}

impl<R: Record + Clone> Row<R::Id, R> {
    /// Returns this row after an update with `shown`, under `owner`: for a webhook its current
    /// owner, for a task the owner of its webhook, for an event the owner of its task.
    ///
    /// # Errors
    /// `Stale` if the revisions differ.
    pub fn edited_by(
        &self,
        shown: &Self,
        owner: OwnerId,
        now: DateTime<Utc>,
    ) -> Result<Self, StoreError> {
        if self.revision != shown.revision {
            return Err(StoreError::new(ErrorKind::Stale, R::NAME));
        }
        Ok(Self {
            owner,
            revision: self.revision.next(),
            modified: now.trunc_subsecs(6),
            value: shown.value.clone(),
            ..*self
        })
    }
}
