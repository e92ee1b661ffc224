//! Keys that leaked into a text.

use apikey_core::{KeyEdit, KeyId};
use gatepost_keys::{AccessLevel, KeyError, OnLeak};
use gatepost_storage::keys::KeyRow;

use crate::actor::Actor;
use crate::completion::{Answer, finish};
use crate::error::ManageError;

/// The maximum number of keys ended by one call: as many as can be found in one text.
const MOST_ENDED: usize = 1_000;

/// A key that was found in a text.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LeakedKey {
    /// The key, as it was found.
    pub row: KeyRow,
    /// The action that was taken: less than requested if the key had expired or was deleted by
    /// then.
    pub done: OnLeak,
}

impl Actor {
    /// Finds the keys in a text of at most 1 MiB, of all users, and notifies their owners. On
    /// request it also disables or deletes the keys, each with an audit record. Only for system
    /// administrators.
    ///
    /// # Errors
    /// [`ManageError::Forbidden`], [`ManageError::Invalid`] for a text that is too long or has more
    /// than 1,000 keys, failures of the store: earlier changes persist.
    pub fn report_leaked(&self, text: String, then: OnLeak) -> Answer<'_, Vec<LeakedKey>> {
        let actor = self.clone();
        finish(async move {
            let (keys, principal) = (&actor.door.keys, &actor.principal);
            let found = keys.find_leaked(principal, &text).await?;
            actor.end_each(found, then).await
        })
    }

    /// Disables or deletes keys that [`report_leaked`](Self::report_leaked) found, after a review;
    /// keys that were deleted in the meantime are left out. Only for system administrators.
    ///
    /// # Errors
    /// [`ManageError::Forbidden`], [`ManageError::Invalid`] for more than 1,000 keys, failures of
    /// the store: earlier changes persist.
    pub fn end_leaked(&self, ids: Vec<KeyId>, then: OnLeak) -> Answer<'_, Vec<LeakedKey>> {
        Box::pin(async move {
            if self.principal.access != AccessLevel::SystemAdministrator {
                return Err(ManageError::Forbidden);
            }
            if ids.len() > MOST_ENDED {
                return Err(KeyError::TooManyFound.into());
            }
            let actor = self.clone();
            finish(async move {
                let mut rows = Vec::with_capacity(ids.len());
                for id in ids {
                    rows.extend(actor.door.keys.stored(&actor.principal, id).await?);
                }
                actor.end_each(rows, then).await
            })
            .await
        })
    }

    async fn end_each(
        &self,
        rows: Vec<KeyRow>,
        then: OnLeak,
    ) -> Result<Vec<LeakedKey>, ManageError> {
        let mut leaked = Vec::with_capacity(rows.len());
        for row in rows {
            let is_done = self.done_to(row.id, then).await?;
            let done = if is_done { then } else { OnLeak::Report };
            leaked.push(LeakedKey { row, done });
        }
        Ok(leaked)
    }

    /// Returns whether it could be done.
    async fn done_to(&self, id: KeyId, then: OnLeak) -> Result<bool, ManageError> {
        let done = match then {
            OnLeak::Report => Ok(()),
            OnLeak::Disable => self.edit_key(id, KeyEdit::switch(false)).await.map(drop),
            OnLeak::Delete => self.delete_key(id).await,
        };
        match done {
            Ok(()) => Ok(true),
            Err(ManageError::NotFound | ManageError::Invalid { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }
}
