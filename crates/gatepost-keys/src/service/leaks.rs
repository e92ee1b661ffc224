//! Keys that leaked into a text: a commit, a log, a chat message.

use std::collections::{BTreeMap, HashSet};

use apikey_core::{DigestMatch, KeyEdit, KeyId, scan_words};
use chrono::{DurationRound as _, TimeDelta};
use gatepost_ids::AccessLevel;
use gatepost_storage::keys::KeyRow;

use super::key_service::KeyService;
use crate::error::KeyError;
use crate::observer::KeyNoticeKind;
use crate::principal::Principal;

/// The maximum size of a text in bytes.
const LONGEST: usize = 1024 * 1024;
/// The maximum number of different keys that are looked up in a text.
const MOST: usize = 1_000;
/// The period in which one key is reported once.
const HOUR: TimeDelta = TimeDelta::hours(1);

/// The action on keys that were found in a text.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "an instruction: each case has to be carried out"
)]
pub enum OnLeak {
    /// Their owners are notified.
    Report,
    /// They are also disabled.
    Disable,
    /// They are also deleted.
    Delete,
}

impl KeyService {
    /// Returns the keys in a text, with any prefix. Only a whole key with the right secret counts;
    /// a forged key with the id of another one does not. Keys are found as separate words, by the
    /// pattern [`KEY_REGEX`](apikey_core::KEY_REGEX). Keys of older systems have no pattern and are
    /// not found. Each found key is reported to the observer ([`KeyNoticeKind::Leaked`]); any other
    /// action is up to the caller. Neither the text nor a key is stored, logged or named in an
    /// error.
    ///
    /// Only system administrators may call it, since it finds keys of all users.
    ///
    /// # Errors
    /// [`KeyError::Forbidden`], [`KeyError::TextTooLong`] for more than 1 MiB,
    /// [`KeyError::TooManyFound`] for more than 1,000 different keys, and failures of the store.
    pub async fn find_leaked(
        &self,
        actor: &Principal,
        text: &str,
    ) -> Result<Vec<KeyRow>, KeyError> {
        if actor.access != AccessLevel::SystemAdministrator {
            return Err(KeyError::Forbidden);
        }
        if text.len() > LONGEST {
            return Err(KeyError::TextTooLong);
        }
        let (keys, mut seen) = (&self.0.keys, HashSet::new());
        let mut found: BTreeMap<KeyId, KeyRow> = BTreeMap::new();
        for leaked in scan_words(text) {
            let word = text.get(leaked.offset..leaked.offset + leaked.len);
            if !seen.insert(word) {
                continue;
            }
            if seen.len() > MOST {
                return Err(KeyError::TooManyFound);
            }
            let Some(row) = keys.store.key_by_lookup(leaked.key.lookup()).await? else {
                continue;
            };
            let matched = keys.peppers.verify(&leaked.key, &row.key.digest);
            if matches!(matched, DigestMatch::Match { .. }) {
                found.insert(row.id, row);
            }
        }
        let now = keys.clock.now();
        let hour = now.duration_trunc(HOUR).unwrap_or(now);
        for row in found.values() {
            tracing::warn!(key = row.id.0, owner = %row.key.owner, "a key leaked");
            let news = KeyNoticeKind::Leaked { hour };
            self.0.teller.tell(row, news).await;
        }
        Ok(found.into_values().collect())
    }

    /// Finds keys as [`find_leaked`](Self::find_leaked) does, and disables or deletes them. An
    /// expired key is not disabled, since it is invalid already. It is for a platform's own
    /// scanner; an administrator's request goes through `gatepost-manage`, which audits it.
    ///
    /// # Errors
    /// The errors of `find_leaked`. Changes made before a failure of the store persist; the call
    /// can be repeated.
    pub async fn report_leaked(
        &self,
        actor: &Principal,
        text: &str,
        then: OnLeak,
    ) -> Result<Vec<KeyRow>, KeyError> {
        let found = self.find_leaked(actor, text).await?;
        for row in &found {
            let done = match then {
                OnLeak::Report => Ok(()),
                OnLeak::Disable => {
                    let edit = KeyEdit::switch(false);
                    self.edit(actor, row.id, &edit).await.map(drop)
                }
                OnLeak::Delete => self.delete(actor, row.id).await,
            };
            match done {
                // Deleted since it was found, or expired.
                Ok(()) | Err(KeyError::NotFound | KeyError::Edit(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }
}
