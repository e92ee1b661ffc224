//! How long things are kept, when a webhook is disabled, and which schedules webhooks may have.

use std::time::Duration;

use webhook_model::{Field, Invalid, RetrySchedule};

use super::setters::setters;

/// How long things are kept.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Retention {
    /// Ended deliveries. Default 70 days.
    pub deliveries: Duration,
    /// Bytes that the log of deliveries may take in the database, about: beyond that the oldest
    /// that have ended leave. `None`, the default: as many as there are.
    pub bytes: Option<u64>,
    /// Counters of what each webhook sent in each hour: they outlive the deliveries. Default 400
    /// days, so that a month can be compared with that of the year before.
    pub counts: Duration,
    /// Ids of occurrences, by which a repeated emit is recognised. Default 7 days.
    pub occurrences: Duration,
    /// Deliveries held by a webhook that is paused or disabled; older ones end in error. Default
    /// 30 days.
    pub held: Duration,
}

/// When the engine disables a webhook by itself; never by default. The observer is notified either
/// way: of each `410 Gone`, and once of nothing but failures for the time set here, or for 5 days.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct DisablePolicy {
    /// On `410 Gone`.
    pub on_gone: bool,
    /// After nothing but failures for this time, whichever processes sent to it, those before a
    /// restart included. That is known from what is counted by the hour, so it may be an hour
    /// later, and two hours after a success. What a process delivered is known to the others two
    /// seconds later, and never if it was killed before that. An edit, or enabling the webhook
    /// again, starts that time again.
    pub after_failing_for: Option<Duration>,
}

/// Which schedules of their own webhooks may have
/// ([`Webhook::retry_schedule`](webhook_model::Webhook::retry_schedule)). One that was stored
/// before stays as it is until it is changed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RetryScheduleLimits {
    /// The most delays, and so further attempts. Default 20; never above 100.
    pub delays: u32,
    /// The longest delay. Default a day, which is the longest of all.
    pub longest: Duration,
    /// The longest time from the first attempt to the last, without the attempts themselves.
    /// Default 7 days.
    pub total: Duration,
}

impl RetryScheduleLimits {
    /// # Errors
    /// The limit that it is beyond, in words for the user.
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
    fn a_schedule_is_refused_by_the_limit_that_it_is_beyond() {
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
