use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// SPEC's words for an Expiration Type, each with that of the v4 wire.
const SET_DATE: [&str; 2] = ["Set Date", "date"];
const NEVER_EXPIRE: [&str; 2] = ["Never Expire", "never"];
/// The maximum time until expiration: 100 years.
const LONGEST: TimeDelta = TimeDelta::days(36_525);

/// SPEC 2.1's Expiration Type and Expires combined.
///
/// Everything here is a function of `now`: if a clock goes back, so do the results. To keep an
/// expired key expired while a process runs, pass the latest time that it has seen.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
#[allow(
    clippy::exhaustive_enums,
    reason = "stored: a backend learns of a new case from the compiler"
)]
pub enum Expiration {
    /// *Never Expire*.
    #[default]
    Never,
    /// *Set Date*: the first point in time at which the key is no longer valid.
    At(DateTime<Utc>),
}

/// The reason why an expiration is refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ExpirationError {
    /// The date is not in the future.
    #[error("expires must lie in the future")]
    NotInFuture,
    /// *Set Date* needs a date.
    #[error("expires is required with Set Date")]
    NoDate,
    /// There is a date with *Never Expire*.
    #[error("expires must be empty with Never Expire")]
    Unwanted,
    /// The Expiration Type is another word.
    #[error("expires_type must be Set Date or Never Expire")]
    UnknownType,
    /// The date is more than 100 years ahead.
    #[error("expires must be at most 100 years ahead (seconds, not milliseconds?)")]
    TooLate,
}

impl Expiration {
    /// Creates an expiration at a date in the future, at most 100 years ahead.
    ///
    /// # Errors
    /// [`ExpirationError`]
    pub fn in_future(at: DateTime<Utc>, now: DateTime<Utc>) -> Result<Self, ExpirationError> {
        let expiration = Self::At(at);
        expiration.check(now)?;
        Ok(expiration)
    }

    /// Parses the two fields of a form, Expiration Type and Expires. The type is *Set Date* or
    /// *Never Expire*, or `date` or `never` as on the v4 wire, in any case.
    ///
    /// # Errors
    /// [`ExpirationError`]: another word, a date that is missing, unexpected or not in the future.
    pub fn of_type(
        expiration_type: &str,
        expires: Option<DateTime<Utc>>,
        now: DateTime<Utc>,
    ) -> Result<Self, ExpirationError> {
        let is = |words: [&str; 2]| {
            let typed = expiration_type.trim();
            words.iter().any(|word| typed.eq_ignore_ascii_case(word))
        };
        match expires {
            Some(at) if is(SET_DATE) => Self::in_future(at, now),
            None if is(SET_DATE) => Err(ExpirationError::NoDate),
            None if is(NEVER_EXPIRE) => Ok(Self::Never),
            Some(_) if is(NEVER_EXPIRE) => Err(ExpirationError::Unwanted),
            _ => Err(ExpirationError::UnknownType),
        }
    }

    /// Creates an expiration this long after `now`. Any duration may be passed, as a user has typed
    /// it.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use apikey_core::{Expiration, ExpirationError};
    ///
    /// let now = "2027-03-01T00:00:00Z".parse()?;
    /// let in_90_days = Expiration::after(Duration::from_secs(90 * 24 * 60 * 60), now)?;
    /// assert_eq!(in_90_days.days_remaining(now), Some(90));
    /// assert_eq!(Expiration::after(Duration::MAX, now), Err(ExpirationError::TooLate));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`ExpirationError::NotInFuture`] for a zero duration, [`ExpirationError::TooLate`].
    pub fn after(duration: Duration, now: DateTime<Utc>) -> Result<Self, ExpirationError> {
        let delta = TimeDelta::from_std(duration).map_err(|_| ExpirationError::TooLate)?;
        let at = now.checked_add_signed(delta);
        Self::in_future(at.ok_or(ExpirationError::TooLate)?, now)
    }

