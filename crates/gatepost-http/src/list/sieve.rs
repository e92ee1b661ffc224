//! Filters rows, without holding up other requests.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::ApiError;
use crate::query::filter::Filter;
use crate::schema::RowMap;

/// How long the rows of one request may be filtered: only patterns (`rx`) ever come near it.
const PATIENCE: Duration = Duration::from_secs(2);
/// How long before others have their turn.
const TURN: Duration = Duration::from_millis(5);

/// Time spent on one request's filter.
#[derive(Debug, Default)]
pub(super) struct Sieve {
    spent: Duration,
    since_yield: Duration,
}

impl Sieve {
    /// Keeps the rows that pass. Lets other requests have their turn, and gives up on what takes
    /// too long.
    pub(super) async fn sift(
        &mut self,
        filter: &Filter,
        page: Vec<RowMap>,
        kept: &mut Vec<RowMap>,
    ) -> Result<(), ApiError> {
        for row in page {
            let began = Instant::now();
            let passes = filter.passes(&|column| row.get(column));
            let took = began.elapsed();
            self.spent += took;
            self.since_yield += took;
            if passes {
                kept.push(row);
            }
            if self.spent > PATIENCE {
                return Err(ApiError::field(
                    "filter",
                    "takes too long: narrow it, or match with simpler patterns",
                ));
            }
            if self.since_yield > TURN {
                self.since_yield = Duration::ZERO;
                tokio::task::yield_now().await;
            }
        }
        Ok(())
    }
}
