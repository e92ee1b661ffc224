//! API keys (SPEC 2.1). The key service authorizes; this module completes and audits changes.

use apikey_core::{KeyDraft, KeyEdit, KeyId, Overlap, RevealOnce};
use chrono::NaiveDate;
use gatepost_keys::RequestLimits;
use gatepost_storage::keys::{KeyQuery, KeyRow, KeyUse};

use crate::actor::Actor;
use crate::audit::Operation;
use crate::changes::Changes;
use crate::completion::{Answer, contain};
use crate::error::ManageError;
use crate::subject::Subject;
use crate::tables::KEYS;
use crate::visible_rows::Listed;

impl Actor {
    /// Creates a key. The second part of the result contains the key string, to be shown once.
    ///
    /// # Errors
    /// [`ManageError::Forbidden`] if the caller may not manage the user, [`ManageError::Dangling`]
    /// if the user does not exist, [`ManageError::NameTaken`], [`ManageError::Invalid`],
    /// [`ManageError::Full`], [`ManageError::TooFast`], and failures of store and accounts.
    pub fn create_key(&self, draft: KeyDraft) -> Answer<'_, (KeyRow, RevealOnce)> {
        self.change(KEYS, Operation::Create, |actor| async move {
            let is_own = actor.is(draft.owner);
            actor.check_names(draft.grant.tables(), draft.grant.scopes())?;
            let made = actor.door.keys.create(&actor.principal, draft).await;
            let (row, reveal) = made.map_err(|error| ManageError::from(error).about(is_own))?;
            Ok((of_key(&row), (row, reveal)))
        })
    }

    /// Returns a key.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub fn key(&self, id: KeyId) -> Answer<'_, KeyRow> {
        contain(async move {
            let row = self.door.keys.get(&self.principal, id).await?;
            row.ok_or(ManageError::NotFound)
        })
    }

    /// Returns a key to be changed: its last login may be some seconds old, and the call does not
    /// wait for writes about other keys.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub fn stored_key(&self, id: KeyId) -> Answer<'_, KeyRow> {
        contain(async move {
            let row = self.door.keys.stored(&self.principal, id).await?;
            row.ok_or(ManageError::NotFound)
        })
    }

    /// Returns the caller's key; `None` for a login of the platform itself.
    ///
    /// # Errors
    /// [`ManageError::Forbidden`] if it was deleted or disabled since, failures of the store.
    pub fn acting_key(&self) -> Answer<'_, Option<KeyRow>> {
        contain(async move { Ok(self.door.keys.acting_key(&self.principal).await?) })
    }

    /// Returns the request limits of keys in this process.
    #[must_use]
    pub fn request_limits(&self) -> RequestLimits {
        self.door.keys.request_limits()
    }

    /// Returns one page of the keys that match, including expired ones.
    ///
    /// # Errors
    /// [`ManageError::TooFast`] if too many lists of the caller wait; failures of store and
    /// accounts.
    pub fn keys(&self, query: KeyQuery) -> Answer<'_, Listed<KeyRow, KeyId>> {
        contain(async move {
            let _turn = self.door.turns.turn(self.principal.owner).await?;
            let found = self.door.keys.list(&self.principal, query).await?;
            let (rows, next) = (found.rows, found.next);
            Ok(Listed { rows, next })
        })
    }

    /// Returns the daily usage of a key from `from` until before `before`, in UTC: the newest day
    /// first, at most `limit`. [`KeyUse::DAYS`] days are kept for a key; the last seconds may not
    /// be counted yet.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts.
    pub fn key_uses(
        &self,
        key: KeyId,
        from: NaiveDate,
        before: NaiveDate,
        limit: u32,
    ) -> Answer<'_, Vec<KeyUse>> {
        contain(async move {
            let keys = &self.door.keys;
            let uses = keys.uses(&self.principal, key, from, before, limit).await?;
            uses.ok_or(ManageError::NotFound)
        })
    }

    /// Changes name, description, expiration, IP lists, grant or request limit of a key, or whether
    /// it is enabled; never the key string. An edit that only disables or enables it is audited as
    /// such.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::NameTaken`], [`ManageError::Invalid`],
    /// [`ManageError::TooFast`], failures of store and accounts.
    pub fn edit_key(&self, id: KeyId, edit: KeyEdit) -> Answer<'_, KeyRow> {
        self.change(KEYS, operation(&edit), move |actor| async move {
            let before = actor.door.keys.stored(&actor.principal, id).await?;
            actor.check_edit(before.as_ref(), &edit)?;
            let row = actor.door.keys.edit(&actor.principal, id, &edit).await?;
            let changes = before.map_or_else(Changes::default, |before| {
                let changes = Changes::of_key(&before.key, &row.key);
                if before.revision.next() == row.revision {
                    changes
                } else {
                    // Others changed it at the same time: the previous value is unknown.
                    changes.named_alone()
                }
            });
            Ok((of_key(&row).with(changes), row))
        })
    }

    /// Creates a key that replaces another, which stays valid for the overlap. The second part of
    /// the result contains the key string, to be shown once.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], [`ManageError::AlreadyRolled`], [`ManageError::Dangling`] if the
    /// user was deleted, [`ManageError::NameTaken`], [`ManageError::Invalid`],
    /// [`ManageError::Full`], [`ManageError::TooFast`], and failures of store and accounts.
    pub fn roll_key(&self, id: KeyId, overlap: Overlap) -> Answer<'_, (KeyRow, RevealOnce)> {
        self.change(KEYS, Operation::Roll, move |actor| async move {
            let old = actor.stored_key(id).await?;
            let is_own = actor.is(old.key.owner);
            let made = actor.door.keys.roll(&actor.principal, id, overlap).await;
            let made = made.map_err(|error| ManageError::from(error).about(is_own))?;
            Ok((of_key(&old), made))
        })
    }

    /// Deletes a key: the next request that presents it fails.
    ///
    /// # Errors
    /// [`ManageError::NotFound`], failures of store and accounts; the key then still works.
    pub fn delete_key(&self, id: KeyId) -> Answer<'_, ()> {
        self.change(KEYS, Operation::Delete, move |actor| async move {
            let row = actor.door.keys.stored(&actor.principal, id).await?;
            let row = row.ok_or(ManageError::NotFound)?;
            actor.door.keys.delete(&actor.principal, id).await?;
            Ok((of_key(&row), ()))
        })
    }
}

fn of_key(row: &KeyRow) -> Subject {
    Subject::new(row.id, row.key.owner, row.key.name.as_str())
}

/// Returns the name of an edit in the audit log.
fn operation(edit: &KeyEdit) -> Operation {
    match edit.as_switch() {
        Some(true) => Operation::Enable,
        Some(false) => Operation::Disable,
        None => Operation::Update,
    }
}
