//! Work that takes milliseconds, moved off the request threads.

use tokio::task::spawn_blocking;

use crate::error::{ApiError, Result};

/// Runs the work on a blocking thread. If it panics, the request fails with 500.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(ApiError::internal()))
}