    /// Returns whether the date is reached: `now >= expires`.
    #[inline]
    #[must_use]
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        matches!(self, Self::At(at) if now >= *at)
    }

    /// Returns the remaining whole days, rounded up: 1 in the last 24 hours, 0 once expired, `None`
    /// for *Never Expire*. A day is 24 hours.
    #[must_use]
    pub fn days_remaining(&self, now: DateTime<Utc>) -> Option<u64> {
        let Self::At(at) = self else { return None };
        let left = at.signed_duration_since(now).max(TimeDelta::zero());
        let days = left.num_days();
        let started = left > TimeDelta::days(days);
        Some(days.unsigned_abs() + u64::from(started))
    }

    /// Returns the latest date that may be set now.
    pub(crate) fn latest(now: DateTime<Utc>) -> DateTime<Utc> {
        let latest = now.checked_add_signed(LONGEST);
        latest.unwrap_or(DateTime::<Utc>::MAX_UTC)
    }

    /// Refuses a date that may not be set now.
    pub(crate) fn check(&self, now: DateTime<Utc>) -> Result<(), ExpirationError> {
        match *self {
            Self::At(at) if at <= now => Err(ExpirationError::NotInFuture),
            Self::At(at) if at > Self::latest(now) => Err(ExpirationError::TooLate),
            Self::At(_) | Self::Never => Ok(()),
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
    fn expiration_type_is_written_as_in_the_spec() {
        let now = time("2027-03-01T00:00:00Z");
        let later = now + TimeDelta::days(30);
        for word in ["Set Date", "set date", "DATE"] {
            let set = Expiration::of_type(word, Some(later), now);
            assert_eq!(set, Ok(Expiration::At(later)), "{word}");
        }
        for word in ["Never Expire", "NEVER EXPIRE", "never"] {
            let never = Expiration::of_type(word, None, now);
            assert_eq!(never, Ok(Expiration::Never), "{word}");
        }
        for (word, expires, refused) in [
            ("Set Date", None, ExpirationError::NoDate),
            ("Set Date", Some(now), ExpirationError::NotInFuture),
            ("Never Expire", Some(later), ExpirationError::Unwanted),
            ("soon", None, ExpirationError::UnknownType),
        ] {
            assert_eq!(Expiration::of_type(word, expires, now), Err(refused));
        }
    }

    /// `now + duration` panics for what no calendar has.
    #[test]
    fn date_after_a_duration_is_checked() {
        let now = time("2027-03-01T00:00:00Z");
        let days = |days: u64| Duration::from_secs(days * 24 * 60 * 60);
        let in_30_days = Expiration::At(time("2027-03-31T00:00:00Z"));
        assert_eq!(Expiration::after(days(30), now), Ok(in_30_days));
        let none = Expiration::after(Duration::ZERO, now);
        assert_eq!(none, Err(ExpirationError::NotInFuture));
        for far in [days(100_000_000), Duration::MAX] {
            assert_eq!(Expiration::after(far, now), Err(ExpirationError::TooLate));
        }
        let last = DateTime::<Utc>::MAX_UTC;
        assert_eq!(
            Expiration::after(days(1), last),
            Err(ExpirationError::TooLate)
        );
    }

    #[test]
    fn date_beyond_a_century_is_refused() {
        let now = time("2027-03-01T00:00:00Z");
        let last = now + TimeDelta::days(36_525);
        assert!(Expiration::in_future(last, now).is_ok());
        // The seconds of 2027-12-31 as milliseconds.
        let millis = DateTime::from_timestamp(1_830_211_200_000, 0).unwrap();
        for at in [last + NANOSECOND, millis, DateTime::<Utc>::MAX_UTC] {
            let refused = Expiration::in_future(at, now).unwrap_err();
            assert_eq!(refused, ExpirationError::TooLate);
            assert!(refused.to_string().contains("seconds, not milliseconds?"));
        }
        let end = DateTime::<Utc>::MAX_UTC;
        assert!(Expiration::in_future(end, end - NANOSECOND).is_ok());
    }

    #[test]
    fn days_remaining_round_up_and_stop_at_zero() {
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
        assert!(!Expiration::Never.is_expired(last));
        assert!(Expiration::At(last).days_remaining(first).unwrap() > 190_000_000);
        assert_eq!(Expiration::At(first).days_remaining(last), Some(0));
    }
}
