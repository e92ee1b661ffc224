//! Tokens of forms: proof that a form came from a page of the console in the same session, and that
//! it is submitted only once.

use std::collections::{HashSet, VecDeque};
use std::fmt;
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The number of used tickets that are remembered; an older one could be used again.
const REMEMBERED: usize = 10_000;
/// The length of a ticket as text.
const LENGTH: usize = 22;

/// The source of tokens: a token is a masked HMAC of the session under a secret.
#[derive(Clone)]
pub(crate) struct Csrf(Hmac<Sha256>);

impl Csrf {
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        // A key of the digest's block length.
        let mut key = hmac::digest::Key::<Hmac<Sha256>>::default();
        for (place, byte) in key.iter_mut().zip(secret) {
            *place = byte;
        }
        Self(Hmac::new(&key))
    }

    pub(crate) fn random() -> Self {
        Self::new(rand::random())
    }

    /// Returns a token of a session: a random pad, and the HMAC masked with it. With the same token
    /// in all pages, the length of compressed pages would reveal it (BREACH).
    pub(crate) fn token(&self, session: &str) -> String {
        let pad: [u8; 32] = rand::random();
        let tag: [u8; 32] = self.of(session).finalize().into_bytes().into();
        URL_SAFE_NO_PAD.encode([pad, xor(pad, tag)].concat())
    }

    /// Whether the token belongs to this session; compared in constant time.
    pub(crate) fn is_token(&self, session: &str, token: &str) -> bool {
        let token = URL_SAFE_NO_PAD.decode(token).unwrap_or_default();
        let (Some(pad), Some(masked), 64) = (token.first_chunk(), token.last_chunk(), token.len())
        else {
            return false;
        };
        let tag = xor(*pad, *masked);
        self.of(session).verify_slice(&tag).is_ok()
    }

    fn of(&self, session: &str) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(b"gatepost console\0");
        mac.update(session.as_bytes());
        mac
    }
}

fn xor(pad: [u8; 32], text: [u8; 32]) -> [u8; 32] {
    std::array::from_fn(|at| pad[at] ^ text[at])
}

impl fmt::Debug for Csrf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Csrf(…)")
    }
}

/// The tickets that were used in this process. Another node accepts a second use, but the name of
/// the key, which is already taken, makes the store refuse it.
#[derive(Debug, Default)]
pub(crate) struct Tickets(Mutex<Used>);

#[derive(Debug, Default)]
struct Used {
    known: HashSet<String>,
    oldest: VecDeque<String>,
}

impl Tickets {
    /// Returns a new ticket for a form.
    pub(crate) fn issue() -> String {
        URL_SAFE_NO_PAD.encode(rand::random::<[u8; 16]>())
    }

    /// Uses up a ticket; `false` if it was used before or is not one.
    pub(crate) fn take(&self, ticket: &str) -> bool {
        if ticket.len() != LENGTH {
            return false;
        }
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !used.known.insert(ticket.to_owned()) {
            return false;
        }
        used.oldest.push_back(ticket.to_owned());
        if used.oldest.len() > REMEMBERED
            && let Some(oldest) = used.oldest.pop_front()
        {
            used.known.remove(&oldest);
        }
        true
    }

    /// Makes a ticket valid again because the operation failed.
    pub(crate) fn put_back(&self, ticket: &str) {
        let mut used = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        used.known.remove(ticket);
        used.oldest.retain(|other| other != ticket);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn csrf_token_is_bound_to_session_and_secret() {
        let csrf = Csrf::new([7; 32]);
        let token = csrf.token("one");
        assert!(csrf.is_token("one", &token));
        let other = csrf.token("one");
        assert!(
            csrf.is_token("one", &other)
                && other[43..] != token[43..]
                && other[..43] != token[..43]
        );
        assert!(!csrf.is_token("two", &token));
        assert!(!Csrf::new([8; 32]).is_token("one", &token));
        for wrong in ["", "AAAA", token.get(1..).unwrap(), &format!("{token}A")] {
            assert!(!csrf.is_token("one", wrong), "{wrong}");
        }
        assert_eq!(format!("{csrf:?}"), "Csrf(…)");
    }

    #[test]
    fn ticket_is_single_use_unless_put_back() {
        let tickets = Tickets::default();
        let ticket = Tickets::issue();
        assert!(tickets.take(&ticket));
        assert!(!tickets.take(&ticket));
        tickets.put_back(&ticket);
        assert!(tickets.take(&ticket));
        assert!(!tickets.take(""));
    }

    #[test]
    fn the_number_of_remembered_tickets_is_bounded() {
        let tickets = Tickets::default();
        for _ in 0..REMEMBERED + 500 {
            assert!(tickets.take(&Tickets::issue()));
        }
        let used = tickets.0.lock().unwrap();
        assert_eq!(
            (used.known.len(), used.oldest.len()),
            (REMEMBERED, REMEMBERED)
        );
    }
}
