//! Machines that share a queue differ in what time it is; the database server's clock decides.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gatepost_storage::Clock;
use gatepost_storage::webhooks::WebhookStore;

use crate::engine::Inner;
use crate::error::StartError;

/// A larger difference is a machine that is set up wrong.
const MOST_SECONDS: i64 = 30;

/// What is to be added to this machine's clock, in microseconds; half the round trip is the error.
pub(crate) async fn clock_offset(
    store: &dyn WebhookStore,
    clock: &dyn Clock,
) -> Result<i64, StartError> {
    let before = clock.now();
    let Some(server) = store.server_time().await.map_err(Arc::new)? else {
        return Ok(0);
    };
    let middle = before + (clock.now() - before) / 2;
    let offset = server - middle;
    if offset.num_seconds().abs() > MOST_SECONDS {
        return Err(StartError::ClockSkew(offset.num_seconds()));
    }
    Ok(offset.num_microseconds().unwrap_or_default())
}

impl Inner {
    /// Measures again. A difference that is too large is reported and not followed.
    pub(super) async fn compare_clocks(&self) {
        match clock_offset(self.store.as_ref(), self.clock.as_ref()).await {
            Ok(offset) => self.offset.store(offset, Ordering::Relaxed),
            Err(error) => tracing::error!(%error, "the clock was not compared"),
        }
    }
}
