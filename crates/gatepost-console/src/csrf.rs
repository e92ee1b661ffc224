//! Tokens that show that a form came from one of our pages, opened in the same session.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// Makes and checks tokens: an HMAC of the session under a secret.
#[derive(Clone)]
pub(crate) struct Csrf(Hmac<Sha256>);

impl Csrf {
    pub(crate) fn new(secret: [u8; 32]) -> Self {
        Self(Hmac::new(&secret.into_padded()))
    }

    pub(crate) fn random() -> Self {
        Self::new(rand::random())
    }

    /// The token of a session.
    pub(crate) fn token(&self, session: &str) -> String {
        URL_SAFE_NO_PAD.encode(self.of(session).finalize().into_bytes())
    }

    /// Whether the token belongs to this session; compared in constant time.
    pub(crate) fn is_token(&self, session: &str, token: &str) -> bool {
        URL_SAFE_NO_PAD
            .decode(token)
            .is_ok_and(|tag| self.of(session).verify_slice(&tag).is_ok())
    }

    fn of(&self, session: &str) -> Hmac<Sha256> {
        let mut mac = self.0.clone();
        mac.update(b"gatepost console\0");
        mac.update(session.as_bytes());
        mac
    }
}

trait Padded {
    /// A key of the digest's block length.
    fn into_padded(self) -> hmac::digest::Key<Hmac<Sha256>>;
}

impl Padded for [u8; 32] {
    fn into_padded(self) -> hmac::digest::Key<Hmac<Sha256>> {
        let mut key = hmac::digest::Key::<Hmac<Sha256>>::default();
        for (place, byte) in key.iter_mut().zip(self) {
            *place = byte;
        }
        key
    }
}

impl fmt::Debug for Csrf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Csrf(…)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_good_for_its_session_and_secret_alone() {
        let csrf = Csrf::new([7; 32]);
        let token = csrf.token("one");
        assert!(csrf.is_token("one", &token));
        assert!(!csrf.is_token("two", &token));
        assert!(!Csrf::new([8; 32]).is_token("one", &token));
        for wrong in ["", "AAAA", token.get(1..).unwrap(), &format!("{token}A")] {
            assert!(!csrf.is_token("one", wrong), "{wrong}");
        }
        assert_eq!(format!("{csrf:?}"), "Csrf(…)");
    }
}
