use chrono::{DateTime, TimeDelta, Utc};

/// SPEC 2.1's Expiration Type and Expires in one.
///
/// Everything here is a function of `now`: if a clock goes back, so do the results. Whoever wants
/// an expired key to stay expired while its process lives passes the latest time it has seen.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum Expiration {
    /// *Never Expire*.
    #[default]
    Never,
    /// *Set Date*: the first moment at which the key is no longer valid.
    At(DateTime<Utc>),
}

/// Why an expiration is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpirationError {
    /// The date is past, or is now.
    #[error("expires must lie in the future")]
    NotInFuture,
}

impl Expiration {
    /// A set date, which must lie in the future.
    ///
    /// # Errors
    /// [`ExpirationError::NotInFuture`].
    pub fn in_future(at: DateTime<Utc>, now: DateTime<Utc>) -> Result<Self, ExpirationError> {
        let expiration = Self::At(at);
        expiration.check(now)?;
        Ok(expiration)
    }

    /// Whether the date is reached: `now >= expires`.
    #[inline]
    #[must_use]
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        matches!(self, Self::At(at) if now >= *at)
    }

    /// Whole days that remain, rounded up: 1 in the last 24 hours, 0 once expired, `None` for
    /// *Never Expire*. A day is 24 hours.
    #[must_use]
    pub fn days_remaining(&self, now: DateTime<Utc>) -> Option<u64> {
        let Self::At(at) = self else { return None };
        let left = at.signed_duration_since(now).max(TimeDelta::zero());
        let days = left.num_days();
        let started = left > TimeDelta::days(days);
        Some(days.unsigned_abs() + u64::from(started))
    }

    /// Refuses a date that is not in the future.
    pub(crate) fn check(&self, now: DateTime<Utc>) -> Result<(), ExpirationError> {
        if self.is_expired(now) {
            Err(ExpirationError::NotInFuture)
        } else {
            Ok(())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NANOSECOND: TimeDelta = TimeDelta::nanoseconds(1);

    fn time(text: &str) -> DateTime<Utc> {
        text.parse().unwrap()
    }

    #[test]
    fn a_key_expires_at_the_instant_and_not_a_nanosecond_before() {
        let at = time("2027-03-01T00:00:00Z");
        let expiration = Expiration::At(at);
        assert!(!expiration.is_expired(at - NANOSECOND));
        assert!(expiration.is_expired(at));
        assert!(expiration.is_expired(at + NANOSECOND));
        assert!(!Expiration::Never.is_expired(DateTime::<Utc>::MAX_UTC));
    }

    #[test]
    fn a_set_date_lies_in_the_future() {
        let now = time("2027-03-01T00:00:00Z");
        assert!(Expiration::in_future(now + NANOSECOND, now).is_ok());
        for at in [now, now - NANOSECOND, DateTime::<Utc>::MIN_UTC] {
            assert_eq!(
                Expiration::in_future(at, now),
                Err(ExpirationError::NotInFuture)
            );
        }
    }

    #[test]
    fn days_remaining_are_rounded_up_and_end_at_zero() {
        let at = time("2027-03-10T12:00:00Z");
        let left = |now| Expiration::At(at).days_remaining(now);
        assert_eq!(left(at - TimeDelta::days(30)), Some(30));
        assert_eq!(left(at - TimeDelta::days(30) - NANOSECOND), Some(31));
        assert_eq!(left(at - TimeDelta::days(30) + NANOSECOND), Some(30));
        assert_eq!(left(at - TimeDelta::days(1)), Some(1));
        assert_eq!(left(at - NANOSECOND), Some(1));
        assert_eq!(left(at), Some(0));
        assert_eq!(left(at + TimeDelta::days(400)), Some(0));
        assert_eq!(Expiration::Never.days_remaining(at), None);
    }

    #[test]
    fn a_leap_day_is_a_day() {
        let at = Expiration::At(time("2028-03-01T00:00:00Z"));
        assert_eq!(at.days_remaining(time("2028-02-28T00:00:00Z")), Some(2));
        let at = Expiration::At(time("2027-03-01T00:00:00Z"));
        assert_eq!(at.days_remaining(time("2027-02-28T00:00:00Z")), Some(1));
        let leap = Expiration::At(time("2028-02-29T00:00:00Z"));
        assert!(!leap.is_expired(time("2028-02-28T23:59:59.999999999Z")));
        assert!(leap.is_expired(time("2028-02-29T00:00:00Z")));
    }

    #[test]
    fn the_answers_follow_a_clock_that_goes_back() {
        let at = time("2027-03-01T00:00:00Z");
        let expiration = Expiration::At(at);
        assert!(expiration.is_expired(at));
        assert!(!expiration.is_expired(at - TimeDelta::hours(1)));
        assert_eq!(expiration.days_remaining(at - TimeDelta::hours(1)), Some(1));
    }

    #[test]
    fn the_ends_of_the_calendar_do_not_overflow() {
        let (first, last) = (DateTime::<Utc>::MIN_UTC, DateTime::<Utc>::MAX_UTC);
        assert!(Expiration::At(last).days_remaining(first).unwrap() > 190_000_000);
        assert_eq!(Expiration::At(first).days_remaining(last), Some(0));
    }
}
