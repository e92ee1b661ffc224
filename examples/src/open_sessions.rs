//! The sessions that are open: found by their secret, ended after inactivity, and in any case half
//! a day after the login (SPEC 5.1 rule 3). Bounded in number.

use std::collections::HashMap;
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
/// Sessions of a user, and in all; the one that was not used for longest makes room.
const OF_ONE: usize = 100;
const MOST: usize = 10_000;

/// The open sessions of one process.
pub(crate) struct OpenSessions {
    clock: Arc<dyn Clock>,
    began: Instant,
    sessions: Mutex<HashMap<Arc<str>, Session>>,
}

/// A session.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) owner: OwnerId,
    /// The name that the user logged in with.
    pub(crate) name: Arc<str>,
    /// What a form that ends the session carries.
    pub(crate) form_token: Arc<str>,
    opened: Duration,
    used: Duration,
}

impl OpenSessions {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self {
            clock,
            began: Instant::now(),
            sessions: Mutex::default(),
        }
    }

    /// Opens a session and returns its secret, of 256 random bits. It is as rare as a password's
    /// hash is dear, so all sessions are looked at.
    pub(crate) fn open(&self, owner: OwnerId, name: &str) -> Arc<str> {
        let (secret, now) = (random(), self.now());
        let session = Session {
            owner,
            name: name.into(),
            form_token: random(),
            opened: now,
            used: now,
        };
        let mut sessions = self.lock();
        sessions.retain(|_, session| !session.has_ended(now));
        let own = |other: &Session| other.owner == owner;
        if sessions.values().filter(|other| own(other)).count() >= OF_ONE {
            end_longest_unused(&mut sessions, own);
        } else if sessions.len() >= MOST {
            end_longest_unused(&mut sessions, |_| true);
        }
        sessions.insert(secret.clone(), session);
        secret
    }

    /// The session of this secret. A person prolongs it; a page that polls does not.
    pub(crate) fn find(&self, secret: &str, visit: Visit) -> Option<Session> {
        let (mut sessions, now) = (self.lock(), self.now());
        let session = sessions.get_mut(secret)?;
        if session.has_ended(now) {
            sessions.remove(secret);
            return None;
        }
        if visit == Visit::Person {
            session.used = now;
        }
        Some(session.clone())
    }

    /// Ends a session, if there is one.
    pub(crate) fn end(&self, secret: &str) -> Option<Session> {
        let ended = self.lock().remove(secret);
        ended.filter(|session| !session.has_ended(self.now()))
    }

    /// Time since the start, whatever the clock is set to.
    fn now(&self) -> Duration {
        let passed = self.clock.passed();
        passed.unwrap_or_else(|| self.began.elapsed())
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Arc<str>, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
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

fn end_longest_unused(sessions: &mut HashMap<Arc<str>, Session>, of: impl Fn(&Session) -> bool) {
    let those = sessions.iter().filter(|(_, session)| of(session));
    let longest = those.min_by_key(|(_, session)| session.used);
    if let Some(secret) = longest.map(|(secret, _)| secret.clone()) {
        sessions.remove(&secret);
    }
}

/// 256 random bits.
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
    fn a_person_prolongs_a_session_to_half_a_day_and_a_poll_does_not() {
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
    fn sessions_are_bounded_for_a_user_and_in_all() {
        let (open, clock) = sessions();
        let other = open.open(OwnerId(2), "b");
        let first = open.open(OwnerId(1), "a");
        clock.advance(MINUTE);
        for _ in 0..OF_ONE {
            open.open(OwnerId(1), "a");
        }
        assert!(open.find(&first, Visit::Person).is_none());
        assert!(
            open.find(&other, Visit::Person).is_some(),
            "of another user"
        );
        let mut sessions = open.lock();
        let session = sessions[&other].clone();
        for number in sessions.len()..MOST {
            sessions.insert(number.to_string().into(), session.clone());
        }
        drop(sessions);
        open.open(OwnerId(3), "c");
        assert_eq!(open.lock().len(), MOST);
        clock.advance(12 * 60 * MINUTE);
        open.open(OwnerId(3), "c");
        assert_eq!(open.lock().len(), 1, "those that ended have left");
    }
}
