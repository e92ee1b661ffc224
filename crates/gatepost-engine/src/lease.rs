//! How long a lease lasts: as long as the webhook's timeout, and a margin for all that is not the
//! request itself.

use std::time::Duration;

use chrono::{DateTime, Utc};
use webhook_model::Timeout;

use crate::routes::Route;

/// The end of a lease that begins now.
pub(crate) fn lease_until(route: &Route, margin: Duration, now: DateTime<Utc>) -> DateTime<Utc> {
    now + route.webhook.timeout.as_duration() + margin
}

/// The longest lease of any webhook.
pub(crate) fn longest_lease(margin: Duration) -> Duration {
    Timeout::MAX.as_duration() + margin
}

#[cfg(test)]
mod tests {
    use webhook_model::{OwnerId, Webhook};

    use super::*;

    #[test]
    fn a_lease_outlasts_the_timeout_by_the_margin() {
        let url = "https://example.com/".parse().unwrap();
        let mut webhook = Webhook::new(OwnerId(1), "w".parse().unwrap(), url);
        webhook.timeout = Timeout::MAX;
        let margin = Duration::from_secs(7);
        let lease = lease_until(&Route::unstored(webhook), margin, DateTime::UNIX_EPOCH);
        assert_eq!(lease, DateTime::UNIX_EPOCH + longest_lease(margin));
        assert_eq!(longest_lease(margin), Timeout::MAX.as_duration() + margin);
    }
}
