//! How a transaction is begun where sessions have little time.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::FutureExt as _;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use crate::error::Result;

/// A session with at least this much time for a statement, in milliseconds, is not in haste; 0 is
/// no limit.
const ENOUGH: i64 = 5_000;
/// How often a beginning is repeated that ran out of time.
const TRIES: u32 = 20;

/// Whether a session gives a statement so little time that the beginning of a transaction, which
/// says how much it takes, may itself run out of it. What is sent behind a beginning that failed
/// is in no transaction; so then it is waited for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Haste(Arc<AtomicBool>);

/// Rolls back what may have begun.
struct Begun<'a>(Option<&'a Client>);

impl Haste {
    /// What the server says that sessions are set to, in milliseconds.
    pub(crate) fn learn(&self, timeout: i64) {
        let short = (1..ENOUGH).contains(&timeout);
        self.0.store(short, Ordering::Relaxed);
    }

    /// What is left to send of a beginning: nothing where it has to be waited for.
    pub(crate) async fn begin<'b>(
        &self,
        client: &Client,
        begin: &'b str,
    ) -> Result<Option<&'b str>> {
        if !self.0.load(Ordering::Relaxed) {
            return Ok(Some(begin));
        }
        let mut begun = Begun(Some(client));
        let mut tries = 0;
        loop {
            match client.batch_execute(begin).await {
                Err(e) if e.code() == Some(&SqlState::QUERY_CANCELED) && tries < TRIES => {
                    tries += 1;
                    client.batch_execute("ROLLBACK").await?;
                }
                other => {
                    other?;
                    begun.0 = None;
                    return Ok(None);
                }
            }
        }
    }
}

impl Drop for Begun<'_> {
    fn drop(&mut self) {
        if let Some(client) = self.0 {
            // Sent at the first poll.
            let _ = client.batch_execute("ROLLBACK").now_or_never();
        }
    }
}
