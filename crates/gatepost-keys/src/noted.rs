//! What came of a key's uses since it was last written: the newest login, and how often it was used
//! and refused on the present day.

use apikey_core::{KeyId, LastLogin};
use chrono::{DateTime, NaiveDate, NaiveTime, Utc};
use gatepost_storage::keys::{KeyUse, Login};

/// The metrics of what is lost.
const LOGINS_DROPPED: &str = "gatepost_logins_dropped_total";
const USES_DROPPED: &str = "gatepost_uses_dropped_total";

/// A key was presented by one who has its secret.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Outcome {
    /// It let its caller in.
    LoggedIn(LastLogin),
    /// It did not, at this time.
    Refused(DateTime<Utc>),
}

/// Of one key; empty by default.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Noted {
    login: Option<LastLogin>,
    uses: Option<Uses>,
}

/// Since this was last written, within seconds.
#[derive(Clone, Copy, Debug)]
struct Uses {
    day: NaiveDate,
    /// When the day ends.
    until: DateTime<Utc>,
    used: u32,
    refused: u32,
}

/// What is to be written of many keys.
#[derive(Debug, Default)]
pub(crate) struct Notes {
    pub(crate) logins: Vec<Login>,
    pub(crate) uses: Vec<KeyUse>,
}

impl Noted {
    /// Whether nothing was noted since it was taken.
    #[inline]
    pub(crate) fn is_empty(&self) -> bool {
        self.uses.is_none()
    }

    /// Notes what came of a use. Where a day has ended since the last, returns what was counted on
    /// it. A clock that was set back counts on with the later day: no day comes twice.
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
    /// What came of one use.
    pub(crate) fn of(key: KeyId, outcome: Outcome) -> Self {
        let (mut notes, mut noted) = (Self::default(), Noted::default());
        noted.add(key, outcome);
        notes.take(key, noted);
        notes
    }

    /// Takes what was noted of a key.
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

/// Counts logins as lost: a later one of the key replaces it.
pub(crate) fn lose_logins(logins: &[Login]) {
    if !logins.is_empty() {
        metrics::counter!(LOGINS_DROPPED).increment(logins.len() as u64);
    }
}

/// Counts uses as lost: they are missing for good.
pub(crate) fn lose_uses(uses: &[KeyUse]) {
    let lost: u64 = uses.iter().map(|day| day.used + day.refused).sum();
    if lost > 0 {
        metrics::counter!(USES_DROPPED).increment(lost);
    }
}

#[cfg(test)]
mod tests;
