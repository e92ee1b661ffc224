//! Notes on a key's uses since they were last written: the newest login, and the numbers of uses
//! and refusals on the current day.

use apikey_core::{KeyId, LastLogin};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use gatepost_storage::keys::{KeyUse, Login};

/// The metrics of lost notes.
const LOGINS_DROPPED: &str = "gatepost_logins_dropped_total";
const USES_DROPPED: &str = "gatepost_uses_dropped_total";

/// The result for a key that was presented with the right secret.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// The caller was authenticated.
    LoggedIn(LastLogin),
    /// The caller was refused at this time.
    Refused(DateTime<Utc>),
}

/// The notes on one key; empty by default.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Noted {
    login: Option<LastLogin>,
    uses: Option<Uses>,
}

/// Since the last write, which was seconds ago.
#[derive(Clone, Copy, Debug)]
struct Uses {
    day: NaiveDate,
    /// The end of the day.
    until: DateTime<Utc>,
    used: u32,
    refused: u32,
}

/// The notes on many keys to be written.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) logins: Vec<Login>,
    pub(crate) uses: Vec<KeyUse>,
}

impl Noted {
    /// Returns whether nothing was noted since the notes were taken.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.uses.is_none()
    }

    /// Notes the result of a use. If a day has ended since the last use, returns the counts of that
    /// day. If the clock was set back, counting continues on the later day: no day occurs twice.
    #[inline]
    pub(crate) fn add(&mut self, key: KeyId, outcome: Outcome) -> Option<KeyUse> {
        let (at, used, refused) = match outcome {
            Outcome::LoggedIn(login) => {
                if self.login.is_none_or(|old| old.at <= login.at) {
                    self.login = Some(login);
                }
                (login.at, 1, 0)
            }
            Outcome::Refused(at) => (at, 0, 1),
        };
        match &mut self.uses {
            Some(uses) if at < uses.until => {
                uses.used = uses.used.saturating_add(used);
                uses.refused = uses.refused.saturating_add(refused);
                None
            }
            uses => {
                let ended = uses.replace(Uses::on_day_of(at, used, refused));
                ended.map(|ended| ended.of(key))
            }
        }
    }
}

impl Uses {
    fn on_day_of(at: DateTime<Utc>, used: u32, refused: u32) -> Self {
        let day = at.date_naive();
        let next = day.succ_opt().map(|next| next.and_time(NaiveTime::MIN));
        Self {
            day,
            until: next.map_or(DateTime::<Utc>::MAX_UTC, |next| next.and_utc()),
            used,
            refused,
        }
    }

    fn of(self, key: KeyId) -> KeyUse {
        KeyUse {
            key,
            day: self.day,
            used: self.used.into(),
            refused: self.refused.into(),
        }
    }
}

impl Notes {
    /// Creates the notes on one use.
    pub(crate) fn of(key: KeyId, outcome: Outcome) -> Self {
        let (mut notes, mut noted) = (Self::default(), Noted::default());
        noted.add(key, outcome);
        notes.take(key, noted);
        notes
    }

    /// Adds the notes on one key.
    pub(crate) fn take(&mut self, key: KeyId, noted: Noted) {
        let login = noted.login.map(|login| Login { key, login });
        self.logins.extend(login);
        self.uses.extend(noted.uses.map(|uses| uses.of(key)));
    }

    pub(crate) fn append(&mut self, mut more: Self) {
        self.logins.append(&mut more.logins);
        self.uses.append(&mut more.uses);
    }

    /// Counts these as lost.
    pub(crate) fn lose(self) {
        lose_logins(&self.logins);
        lose_uses(&self.uses);
    }
}

/// Counts logins as lost. A later login of the key replaces each.
pub(crate) fn lose_logins(logins: &[Login]) {
    if !logins.is_empty() {
        metrics::counter!(LOGINS_DROPPED).increment(logins.len() as u64);
    }
}

/// Counts uses as lost; they are missing permanently.
pub(crate) fn lose_uses(uses: &[KeyUse]) {
    let lost: u64 = uses.iter().map(|day| day.used + day.refused).sum();
    if lost > 0 {
        metrics::counter!(USES_DROPPED).increment(lost);
    }
}

#[cfg(test)]
mod tests;
