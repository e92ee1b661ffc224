//! Filters rows without delaying other requests.

use std::time::Duration;

use tokio::task::yield_now;
use tokio::time::Instant;
use webhook_model::OwnerId;

use crate::aside::Aside;
use crate::error::{ApiError, Result};
use crate::query::filter::{Filter, Pace};
use crate::schema::RowMap;
use crate::turn::Turn;

/// The maximum time for filtering the rows of one request, without the waits in between.
const PATIENCE: Duration = Duration::from_secs(2);

/// The time spent on one request's filter.
#[derive(Debug)]
pub(super) struct Sieve<'a> {
    aside: &'a Aside,
    /// The user of the request.
    user: OwnerId,
    spent: Duration,
    since: Instant,
    turn: Turn,
}

impl<'a> Sieve<'a> {
    pub(super) fn new(aside: &'a Aside, user: OwnerId) -> Self {
        Self {
            aside,
            user,
            spent: Duration::ZERO,
            since: Instant::now(),
            turn: Turn::default(),
        }
    }

    /// Returns whether a row passes. It yields however large the row is, and fails if it takes too
    /// long.
    pub(super) async fn passes(&mut self, filter: &Filter, row: &RowMap) -> Result<bool> {
        self.since = Instant::now();
        let passes = filter.passes(row, self).await;
        self.count()?;
        passes
    }

    fn count(&mut self) -> Result<()> {
        self.spent += self.since.elapsed();
        self.since = Instant::now();
        if self.spent > PATIENCE {
            return Err(ApiError::field(
                "filter",
                "takes too long: narrow it, or match with simpler patterns",
            ));
        }
        Ok(())
    }
}

impl Pace for Sieve<'_> {
    async fn spend(&mut self, bytes: usize) -> Result<()> {
        if self.turn.is_over(bytes) {
            self.count()?;
            yield_now().await;
            self.since = Instant::now();
        }
        Ok(())
    }

    async fn aside(&mut self, work: impl FnOnce() -> bool + Send + 'static) -> Result<bool> {
        self.count()?;
        let work = move || {
            let began = Instant::now();
            Ok((work(), began.elapsed()))
        };
        let (result, took) = self.aside.run(self.user, work).await?;
        // Waiting does not count as filter time.
        self.spent += took;
        self.since = Instant::now();
        self.count()?;
        Ok(result)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::pin::pin;

    use serde_json::json;

    use super::*;
    use crate::limits::Limits;

    /// Returns whether a row with this message passes, and how often the task yielded. The clock
    /// stands still, since only the work between two yields counts.
    async fn sifted(filter: &str, message: String) -> (Result<bool>, usize) {
        let filter = Filter::parse(filter, &Limits::default()).unwrap();
        let row = RowMap::from_iter([("message", json!(message))]);
        let aside = Aside::default();
        let (mut sieve, mut turns) = (Sieve::new(&aside, OwnerId(1)), 0);
        let mut passes = pin!(sieve.passes(&filter, &row));
        let counted = poll_fn(|cx| {
            let polled = passes.as_mut().poll(cx);
            turns += usize::from(polled.is_pending());
            polled
        });
        (counted.await, turns)
    }

    fn terms(operator: &str, count: usize) -> String {
        let term = |n: usize| format!("message {operator} 'zz{n}'");
        let terms: Vec<_> = (0..count).map(term).collect();
        terms.join(" or ")
    }

    #[tokio::test(start_paused = true)]
    async fn filter_of_256_terms_yields_on_large_row() {
        let message = "aB".repeat(512 * 1024);
        for (operator, count) in [("ct", 256), ("cs", 16)] {
            let (passes, turns) = sifted(&terms(operator, count), message.clone()).await;
            assert_eq!(passes, Ok(false), "{operator}");
            // A quarter of a mebibyte between two yields.
            assert!(turns >= count * 4, "{operator}: {turns}");
        }
        let small = sifted(&terms("ct", 3), "aB".to_owned()).await;
        assert_eq!(small, (Ok(false), 0));
    }

    #[tokio::test(start_paused = true)]
    async fn expensive_pattern_is_matched_in_blocking_pool() {
        let heavy = "message rx '(?:a{1,40}b?){1,40}z$'";
        let (passes, turns) = sifted(heavy, "a".repeat(16_000)).await;
        assert!(passes == Ok(false) && turns > 0, "{passes:?} {turns}");
        let light = sifted("message rx '^a'", "a".to_owned()).await;
        assert_eq!(light, (Ok(true), 0));
    }

    #[tokio::test(start_paused = true)]
    async fn filter_exceeding_its_time_limit_fails() {
        let filter = Filter::parse(&terms("ct", 8), &Limits::default()).unwrap();
        let row = RowMap::from_iter([("message", json!("a".repeat(1 << 20)))]);
        let aside = Aside::default();
        let mut sieve = Sieve::new(&aside, OwnerId(1));
        sieve.spent = PATIENCE;
        assert_eq!(sieve.passes(&filter, &row).await, Ok(false), "in time");
        sieve.spent += Duration::from_nanos(1);
        assert!(sieve.passes(&filter, &row).await.is_err());
    }
}
