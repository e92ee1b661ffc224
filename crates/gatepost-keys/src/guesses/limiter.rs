//! The limiter, as the layer and a platform's login page ask it.

use std::net::IpAddr;
use std::sync::Arc;

use gatepost_storage::Clock;

use super::attempt::{Attempt, RetryAfter};
use super::book::Book;
use super::limits::GuessLimits;

/// The one limiter of guesses of a process, from
/// [`KeyService::guesses`](crate::KeyService::guesses). Cheap to clone. The layer asks it by
/// itself; a login page of the platform's own asks it before it checks a password:
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
/// Nothing of it is stored: a process that starts has counted nothing, and knows no pair that it
/// was not given with [`remember`](Self::remember). Processes count apart.
#[derive(Clone, Debug)]
pub struct GuessLimiter(Arc<Book>);

impl GuessLimiter {
    /// A limiter that has counted nothing. It goes by [`Clock::passed`]: setting the clock changes
    /// nothing here.
    #[must_use]
    pub fn new(limits: GuessLimits, clock: Arc<dyn Clock>) -> Self {
        Self(Arc::new(Book::new(limits, clock)))
    }

    /// Asks before the password of this account is checked, from this address.
    ///
    /// Case and blanks around the name make no difference. Of an account with several names give
    /// always the same one. Ask for names that no account has, too: they are counted like any
    /// other, so nobody learns which there are.
    ///
    /// # Errors
    /// [`RetryAfter`] while the address or the account is over its limit, or a known pair of both
    /// over its own. Respond with 429, and do not check the password: else guesses go on.
    pub fn attempt(&self, account: &str, from: IpAddr) -> Result<Attempt, RetryAfter> {
        Attempt::begin(Arc::clone(&self.0), account, from)
    }

    /// Counts a wrong secret that nobody chose, such as a session's token of 128 random bits; once
    /// for an address, however often it is presented. Such a secret is checked first, and a good
    /// one always passes.
    ///
    /// # Errors
    /// [`RetryAfter`] while the address is over its limit: respond with 429.
    pub fn wrong_secret(&self, secret: &[u8], from: IpAddr) -> Result<(), RetryAfter> {
        self.0.wrong_secret(secret, from).map_err(RetryAfter::new)
    }

    /// Lets an account be known at an address, as after a login that succeeded: for a platform
    /// that keeps from where its users logged in, when it starts.
    pub fn remember(&self, account: &str, from: IpAddr) {
        self.0.know(self.0.pair(account, from));
    }
}
