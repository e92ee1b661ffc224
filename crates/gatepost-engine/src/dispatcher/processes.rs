//! Counts the sending processes: a webhook's rate is shared among them. Each holds a lease of a
//! number, the lowest that was free.

use std::time::Duration;

use gatepost_storage::StoreError;

use super::dependencies::Dispatcher;
use crate::guard::guarded;

/// How long a process has its number, and after what time it renews it.
const LEASED: Duration = Duration::from_secs(60);
const EXTENDED: Duration = Duration::from_secs(20);
/// The maximum number; further processes share the last one.
const MOST: u32 = 64;

impl Dispatcher {
    /// Runs until the engine stops.
    pub(super) async fn count_processes(&self) {
        while self.core.lifecycle.is_running() {
            match self.processes().await {
                Ok((live, own)) => self.admission.set_processes(live, own),
                Err(error) => {
                    guarded(|| tracing::warn!(%error, "could not take a lease"));
                }
            }
            self.core.lifecycle.rest(EXTENDED).await;
        }
    }

    /// Returns the number of processes, and the number of this one.
    async fn processes(&self) -> Result<(u32, u32), StoreError> {
        let (mut live, mut own) = (0, None);
        for number in 0..MOST {
            let name = format!("process {number}");
            // For other numbers only their state is asked: a free one is free again immediately.
            let time = own.map_or(LEASED, |_| Duration::ZERO);
            let is_free = self.core.lease(&name, time).await?;
            if own.is_none() && is_free {
                own = Some(number);
            } else if is_free {
                break;
            }
            live = number + 1;
        }
        Ok((live.max(1), own.unwrap_or(MOST)))
    }
}
