//! Work that takes milliseconds, done where it holds up nobody.

use tokio::task::spawn_blocking;

use crate::error::ApiError;

/// Does the work on a thread for what blocks. If it panics, the request fails with 500.
pub(crate) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, ApiError> + Send + 'static,
) -> Result<T, ApiError> {
    let done = spawn_blocking(work).await;
    done.unwrap_or_else(|_| Err(ApiError::internal()))
}
