//! The sender of a request, as far as it is known before the request is worked on.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::{HeaderMap, Response, StatusCode};
use gatepost_keys::{OwnerId, Principal};

/// The headers that carry credentials: keys and passwords, the tokens of the API, the console's
/// sessions.
const CREDENTIALS: [&str; 3] = ["authorization", "x-yottabyte-token", "cookie"];
/// Credentials that are remembered of one network, and of one user among them.
const REMEMBERED: usize = 1024;
const OF_USER: usize = 16;

/// The caller that gets a turn.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Caller {
    /// All whose credentials have not been accepted here before: a client may make up any number.
    Unknown,
    User(OwnerId),
}

/// The credentials that were accepted from one network, and their users. They are kept as hashes of
/// 64 bits, under a key that is random for each network.
#[derive(Debug, Default)]
pub(super) struct Callers {
    hasher: RandomState,
    accepted: Mutex<Accepted>,
}

#[derive(Debug, Default)]
struct Accepted {
    /// Counts uses.
    uses: u64,
    /// The user of a credential, and its last use.
    users: HashMap<u64, (OwnerId, u64)>,
}

/// A hash of the credential that a request presents.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) struct Credential(u64);

impl Callers {
    /// Returns the request's credential; `None` if it presents none. If it presents several kinds,
    /// the first of the list counts: a client cannot look like a new user by adding random ones to
    /// each request.
    pub(super) fn credential(&self, headers: &HeaderMap) -> Option<Credential> {
        let name = CREDENTIALS
            .iter()
            .find(|name| headers.contains_key(**name))?;
        let mut hasher = self.hasher.build_hasher();
        for value in headers.get_all(*name) {
            (name, value.as_bytes()).hash(&mut hasher);
        }
        Some(Credential(hasher.finish()))
    }

    pub(super) fn caller(&self, credential: Option<Credential>) -> Caller {
        let mut accepted = self.accepted();
        let user = credential.and_then(|presented| accepted.used(presented));
        user.map_or(Caller::Unknown, Caller::User)
    }

    /// Notes from a response which user the credential belongs to, or that it is no longer valid;
    /// returns the caller.
    pub(super) fn learn<B>(
        &self,
        credential: Option<Credential>,
        response: &Response<B>,
    ) -> Caller {
        let Some(credential) = credential else {
            return Caller::Unknown;
        };
        let mut accepted = self.accepted();
        if let Some(principal) = response.extensions().get::<Principal>() {
            accepted.remember(credential, principal.owner);
            return Caller::User(principal.owner);
        }
        if response.status() == StatusCode::UNAUTHORIZED {
            accepted.users.remove(&credential.0);
        }
        Caller::Unknown
    }

    fn accepted(&self) -> MutexGuard<'_, Accepted> {
        self.accepted.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Accepted {
    fn used(&mut self, credential: Credential) -> Option<OwnerId> {
        self.uses += 1;
        let (user, last) = self.users.get_mut(&credential.0)?;
        *last = self.uses;
        Some(*user)
    }

    /// Replaces the credential that was not used for longest if there are too many: one of this
    /// user's, if the user has many.
    fn remember(&mut self, credential: Credential, user: OwnerId) {
        self.uses += 1;
        if !self.users.contains_key(&credential.0) {
            let own = self.users.values().filter(|(whose, _)| *whose == user);
            if own.count() >= OF_USER {
                self.forget_oldest(|whose| whose == user);
            } else if self.users.len() >= REMEMBERED {
                self.forget_oldest(|_| true);
            }
        }
        self.users.insert(credential.0, (user, self.uses));
    }

    fn forget_oldest(&mut self, of: impl Fn(OwnerId) -> bool) {
        let those = self.users.iter().filter(|(_, (whose, _))| of(*whose));
        let oldest = those.min_by_key(|(_, (_, last))| *last);
        if let Some(oldest) = oldest.map(|(credential, _)| *credential) {
            self.users.remove(&oldest);
        }
    }
}

#[cfg(test)]
mod tests;
