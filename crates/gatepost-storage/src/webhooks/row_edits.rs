//! What inserts and edits make of the rows of webhooks, tasks and events: the rules of
//! [`RecordStore`](super::RecordStore) for a backend that reads and writes whole rows. Names and
//! room are for the backend to see.

use chrono::{DateTime, SubsecRound as _, Utc};
use gatepost_ids::OwnerId;

use crate::codec::Record;
use crate::error::{ErrorKind, StoreError};
use crate::page::{Revision, Row};

impl<I, T> Row<I, T> {
    /// The row of a new record, made at `now`.
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
    /// What this row becomes by an update with that row, under `owner`: of a webhook the owner that
    /// it has, of a task the owner of its webhook, of an event the owner of its task.
    ///
    /// # Errors
    /// `Stale` when the revisions differ.
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
