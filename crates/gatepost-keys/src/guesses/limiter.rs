//! The limiter, for the layer and for a platform's login page.

use std::net::IpAddr;
use std::sync::Arc;

use gatepost_storage::Clock;

use super::attempt::{Attempt, RetryAfter};
use super::counters::Book;
use super::limits::GuessLimits;

/// The limiter of guesses, one for each process, from
/// [`KeyService::guesses`](crate::KeyService::guesses). Cheap to clone. The layer uses it
/// automatically; a login page of the platform must ask it before it checks a password:
///
/// ```
/// # use std::net::IpAddr;
/// use gatepost_keys::{GuessLimiter, RetryAfter};
///
/// fn log_in(guesses: &GuessLimiter, name: &str, password: &str, from: IpAddr) -> Result<bool, RetryAfter> {
///     let attempt = guesses.attempt(name, from)?; // an error is a 429: the password is not checked
///     let is_right = check(name, password);
///     if is_right {
///         attempt.succeeded(); // dropped instead, it counts as a failure
///     }
///     Ok(is_right)
/// }
/// # fn check(name: &str, password: &str) -> bool { name == password }
/// ```
///
/// It stores nothing: a new process has counted nothing, and knows only the pairs that it was given
/// with [`remember`](Self::remember). Each process counts separately.
#[derive(Clone, Debug)]
pub struct GuessLimiter(Arc<Book>);

impl GuessLimiter {
    /// Creates a limiter without any counts. It uses [`Clock::passed`]: setting the clock does not
    /// affect it.
    #[must_use]
    pub fn new(limits: GuessLimits, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Book::new(limits, clock)))
    }

    /// Requests permission to check the password of this account, presented from this address.
    ///
    /// Case and blanks around the name make no difference. For an account with several names,
    /// always pass the same one. Ask for names without an account, too: they are counted like any
    /// other, so that nobody can find out which accounts exist.
    ///
    /// # Errors
    /// [`RetryAfter`] while the address or the account is over its limit, or a known pair of both
    /// over its own. Respond with 429 and do not check the password; otherwise guessing continues.
    pub fn attempt(&self, account: &str, from: IpAddr) -> Result<Attempt, RetryAfter> {
        Attempt::begin(Arc::clone(&self.0), account, from)
    }

    /// Counts a wrong random secret, such as a session token of 128 random bits. It counts once for
    /// an address, however often it is presented. Check such a secret first: a valid one must
    /// always pass.
    ///
    /// # Errors
    /// [`RetryAfter`] while the address is over its limit: respond with 429.
    pub fn wrong_secret(&self, secret: &[u8], from: IpAddr) -> Result<(), RetryAfter> {
        self.0.wrong_secret(secret, from).map_err(RetryAfter::new)
    }

    /// Marks an account as known at an address, as a successful login does. A platform that stores
    /// the addresses of its users' logins calls it when it starts.
    pub fn remember(&self, account: &str, from: IpAddr) {
        self.0.know(self.0.pair(account, from));
    }
}
