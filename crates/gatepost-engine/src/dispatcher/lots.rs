//! Backlogs are sent at a bounded rate, by one process at a time: it holds a lease of their lot.

use std::time::Duration;

use gatepost_storage::StoreError;
use tokio::time::Instant;

use super::part::Dispatcher;
use crate::admission::Lot;
use crate::guard::guarded;

/// How long a lease lasts, and how long this process takes it for granted: what was claimed in that
/// time has been sent when another process may begin.
const LEASED: Duration = Duration::from_secs(15);
const GRANTED: Duration = Duration::from_secs(10);
/// How often leases are extended, and asked for again.
const EXTENDED: Duration = Duration::from_secs(5);
/// This often all lanes are looked through while a lot is held: other processes leave the backlogs
/// of it to this one, and may not have said so.
const SWEEP: Duration = Duration::from_secs(60);

/// Whether this process has had a lot for some time.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
enum Held {
    Before,
    /// It does not know all that is in it.
    Since,
}

impl Dispatcher {
    /// Runs until the engine stops.
    pub(super) async fn hold_lots(&self) {
        let (lanes, lifecycle) = (&self.admission.lanes, &self.core.lifecycle);
        let mut swept = Instant::now();
        while lifecycle.is_running() {
            let mut held = None;
            for lot in lanes.lots() {
                match self.hold(lot).await {
                    Ok(holds) => held = held.max(holds),
                    Err(error) => {
                        guarded(|| tracing::warn!(%error, "could not take a lease"));
                        break;
                    }
                }
            }
            let again = held == Some(Held::Before) && swept.elapsed() >= SWEEP;
            if held == Some(Held::Since) || again {
                swept = Instant::now();
                lanes.inquiries.sweep();
            }
            tokio::select! {
                biased;
                () = lifecycle.stopped() => {}
                () = lanes.asked_for_lots() => {}
                () = tokio::time::sleep(EXTENDED) => {}
            }
        }
    }

    async fn hold(&self, lot: Lot) -> Result<Option<Held>, StoreError> {
        let (lanes, began) = (&self.admission.lanes, Instant::now());
        let name = format!("send backlogs {}", lot.0);
        if !self.core.lease(&name, LEASED).await? {
            lanes.leave_lot(lot);
            return Ok(None);
        }
        let is_new = lanes.hold_lot(lot, began + GRANTED);
        Ok(Some(if is_new { Held::Since } else { Held::Before }))
    }
}
