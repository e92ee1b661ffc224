//! The length of a lease: the longest timeout of its class, and a margin for everything except the
//! request itself. One claim is for webhooks of one class, so that a lost delivery does not wait
//! for the longest timeout of any webhook.

use std::time::Duration;

use chrono::{DateTime, Utc};
use webhook_model::Timeout;

use crate::routes::Route;

/// The longest timeout of each class except the last.
const CLASSES: [Duration; 2] = [Duration::from_secs(10), Duration::from_secs(30)];
/// With less, a slow claim would repeatedly leave too little time for its request.
const LEAST_MARGIN: Duration = Duration::from_secs(1);

/// A class of webhooks with similar timeouts.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct LeaseClass(Duration);

impl LeaseClass {
    pub(crate) fn of(route: &Route) -> Self {
        let timeout = route.webhook.timeout.as_duration();
        let class = CLASSES.into_iter().find(|longest| timeout <= *longest);
        Self(class.unwrap_or(Timeout::MAX.as_duration()))
    }

    /// Returns the end of a lease that begins at `now`.
    pub(crate) fn lease_until(self, margin: Duration, now: DateTime<Utc>) -> DateTime<Utc> {
        now + self.0 + margin.max(LEAST_MARGIN)
    }
}

/// Returns the longest lease of any webhook.
pub(crate) fn longest_lease(margin: Duration) -> Duration {
    Timeout::MAX.as_duration() + margin.max(LEAST_MARGIN)
}

#[cfg(test)]
mod tests {
    use webhook_model::{OwnerId, Webhook};

    use super::*;

    #[test]
    fn lease_outlasts_timeout_by_margin_within_its_class() {
        let margin = Duration::from_secs(7);
        for (timeout, class) in [(3, 10), (10, 10), (11, 30), (30, 30), (31, 120), (120, 120)] {
            let url = "https://example.com/".parse().unwrap();
            let mut webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
            webhook.timeout = Timeout::from_secs(timeout).unwrap();
            let route = Route::unstored(webhook);
            let lease = LeaseClass::of(&route).lease_until(margin, DateTime::UNIX_EPOCH);
            let expected = DateTime::UNIX_EPOCH + Duration::from_secs(class) + margin;
            assert_eq!(lease, expected, "{timeout} s");
            assert!(lease <= DateTime::UNIX_EPOCH + longest_lease(margin));
            let none = LeaseClass::of(&route).lease_until(Duration::ZERO, DateTime::UNIX_EPOCH);
            assert_eq!(none, expected - margin + LEAST_MARGIN, "time to begin");
        }
    }
}
