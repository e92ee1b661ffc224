//! When a program is asked to stop.

use std::future::Future;
use std::io;

use tokio::signal::unix::{SignalKind, signal};

/// Ready on Ctrl-C or SIGTERM, which end nothing by themselves from this call on.
///
/// # Errors
/// When the signals cannot be listened to.
pub fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}
