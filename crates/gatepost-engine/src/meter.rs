//! The engine's metrics, as the README lists them. A recorder that panics costs the metric.

use std::time::Duration;

use crate::guard::guarded;

pub(crate) fn deliveries_enqueued(count: usize) {
    guarded(|| {
        metrics::counter!("gatepost_deliveries_enqueued_total").increment(count as u64);
    });
}

/// `class`: `ok`, or the class of the failure.
pub(crate) fn attempt_made(class: &'static str, duration: Duration) {
    guarded(|| {
        metrics::counter!("gatepost_attempts_total", "class" => class).increment(1);
        metrics::histogram!("gatepost_attempt_seconds").record(duration.as_secs_f64());
    });
}

pub(crate) fn in_flight(requests: usize) {
    guarded(|| metrics::gauge!("gatepost_in_flight").set(requests as f64));
}

/// `what`: `accounts` or `watch`.
pub(crate) fn unanswered(what: &'static str) {
    guarded(|| {
        metrics::counter!("gatepost_unanswered_questions_total", "what" => what).increment(1);
    });
}

pub(crate) fn stale_settlement() {
    guarded(|| metrics::counter!("gatepost_stale_settlements_total").increment(1));
}

pub(crate) fn settle_failure() {
    guarded(|| metrics::counter!("gatepost_settle_failures_total").increment(1));
}

pub(crate) fn lost_claims(count: u64) {
    guarded(|| metrics::counter!("gatepost_lost_claims_total").increment(count));
}

pub(crate) fn job_panic() {
    guarded(|| metrics::counter!("gatepost_job_panics_total").increment(1));
}

/// `part`: one of the engine's own names.
pub(crate) fn part_restart(part: &'static str) {
    guarded(|| metrics::counter!("gatepost_part_restarts_total", "part" => part).increment(1));
}
