//! The engine's metrics, as the README lists them. If the recorder panics, only the metric is lost.

use std::time::Duration;

use gatepost_storage::webhooks::QueueStats;

use crate::guard::guarded;

pub(crate) fn deliveries_enqueued(count: usize) {
    guarded(|| {
        metrics::counter!("gatepost_deliveries_enqueued_total").increment(count as u64);
    });
}

/// Counts an attempt. `class`: `ok`, or the class of the failure.
pub(crate) fn attempt_made(class: &'static str, duration: Duration) {
    guarded(|| {
        metrics::counter!("gatepost_attempts_total", "class" => class).increment(1);
        metrics::histogram!("gatepost_attempt_seconds").record(duration.as_secs_f64());
    });
}

/// Counts requests that were sent once more, because their reused connection was lost.
pub(crate) fn requests_repeated(count: u64) {
    if count > 0 {
        guarded(|| metrics::counter!("gatepost_repeated_requests_total").increment(count));
    }
}

pub(crate) fn in_flight(requests: usize) {
    guarded(|| metrics::gauge!("gatepost_in_flight").set(requests as f64));
}

/// Sets the gauges of the store's pending deliveries, whichever process sends them: every process
/// reports the same.
pub(crate) fn queue(queue: &QueueStats) {
    let late = queue.oldest_due.map(|due| queue.counted - due);
    let late = late.map_or(0.0, |late| late.as_seconds_f64().max(0.0));
    guarded(|| {
        let deliveries = |state| metrics::gauge!("gatepost_queue_deliveries", "state" => state);
        deliveries("queued").set(queue.queued as f64);
        deliveries("running").set(queue.running as f64);
        metrics::gauge!("gatepost_queue_oldest_seconds").set(late);
        metrics::gauge!("gatepost_outbox_rows").set(queue.outbox as f64);
    });
}

/// Sets whether outcomes can be recorded and this process' clock is right, and how many owners are
/// not placed yet.
pub(crate) fn condition(recording: bool, clock_is_right: bool, unplaced: u64) {
    self::recording(recording);
    guarded(|| {
        metrics::gauge!("gatepost_clock_is_right").set(f64::from(u8::from(clock_is_right)));
        metrics::gauge!("gatepost_unplaced_owners").set(unplaced as f64);
    });
}

/// Sets whether outcomes can be recorded.
pub(crate) fn recording(recording: bool) {
    guarded(|| metrics::gauge!("gatepost_recording").set(f64::from(u8::from(recording))));
}

/// Sets the number of log partitions that should exist and do not, as known by the process that
/// creates them.
pub(crate) fn partitions_missing(partitions: u32) {
    guarded(|| metrics::gauge!("gatepost_log_partitions_missing").set(f64::from(partitions)));
}

/// Counts a question without an answer. `what`: `accounts` or `watch`.
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

/// Counts a restart. `part`: one of the engine's own names.
pub(crate) fn part_restart(part: &'static str) {
    guarded(|| metrics::counter!("gatepost_part_restarts_total", "part" => part).increment(1));
}

#[cfg(test)]
pub(crate) mod tests {
    use std::collections::BTreeMap;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::sync::{Arc, Mutex};

    use chrono::TimeDelta;
    use metrics::{
        Counter, Gauge, Histogram, Key, KeyName, Metadata, Recorder, SharedString, Unit,
    };

    use super::*;
    use crate::testing::noon;

    /// Keeps gauges and counters, by name and labels.
    #[derive(Debug, Default)]
    pub(crate) struct Gauges(Mutex<BTreeMap<String, Arc<AtomicU64>>>);

    impl Gauges {
        pub(crate) fn value(&self, name: &str) -> f64 {
            f64::from_bits(self.0.lock().unwrap()[name].load(Ordering::SeqCst))
        }

        pub(crate) fn count(&self, name: &str) -> u64 {
            let kept = self.0.lock().unwrap();
            kept.get(name).map_or(0, |one| one.load(Ordering::SeqCst))
        }

        fn kept(&self, key: &Key) -> Arc<AtomicU64> {
            let labels: String = key
                .labels()
                .map(|label| format!(" {}", label.value()))
                .collect();
            let name = format!("{}{labels}", key.name());
            self.0.lock().unwrap().entry(name).or_default().clone()
        }
    }

    impl Recorder for Gauges {
        fn describe_counter(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn describe_gauge(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn describe_histogram(&self, _: KeyName, _: Option<Unit>, _: SharedString) {}

        fn register_counter(&self, key: &Key, _: &Metadata<'_>) -> Counter {
            Counter::from_arc(self.kept(key))
        }

        fn register_gauge(&self, key: &Key, _: &Metadata<'_>) -> Gauge {
            Gauge::from_arc(self.kept(key))
        }

        fn register_histogram(&self, _: &Key, _: &Metadata<'_>) -> Histogram {
            Histogram::noop()
        }
    }

    #[test]
    fn queue_age_follows_oldest_delivery_never_negative() {
        let gauges = Gauges::default();
        for (due, late) in [(Some(-90), 90.0), (Some(30), 0.0), (None, 0.0)] {
            let oldest_due = due.map(|seconds| noon() + TimeDelta::seconds(seconds));
            let stats = QueueStats {
                counted: noon(),
                queued: 7,
                running: 2,
                oldest_due,
                outbox: 3,
            };
            metrics::with_local_recorder(&gauges, || queue(&stats));
            assert_eq!(gauges.value("gatepost_queue_oldest_seconds"), late);
        }
        assert_eq!(gauges.value("gatepost_queue_deliveries queued"), 7.0);
        assert_eq!(gauges.value("gatepost_queue_deliveries running"), 2.0);
        assert_eq!(gauges.value("gatepost_outbox_rows"), 3.0);
    }
}
