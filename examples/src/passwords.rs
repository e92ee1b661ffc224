//! The passwords of the platform's users, as Argon2id hashes.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::fmt::Write as _;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use gatepost_ids::{OwnerId, trim_pasted};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use subtle::ConstantTimeEq;
use tokio::sync::Semaphore;

use crate::processors;

/// Passwords that wait for their turn; more are not looked at.
const WAITING: usize = 32;
/// Bytes of a password, and of a name.
const LONGEST: usize = 1024;
/// The cost of a hash: of the parameters that OWASP gives as equally strong, those with the least
/// memory. Guesses take it from everybody else's requests.
const MEMORY_KIB: u32 = 7 * 1024;
const PASSES: u32 = 5;
const QUEUES: u32 = 1;

/// A password that was made up or given. `Debug` does not show it.
#[derive(Clone, Eq, PartialEq)]
pub struct Password(String);

impl Password {
    /// Returns a new password of 80 random bits.
    #[must_use]
    pub fn random() -> Self {
        Self(format!("{:020x}", rand::random::<u128>() >> 48))
    }

    /// Returns the text, to show it to its user.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

/// The reason why nobody could log in with a text as the password.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
#[non_exhaustive]
pub enum PasswordError {
    /// It has a control character, which a browser's field and a header cannot hold.
    Control,
    /// Only white space, which is dropped.
    Empty,
    /// A login does not look at a longer password.
    TooLong,
}

impl fmt::Display for PasswordError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Control => f.write_str("has a line break or another control character"),
            Self::Empty => f.write_str("is empty"),
            Self::TooLong => write!(f, "is longer than {LONGEST} bytes"),
        }
    }
}

impl std::error::Error for PasswordError {}

/// Surrounding white space is dropped ([`trim_pasted`]), as a login does.
impl FromStr for Password {
    type Err = PasswordError;

    fn from_str(text: &str) -> Result<Self, PasswordError> {
        let text = trim_pasted(text);
        if text.is_empty() {
            Err(PasswordError::Empty)
        } else if text.len() > LONGEST {
            Err(PasswordError::TooLong)
        } else if text.contains(char::is_control) {
            Err(PasswordError::Control)
        } else {
            Ok(Self(text.to_owned()))
        }
    }
}

impl fmt::Debug for Password {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Password(…)")
    }
}

/// The result of an attempt.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Judged {
    /// It is the user's password.
    Good,
    /// It is not, or there is no such user.
    Wrong,
    /// Too many wait for an answer; this one was not looked at.
    Busy,
}

/// The user of a name and a password.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Checked {
    /// This user's.
    Good(OwnerId),
    /// Nobody's.
    Wrong,
    /// Too many wait for an answer; they were not looked at.
    Busy,
}

impl From<Option<OwnerId>> for Checked {
    fn from(owner: Option<OwnerId>) -> Self {
        owner.map_or(Self::Wrong, Self::Good)
    }
}

/// The hashes, by the users' names.
#[derive(Clone)]
pub struct Passwords {
    hashes: Arc<BTreeMap<String, String>>,
    known: Arc<Known>,
    turns: Arc<Semaphore>,
    line: Arc<Semaphore>,
}

/// The passwords that were good once, so that a client that sends its password with every request
/// waits for one hash only: a keyed digest for each user, lost with the process.
struct Known {
    key: [u8; 64],
    good: Mutex<HashMap<String, [u8; 32]>>,
}

impl fmt::Debug for Passwords {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.hashes.keys()).finish()
    }
}

impl Default for Passwords {
    fn default() -> Self {
        Self::of(BTreeMap::new())
    }
}

impl Passwords {
    /// Reads the output of [`lines`](Self::lines); other lines are left out.
    #[must_use]
    pub fn parse(lines: &str) -> Self {
        let lines = lines.lines().filter_map(|line| line.split_once(':'));
        let good = lines.filter(|(_, hash)| PasswordHash::new(hash).is_ok());
        Self::of(good.map(|(a, b)| (a.to_owned(), b.to_owned())).collect())
    }

    fn of(hashes: BTreeMap<String, String>) -> Self {
        let known = Known {
            key: std::array::from_fn(|_| rand::random()),
            good: Mutex::default(),
        };
        // Each takes a processor.
        let at_once = processors::half();
        Self {
            hashes: Arc::new(hashes),
            known: Arc::new(known),
            turns: Arc::new(Semaphore::new(at_once)),
            line: Arc::new(Semaphore::new(at_once + WAITING)),
        }
    }

    /// Returns one line for each user: the name, a colon, the hash as a PHC string.
    #[must_use]
    pub fn lines(&self) -> String {
        let mut lines = String::new();
        for (name, hash) in &*self.hashes {
            let _ = writeln!(lines, "{name}:{hash}");
        }
        lines
    }

