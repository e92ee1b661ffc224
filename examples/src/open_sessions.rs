//! The open sessions: found by their secret, ended after inactivity, and in any case half a day
//! after the login (SPEC 5.1 rule 3). Their number is bounded, and each new session removes a few
//! that have ended.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use gatepost_keys::Visit;
use gatepost_storage::Clock;
use tokio::time::Instant;
use webhook_model::OwnerId;

/// How long a session lasts without a person's request.
const IDLE: Duration = Duration::from_secs(30 * 60);
/// How long it lasts at most.
const LONGEST: Duration = Duration::from_secs(12 * 60 * 60);
/// Sessions of a user; a further one ends the oldest.
const OF_ONE: usize = 100;
/// Sessions in all.
const MOST: usize = 10_000;
/// Sessions that are looked at when one is opened. If all are alive and there are too many, the one
/// of these that was not used for longest ends.
const STEP: usize = 8;

/// The open sessions of one process.
pub(crate) struct OpenSessions {
    clock: Arc<dyn Clock>,
    began: Instant,
    table: Mutex<Table>,
}

/// A session.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) owner: OwnerId,
    /// The name that the user logged in with.
    pub(crate) name: Arc<str>,
    /// The token in a form that ends the session.
    pub(crate) form_token: Arc<str>,
    opened: Duration,
    used: Duration,
}

#[derive(Default)]
struct Table {
    sessions: HashMap<Arc<str>, Session>,
    of_users: HashMap<OwnerId, VecDeque<Arc<str>>>,
    /// All open sessions, and some that have ended; a session that was looked at goes to the end.
    line: VecDeque<Arc<str>>,
}

impl OpenSessions {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            began: Instant::now(),
            table: Mutex::default(),
        }
    }

    /// Opens a session and returns its secret, of 256 random bits.
    pub(crate) fn open(&self, owner: OwnerId, name: &str) -> Arc<str> {
        let (secret, now) = (random(), self.now());
        let session = Session {
            owner,
            name: name.into(),
            form_token: random(),
            opened: now,
            used: now,
        };
        let mut table = self.lock();
        table.trim(now);
        table.make_room_for(owner);
        table
            .of_users
            .entry(owner)
            .or_default()
            .push_back(secret.clone());
        table.line.push_back(secret.clone());
        table.sessions.insert(secret.clone(), session);
        secret
    }

    /// Returns the session of this secret. A person's request prolongs it; a page that polls does
    /// not.
    pub(crate) fn find(&self, secret: &str, visit: Visit) -> Option<Session> {
        let (mut table, now) = (self.lock(), self.now());
        let session = table.sessions.get_mut(secret)?;
        if session.has_ended(now) {
            table.end(secret);
            return None;
        }
        if visit == Visit::Person {
            session.used = now;
        }
        Some(session.clone())
    }

    /// Ends a session, if there is one.
    pub(crate) fn end(&self, secret: &str) -> Option<Session> {
        let (mut table, now) = (self.lock(), self.now());
        table.end(secret).filter(|session| !session.has_ended(now))
    }

    /// Returns the time since the start, which does not depend on the clock.
    fn now(&self) -> Duration {
        let passed = self.clock.passed();
        passed.unwrap_or_else(|| self.began.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for OpenSessions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OpenSessions(…)")
    }
}

impl Session {
    fn has_ended(&self, now: Duration) -> bool {
        now.saturating_sub(self.used) >= IDLE || now.saturating_sub(self.opened) >= LONGEST
    }
}

impl Table {
    /// Looks at the next few: removes those that have ended, and one more if there are too many.
    fn trim(&mut self, now: Duration) {
        let mut longest_unused: Option<(Duration, Arc<str>)> = None;
        for _ in 0..STEP.min(self.line.len()) {
            let Some(secret) = self.line.pop_front() else {
                break;
            };
            let Some(session) = self.sessions.get(&secret) else {
                continue;
            };
            if session.has_ended(now) {
                self.end(&secret);
                continue;
            }
            let used = session.used;
            if longest_unused
                .as_ref()
                .is_none_or(|(least, _)| used < *least)
            {
                longest_unused = Some((used, secret.clone()));
            }
            self.line.push_back(secret);
        }
        if self.sessions.len() >= MOST
            && let Some((_, secret)) = longest_unused
        {
            self.end(&secret);
        }
    }

    fn make_room_for(&mut self, owner: OwnerId) {
        let own = self.of_users.get(&owner);
        let oldest = own
            .filter(|own| own.len() >= OF_ONE)
            .and_then(|own| own.front());
        if let Some(oldest) = oldest.cloned() {
            self.end(&oldest);
        }
    }

    fn end(&mut self, secret: &str) -> Option<Session> {
        let session = self.sessions.remove(secret)?;
        if let Some(own) = self.of_users.get_mut(&session.owner) {
            own.retain(|other| **other != *secret);
            if own.is_empty() {
                self.of_users.remove(&session.owner);
            }
        }
        Some(session)
    }
}

/// Returns 256 random bits.
fn random() -> Arc<str> {
    let halves = (rand::random::<u128>(), rand::random::<u128>());
    format!("{:032x}{:032x}", halves.0, halves.1).into()
}

#[cfg(test)]
mod tests {
    use gatepost_storage::ManualClock;

    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    fn sessions() -> (OpenSessions, Arc<ManualClock>) {
        let clock = Arc::new(ManualClock::at("2026-01-01T00:00:00Z".parse().unwrap()));
        (OpenSessions::new(clock.clone()), clock)
    }

    #[test]
    fn session_is_extended_by_person_not_by_poll() {
        let (open, clock) = sessions();
        let (person, poll) = (open.open(OwnerId(1), "a"), open.open(OwnerId(1), "a"));
        for minutes in (10..720).step_by(10) {
            clock.advance(10 * MINUTE);
            assert!(open.find(&person, Visit::Person).is_some(), "{minutes}");
            let alive = open.find(&poll, Visit::Poll).is_some();
            assert_eq!(alive, minutes < 30, "{minutes}");
        }
        clock.advance(10 * MINUTE);
        assert!(open.find(&person, Visit::Person).is_none());
    }

    #[test]
    fn sessions_are_bounded_per_user_and_in_total() {
        let (open, clock) = sessions();
        let other = open.open(OwnerId(2), "b");
        let first = open.open(OwnerId(1), "a");
        for _ in 0..OF_ONE {
            open.open(OwnerId(1), "a");
        }
        assert!(open.find(&first, Visit::Person).is_none());
        assert!(
            open.find(&other, Visit::Person).is_some(),
            "of another user"
        );
        for user in 0..30_000 {
            open.open(OwnerId(user), "c");
        }
        let table = open.lock();
        assert_eq!(table.sessions.len(), MOST);
        assert!(table.line.len() < 2 * MOST && table.of_users.len() <= MOST);
        drop(table);
        clock.advance(12 * 60 * MINUTE);
        for _ in 0..2 * MOST {
            let secret = open.open(OwnerId(1), "a");
            assert!(open.end(&secret).is_some());
        }
        assert!(open.lock().sessions.is_empty() && open.lock().line.len() < MOST);
    }
}
