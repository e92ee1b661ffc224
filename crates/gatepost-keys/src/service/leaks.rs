//! Keys that got into a text: a commit, a log, a chat message.

use std::collections::{BTreeMap, HashSet};

use apikey_core::{DigestMatch, KeyEdit, KeyId, scan_words};
use chrono::{DurationRound as _, TimeDelta};
use gatepost_ids::AccessLevel;
use gatepost_storage::keys::KeyRow;

use super::key_service::KeyService;
use crate::error::KeyError;
use crate::observe::KeyNews;
use crate::principal::Principal;

/// Bytes of a text.
const LONGEST: usize = 1024 * 1024;
/// Different keys in a text that are looked up.
const MOST: usize = 1_000;
/// How often one key is reported.
const HOUR: TimeDelta = TimeDelta::hours(1);

/// What becomes of keys that were found in a text.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "an instruction: each case has to be carried out"
)]
pub enum OnLeak {
    /// Their owners are notified.
    Report,
    /// They are disabled, too.
    Disable,
    /// They are deleted, too.
    Delete,
}

impl KeyService {
    /// Which keys are in a text: of any prefix, and each of them the whole key, whose secret is
    /// right; a made-up one that bears the id of another is none. They are found where they stand
    /// as words, as [`KEY_REGEX`](apikey_core::KEY_REGEX) finds them. Keys of older systems have no
    /// form by which they could be found. Each is reported to the observer
    /// ([`KeyNews::Leaked`]); what else becomes of them is up to the caller. Neither the text nor a
    /// key is stored, logged or named in an error.
    ///
    /// Only for system administrators: keys of all users are found.
    ///
    /// # Errors
    /// [`KeyError::Forbidden`], [`KeyError::TextTooLong`] of more than 1 MiB,
    /// [`KeyError::TooManyFound`] of more than 1,000 different keys, and failures of the store.
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
            let news = KeyNews::Leaked { hour };
            self.0.teller.tell(row, news).await;
        }
        Ok(found.into_values().collect())
    }

    /// As [`find_leaked`](Self::find_leaked), and disables or deletes what was found. An expired
    /// key opens nothing: it is not disabled. For a platform's own scanner; an administrator's
    /// request goes through `gatepost-manage`, which audits it.
    ///
    /// # Errors
    /// As there. What was done before a failure of the store stays done; it can be called again.
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
                // Gone since it was found, or expired.
                Ok(()) | Err(KeyError::NotFound | KeyError::Edit(_)) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(found)
    }
}
