//! The check of a pooler that gives each transaction another session.

use gatepost_storage::ErrorKind;

use super::pool::Db;
use crate::error::{Failure, Result};

/// The query whether the server knows this statement by the name that the driver gave it. A pooler
/// that tracks statements gives them its own names.
const IS_OURS: &str = "SELECT EXISTS (SELECT FROM pg_prepared_statements
    WHERE statement LIKE 'SELECT EXISTS (SELECT FROM pg_prepared_statements%' AND name ~ '^s[0-9]+$')";

impl Db {
    /// Fails immediately if the pooler does not track statements; otherwise they would fail later.
    pub(crate) async fn check_pooler(&self) -> Result<()> {
        match self.is(IS_OURS, &[]).await? {
            false => Ok(()),
            true => Err(Failure::new(
                ErrorKind::Unsupported,
                "the pooler does not keep prepared statements: in transaction mode PgBouncer 1.21 or newer is needed, \
                 with max_prepared_statements set",
            )),
        }
    }
}
