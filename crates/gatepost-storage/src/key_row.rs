//! The effect of inserts, edits, rolls and logins on a key's row: the rules of
//! [`KeyStore`](crate::KeyStore) for a backend that reads and writes whole rows.

use apikey_core::{ApiKey, Expiration, KeyId, LastLogin};
use chrono::{DateTime, SubsecRound as _, Utc};

use crate::error::{ErrorKind, StoreError};
use crate::keys::{KeyRow, Rolled};
use crate::page::Revision;

impl KeyRow {
    /// Creates the row of a new key.
    #[must_use]
    pub fn inserted(id: KeyId, key: &ApiKey, rolled: Rolled) -> Self {
        let mut key = key.clone();
        key.created = micros(key.created);
        key.last_login = key.last_login.map(login_micros);
        key.expiration = expiration_micros(key.expiration);
        Self {
            id,
            revision: Revision::FIRST,
            key,
            rolled,
        }
    }

    /// Returns this row after [`update_key`](crate::KeyStore::update_key) with `shown`. The backend
    /// must check that the name is free.
    ///
    /// # Errors
    /// `Stale` if the revisions differ.
    pub fn edited_by(&self, shown: &Self) -> Result<Self, StoreError> {
        self.is_shown_by(shown)?;
        // No `..`: if you add a field, decide here whether an edit changes it.
        let ApiKey {
            owner: _,
            lookup: _,
            masked: _,
            digest,
            name,
            description,
            expiration,
            ip,
            grant,
            limit,
            enabled,
            locked,
            created: _,
            last_login: _,
        } = &shown.key;
        Ok(Self {
            revision: self.revision.next(),
            key: ApiKey {
                digest: *digest,
                name: name.clone(),
                description: description.clone(),
                expiration: expiration_micros(*expiration),
                ip: ip.clone(),
                grant: grant.clone(),
                limit: *limit,
                enabled: *enabled,
                locked: *locked,
                ..self.key.clone()
            },
            ..self.clone()
        })
    }

    /// Returns this row after [`roll_key`](crate::KeyStore::roll_key) with `shown`, except for
    /// `rolled.to`, the number of the new key, which the backend sets. The backend must check that
    /// both have the same owner.
    ///
    /// # Errors
    /// `Stale` if the revisions differ.
    pub fn rolled_by(&self, shown: &Self) -> Result<Self, StoreError> {
        self.is_shown_by(shown)?;
        let mut ended = self.clone();
        ended.revision = self.revision.next();
        ended.key.expiration = expiration_micros(shown.key.expiration);
        Ok(ended)
    }

    /// Records a login unless a newer one is known. Returns whether it was the newest.
    pub fn log_in(&mut self, login: LastLogin) -> bool {
        let login = login_micros(login);
        let newest = self.key.last_login.is_none_or(|old| old.at < login.at);
        if newest {
            self.key.last_login = Some(login);
        }
        newest
    }

    fn is_shown_by(&self, shown: &Self) -> Result<(), StoreError> {
        if self.revision != shown.revision {
            return Err(StoreError::new(ErrorKind::Stale, "key"));
        }
        Ok(())
    }
}

fn micros(time: DateTime<Utc>) -> DateTime<Utc> {
    time.trunc_subsecs(6)
}

fn login_micros(login: LastLogin) -> LastLogin {
    LastLogin {
        at: micros(login.at),
        ..login
    }
}

fn expiration_micros(expiration: Expiration) -> Expiration {
    match expiration {
        Expiration::At(at) => Expiration::At(micros(at)),
        Expiration::Never => Expiration::Never,
    }
}