    /// Returns whether the user has a password.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.hashes.contains_key(name)
    }

    /// Gives the user this password. Takes as long as a hash does.
    ///
    /// # Errors
    /// If it cannot be hashed: the system has no random bytes.
    pub fn set(&mut self, name: &str, password: &Password) -> Result<(), argon2::Error> {
        let costs = Params::new(MEMORY_KIB, PASSES, QUEUES, None)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, costs);
        let hashed = argon2.hash_password(password.expose().as_bytes());
        let hashed: PasswordHash = hashed.map_err(|_| argon2::Error::OutOfMemory)?;
        let mut hashes = (*self.hashes).clone();
        hashes.insert(name.to_owned(), hashed.to_string());
        *self = Self::of(hashes);
        Ok(())
    }

    /// Returns whether this is the user's password, without the digests of good passwords; blocks.
    #[must_use]
    pub fn verify(&self, name: &str, password: &str) -> bool {
        // An unknown name takes as long as a known one: anybody's hash will do.
        let own = self.hashes.get(name);
        let hash = own.or_else(|| self.hashes.values().next());
        let Some(hash) = hash.and_then(|hash| PasswordHash::new(hash).ok()) else {
            return false;
        };
        let verified = Argon2::default().verify_password(password.as_bytes(), &hash);
        verified.is_ok() && own.is_some()
    }

    /// Checks a password, off the async workers, on half of the processors. One that was good
    /// before costs a digest.
    pub async fn judge(&self, name: &str, password: &str) -> Judged {
        let (name, password) = (trim_pasted(name), trim_pasted(password));
        if password.len() > LONGEST || name.len() > LONGEST {
            return Judged::Wrong;
        }
        if self.known.is_good(name, password) {
            return Judged::Good;
        }
        let Ok(_place) = self.line.clone().try_acquire_owned() else {
            return Judged::Busy;
        };
        let Ok(turn) = self.turns.clone().acquire_owned().await else {
            return Judged::Busy;
        };
        let (own, name, password) = (self.clone(), name.to_owned(), password.to_owned());
        let judged = tokio::task::spawn_blocking(move || {
            // Held until the work ends, even if nobody waits for the result any more.
            let _turn = turn;
            let good = own.verify(&name, &password);
            if good {
                own.known.learn(&name, &password);
            }
            good
        });
        match judged.await {
            Ok(true) => Judged::Good,
            Ok(false) => Judged::Wrong,
            Err(_) => Judged::Busy,
        }
    }
}

#[cfg(test)]
impl Passwords {
    /// Takes all permits to wait, until the returned value is dropped.
    pub(crate) async fn crowd(&self) -> tokio::sync::OwnedSemaphorePermit {
        let all = u32::try_from(processors::half() + WAITING).unwrap();
        self.line.clone().acquire_many_owned(all).await.unwrap()
    }
}

impl Known {
    fn is_good(&self, name: &str, password: &str) -> bool {
        let good = self.good.lock().unwrap_or_else(PoisonError::into_inner);
        let digest = good.get(name).copied();
        drop(good);
        digest.is_some_and(|known| known.ct_eq(&self.digest(name, password)).into())
    }

    fn learn(&self, name: &str, password: &str) {
        let digest = self.digest(name, password);
        let mut good = self.good.lock().unwrap_or_else(PoisonError::into_inner);
        good.insert(name.to_owned(), digest);
    }

    fn digest(&self, name: &str, password: &str) -> [u8; 32] {
        let mut digest = <Hmac<Sha256> as KeyInit>::new(&self.key.into());
        digest.update(name.as_bytes());
        digest.update(&[0]);
        digest.update(password.as_bytes());
        digest.finalize().into_bytes().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passwords() -> Passwords {
        let mut passwords = Passwords::default();
        passwords
            .set("tina", &"open sesame".parse().unwrap())
            .unwrap();
        passwords.set("ulf", &Password::random()).unwrap();
        passwords
    }

    #[tokio::test]
    async fn password_is_stored_only_as_hash() {
        let written = passwords().lines();
        assert!(
            !written.contains("sesame") && written.contains("tina:$argon2id$"),
            "{written}"
        );
        let read = Passwords::parse(&written);
        for _ in 0..2 {
            assert_eq!(read.judge("tina", "open sesame").await, Judged::Good);
            for (name, password) in [
                ("tina", "open"),
                ("ulf", "open sesame"),
                ("otto", "open sesame"),
                ("tina", ""),
            ] {
                assert_eq!(
                    read.judge(name, password).await,
                    Judged::Wrong,
                    "{name} {password}"
                );
            }
        }
        assert_eq!(Passwords::default().judge("tina", "").await, Judged::Wrong);
    }

    #[tokio::test]
    async fn password_that_is_set_logs_in() {
        let longest = "x".repeat(LONGEST);
        for typed in ["s3cret", " s3cret\r\n", "\u{feff}s3 cret", &longest] {
            let mut passwords = Passwords::default();
            passwords.set("tina", &typed.parse().unwrap()).unwrap();
            for (name, password) in [("tina", typed), ("tina\n", trim_pasted(typed))] {
                assert_eq!(
                    passwords.judge(name, password).await,
                    Judged::Good,
                    "{typed:?}"
                );
            }
        }
        for (wrong, why) in [
            ("", PasswordError::Empty),
            (" \u{feff}\n", PasswordError::Empty),
            (&*format!("{longest}x"), PasswordError::TooLong),
            ("a\nb", PasswordError::Control),
            ("a\0b", PasswordError::Control),
        ] {
            assert_eq!(wrong.parse::<Password>(), Err(why), "{wrong:?}");
        }
    }

    #[tokio::test]
    async fn password_checks_beyond_capacity_are_busy_unless_known() {
        let passwords = passwords();
        assert_eq!(passwords.judge("tina", "open sesame").await, Judged::Good);
        let line = passwords.crowd().await;
        assert_eq!(passwords.judge("tina", "guess").await, Judged::Busy);
        assert_eq!(passwords.judge("tina", "open sesame").await, Judged::Good);
        drop(line);
        assert_eq!(passwords.judge("tina", "guess").await, Judged::Wrong);
    }

    #[test]
    fn nothing_shows_a_password_or_a_hash() {
        let shown = format!(
            "{:?} {:?}",
            passwords(),
            "open sesame".parse::<Password>().unwrap()
        );
        assert_eq!(shown, r#"{"tina", "ulf"} Password(…)"#);
    }
}
