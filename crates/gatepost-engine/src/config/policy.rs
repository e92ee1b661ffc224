//! Retention, the policy for disabling webhooks, and the limits of retry schedules.

use std::time::Duration;

use webhook_model::{Field, Invalid, RetrySchedule};

use super::setters::setters;

/// How long records are kept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Retention {
    /// Ended deliveries. Default 70 days.
    pub deliveries: Duration,
    /// Approximate bytes that the log of deliveries may take in the database. Over this limit, the
    /// oldest ended deliveries are removed. `None`, the default, is no limit.
    pub bytes: Option<u64>,
    /// Counters of what each webhook sent in each hour. They outlive the deliveries. Default 400
    /// days, so that a month can be compared with the same month a year earlier.
    pub counts: Duration,
    /// Ids of occurrences, by which a repeated emit is recognised. Default 7 days.
    pub occurrences: Duration,
    /// Waiting deliveries of a webhook that is paused or disabled; older ones end in error. Default
    /// 30 days.
    pub held: Duration,
}

/// When the engine disables a webhook automatically; never by default. The observer is notified
/// either way: of each `410 Gone`, and once when every attempt has failed for the time set here, or
/// for 5 days.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DisablePolicy {
    /// On `410 Gone`.
    pub on_gone: bool,
    /// After every attempt has failed for this time, in whichever process, including earlier runs.
    /// The time is derived from hourly counters, so disabling may come an hour later, and two hours
    /// later after a success. Other processes know an outcome two seconds later, and never if the
    /// process was killed within them. Editing or enabling the webhook restarts that time.
    pub after_failing_for: Option<Duration>,
}

/// Limits for retry schedules of single webhooks
/// ([`Webhook::retry_schedule`](webhook_model::Webhook::retry_schedule)). A stored schedule stays
/// valid until it is changed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RetryScheduleLimits {
    /// The maximum number of delays, and so of further attempts. Default 20; never above 100.
    pub delays: u32,
    /// The longest delay. Default one day, which is also the maximum.
    pub longest: Duration,
    /// The longest time from the first attempt to the last, without the attempts themselves.
    /// Default 7 days.
    pub total: Duration,
}

impl RetryScheduleLimits {
    /// # Errors
    /// The exceeded limit, in words for the user.
    pub(crate) fn check(&self, schedule: &RetrySchedule) -> Result<(), Invalid> {
        let wrong = |rule: String| Err(Invalid::new(Field::RetrySchedule, rule));
        if schedule.retries() > self.delays {
            return wrong(format!("must be at most {} delays", self.delays));
        }
        if schedule.delays().any(|delay| delay > self.longest) {
            let most = self.longest.as_secs();
            return wrong(format!("each delay must be at most {most} seconds"));
        }
        if schedule.delays().sum::<Duration>() > self.total {
            let most = self.total.as_secs();
            return wrong(format!(
                "all delays together must be at most {most} seconds"
            ));
        }
        Ok(())
    }
}

setters! { RetryScheduleLimits {
    /// Sets [`delays`](Self::delays).
    with_delays: delays: u32,
    /// Sets [`longest`](Self::longest).
    with_longest: longest: Duration,
    /// Sets [`total`](Self::total).
    with_total: total: Duration,
} }

impl Default for RetryScheduleLimits {
    fn default() -> Self {
        const DAY: Duration = Duration::from_secs(24 * 60 * 60);
        Self {
            delays: 20,
            longest: DAY,
            total: 7 * DAY,
        }
    }
}

setters! { Retention {
    /// Sets [`deliveries`](Self::deliveries).
    with_deliveries: deliveries: Duration,
    /// Sets [`bytes`](Self::bytes).
    with_bytes: bytes: Option<u64>,
    /// Sets [`counts`](Self::counts).
    with_counts: counts: Duration,
    /// Sets [`occurrences`](Self::occurrences).
    with_occurrences: occurrences: Duration,
    /// Sets [`held`](Self::held).
    with_held: held: Duration,
} }

setters! { DisablePolicy {
    /// Sets [`on_gone`](Self::on_gone).
    with_on_gone: on_gone: bool,
    /// Sets [`after_failing_for`](Self::after_failing_for); `None` is never.
    with_after_failing_for: after_failing_for: Option<Duration>,
} }

impl Default for Retention {
    fn default() -> Self {
        let days = |n: u64| Duration::from_secs(n * 24 * 60 * 60);
        Self {
            deliveries: days(70),
            bytes: None,
            counts: days(400),
            occurrences: days(7),
            held: days(30),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn retry_schedule_error_names_the_exceeded_limit() {
        let limits = RetryScheduleLimits::default()
            .with_delays(3)
            .with_longest(Duration::from_secs(3_600))
            .with_total(Duration::from_secs(5_400));
        let said = |text: &str| match limits.check(&text.parse().unwrap()) {
            Ok(()) => String::new(),
            Err(invalid) => invalid.to_string(),
        };
        assert_eq!(said("30m 1h"), "");
        assert_eq!(said("1 1 1 1"), "retry_schedule: must be at most 3 delays");
        let longest = "retry_schedule: each delay must be at most 3600 seconds";
        assert_eq!(said("2h"), longest);
        let total = "retry_schedule: all delays together must be at most 5400 seconds";
        assert_eq!(said("1s 30m 1h"), total);
    }
}
