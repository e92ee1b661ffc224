//! API keys (SPEC 2.1). The key service judges; here it is finished and audited.

use apikey_core::{KeyDraft, KeyEdit, KeyId, Overlap, RevealOnce};
use chrono::NaiveDate;
use gatepost_keys::RequestLimits;
use gatepost_storage::keys::{KeyQuery, KeyRow, KeyUse};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::changes::Changes;
use crate::error::ManageError;
use crate::finish::contain;
use crate::listed::Listed;
use crate::subject::Subject;
use crate::tables::KEYS;

impl Actor {
    /// Makes a key. The key string is in the second part, to be revealed once.
    ///
    /// # Errors
    /// [`ManageError::Forbidden`] when the user is not the caller's to manage,
    /// [`ManageError::Dangling`] when there is no such user, [`ManageError::NameTaken`],
    /// [`ManageError::Invalid`], [`ManageError::Full`], [`ManageError::TooFast`], and failures of
    /// store and accounts.
    pub async fn create_key(&self, draft: KeyDraft) -> Result<(KeyRow, RevealOnce), ManageError> {
        self.change(KEYS, Operation::Create, |actor| async move {
            let is_own = actor.is(draft.owner);
            actor.check_names(draft.grant.tables(), draft.grant.scopes())?;
            let made = actor.door.keys.create(&actor.principal, draft).await;
            let (row, reveal) = made.map_err(|error| ManageError::from(error).about(is_own))?;
            Ok((of_key(&row), (row, reveal)))
        })
        .await
    }

    /// A key.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn key(&self, id: KeyId) -> Result<KeyRow, ManageError> {
        contain(async {
            let row = self.door.keys.get(&self.principal, id).await?;
            row.ok_or(ManageError::NotFound)
        })
        .await
    }

    /// A key that is to be changed: its last login may be some seconds old, and nothing is waited
    /// for that is written of other keys.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn stored_key(&self, id: KeyId) -> Result<KeyRow, ManageError> {
        contain(async {
            let row = self.door.keys.stored(&self.principal, id).await?;
            row.ok_or(ManageError::NotFound)
        })
        .await
    }

    /// The key by which the caller came; `None` of a login of the platform's own.
    ///
    /// # Errors
    /// [`ManageError::Forbidden`] when it was deleted or disabled since, failures of the store.
    pub async fn acting_key(&self) -> Result<Option<KeyRow>, ManageError> {
        contain(async { Ok(self.door.keys.acting_key(&self.principal).await?) }).await
    }

    /// How many requests keys may make in this process.
    #[must_use]
    pub fn request_limits(&self) -> RequestLimits {
        self.door.keys.request_limits()
    }

    /// One page of the keys that match, expired ones included.
    ///
    /// # Errors
    /// [`ManageError::TooFast`] where many lists of the caller wait; failures of store and
    /// accounts.
    pub async fn keys(&self, query: KeyQuery) -> Result<Listed<KeyRow, KeyId>, ManageError> {
        contain(async {
            let _turn = self.door.turns.turn(self.principal.owner).await?;
            let found = self.door.keys.list(&self.principal, query).await?;
            let (rows, next) = (found.rows, found.next);
            Ok(Listed { rows, next })
        })
        .await
    }

    /// On which days from `from` until before `before`, in UTC, a key was used, and how often it
    /// let its caller in or was refused: newest day first, at most `limit`. Of a key
    /// [`KeyUse::DAYS`] days are kept; what happened in the last seconds may not be counted yet.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub async fn key_uses(
        &self,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
        limit: u32,
    ) -> Result<Vec<KeyUse>, ManageError> {
        contain(async {
            let keys = &self.door.keys;
            let uses = keys.uses(&self.principal, key, from, before, limit).await?;
            uses.ok_or(ManageError::NotFound)
        })
        .await
    }

    /// Changes name, description, expiration, IP lists, grant or limit of requests of a key, or
    /// whether it is accepted; never the key string. What only disables or enables it is audited
    /// as that.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::NameTaken`], [`ManageError::Invalid`],
    /// [`ManageError::TooFast`], failures of store and accounts.
    pub async fn edit_key(&self, id: KeyId, edit: KeyEdit) -> Result<KeyRow, ManageError> {
        self.change(KEYS, operation(&edit), move |actor| async move {
            let before = actor.door.keys.stored(&actor.principal, id).await?;
            actor.check_edit(before.as_ref(), &edit)?;
            let row = actor.door.keys.edit(&actor.principal, id, &edit).await?;
            let changes = before.map_or_else(Changes::default, |before| {
                let changes = Changes::of_key(&before.key, &row.key);
                if before.revision.next() == row.revision {
                    changes
                } else {
                    // Others changed it meanwhile: which value was there before is not known.
                    changes.named_alone()
                }
            });
            Ok((of_key(&row).with(changes), row))
        })
        .await
    }

    /// Makes a key that takes the place of another, which is good for the overlap. The key string
    /// is in the second part, to be revealed once.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::AlreadyRolled`], [`ManageError::Dangling`] when
    /// the user is gone, [`ManageError::NameTaken`], [`ManageError::Invalid`],
    /// [`ManageError::Full`], [`ManageError::TooFast`], and failures of store and accounts.
    pub async fn roll_key(
        &self,
        id: KeyId,
        overlap: Overlap,
    ) -> Result<(KeyRow, RevealOnce), ManageError> {
        self.change(KEYS, Operation::Roll, move |actor| async move {
            let old = actor.stored_key(id).await?;
            let is_own = actor.is(old.key.owner);
            let made = actor.door.keys.roll(&actor.principal, id, overlap).await;
            let made = made.map_err(|error| ManageError::from(error).about(is_own))?;
            Ok((of_key(&old), made))
        })
        .await
    }

    /// Deletes a key: the next request that presents it fails.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts; the key then still works.
    pub async fn delete_key(&self, id: KeyId) -> Result<(), ManageError> {
        self.change(KEYS, Operation::Delete, move |actor| async move {
            let row = actor.door.keys.stored(&actor.principal, id).await?;
            let row = row.ok_or(ManageError::NotFound)?;
            actor.door.keys.delete(&actor.principal, id).await?;
            Ok((of_key(&row), ()))
        })
        .await
    }
}

fn of_key(row: &KeyRow) -> Subject {
    Subject::new(row.id, row.key.owner, row.key.name.as_str())
}

/// What an edit is called in the audit log.
fn operation(edit: &KeyEdit) -> Operation {
    match edit.as_switch() {
        Some(true) => Operation::Enable,
        Some(false) => Operation::Disable,
        None => Operation::Update,
    }
}
