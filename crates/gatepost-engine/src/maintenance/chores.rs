//! What is done each second, and each minute.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use gatepost_storage::webhooks::{
    Delivery, DeliveryId, DeliveryQuery, DeliveryState, PurgeBounds, Reclaimed,
};
use gatepost_storage::{Bodies, Page, StoreError};
use tokio::time::Instant;

use crate::admission::Admission;
use crate::clock::ClockSteps;
use crate::config::Retention;
use crate::core::Core;
use crate::guard::guarded;
use crate::meter;

/// Rows removed, reclaimed or expired in one transaction.
const BITE: u32 = 500;
/// How often clocks are tended.
const SECOND: Duration = Duration::from_secs(1);
/// Lost claims are looked for in one of five of those rounds: their leases lasted half a minute and
/// more.
const RECLAIM: usize = 5;
/// How often the slower chores are done.
const ROUND: Duration = Duration::from_secs(60);
/// Under which one process at a time does them, and for how long it has them for itself.
const LEASE: &str = "clean the log";
const LEASED: Duration = Duration::from_secs(150);
/// After this time of work it is extended.
const EXTENDED: Duration = Duration::from_secs(60);
/// Under which one process makes what waits due earlier when the clock was set back.
const SET_BACK: &str = "set the clock back";
const A_SECOND: TimeDelta = TimeDelta::seconds(1);
/// Between two transactions, so that others can write.
pub(super) const BREATH: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub(crate) struct Maintenance {
    pub core: Arc<Core>,
    /// Kept here, so that a step is not forgotten when a part is started again.
    pub steps: Mutex<ClockSteps>,
    pub retention: Retention,
    pub admission: Arc<Admission>,
}

impl Maintenance {
    /// Looks at the clock each second, and takes back lost claims
    /// every few seconds, until the engine stops.
    pub(crate) async fn tend_claims(self: Arc<Self>) {
        for round in 0_usize.. {
            if !self.core.lifecycle.is_running() {
                break;
            }
            if let Err(error) = self.take_back(round.is_multiple_of(RECLAIM)).await {
                guarded(|| tracing::warn!(%error, "could not take back lost claims"));
            }
            meter::in_flight(self.admission.in_flight());
            self.core.lifecycle.rest(SECOND).await;
        }
    }

    /// Expires and purges, one process at a time, and compares clocks each minute, until the engine
    /// stops. While the clock may have been set by mistake, nothing is removed: it would not come
    /// back.
    pub(crate) async fn tend_log(self: Arc<Self>) {
        while self.core.lifecycle.is_running() {
            if self.clock_is_settled().await
                && self.core.has_lease(LEASE, LEASED).await
                && let Err(error) = self.remove_old().await
            {
                guarded(|| tracing::warn!(%error, "could not remove what is old"));
            }
            self.core.lifecycle.rest(ROUND).await;
            self.core.clock.compare(&*self.core.store).await;
        }
    }

    /// Looks at the clock, and takes back lost claims if that is due and the clock was not set a
    /// short while ago. If it was set back, what waits does not wait for as much longer.
    async fn take_back(&self, is_due: bool) -> Result<(), StoreError> {
        let settled = self.settled().await?;
        if self.core.clock.is_right() {
            let back = self.steps().set_back()?;
            if let Some(back) = back
                && self.core.has_lease(SET_BACK, LEASED).await
            {
                self.bring_forward(back).await;
            }
            self.steps().note_right()?;
        }
        if settled && is_due {
            self.reclaim().await?;
        }
        Ok(())
    }

    /// What waits by a clock that was ahead is due as much earlier; the delay that a target asked
    /// for stays. Begun again, it would be early: what the store refuses is tried until it is done.
    async fn bring_forward(&self, back: TimeDelta) {
        let mut query = DeliveryQuery {
            states: vec![DeliveryState::Queued],
            ..DeliveryQuery::all(Page::first(BITE).with_bodies(Bodies::Omitted))
        };
        let mut earlier = BTreeMap::new();
        while self.core.lifecycle.is_running() {
            match self.bring_some(back, &mut query, &mut earlier).await {
                Ok(0) if earlier.is_empty() => break,
                Ok(_) => self.core.lifecycle.rest(BREATH).await,
                Err(error) => {
                    guarded(|| tracing::warn!(%error, "could not make deliveries due earlier"));
                    self.core.lifecycle.rest(SECOND).await;
                }
            }
        }
        self.admission.inquiries.look();
    }

    /// Makes those due that were found, or looks for more. Returns how many rows it met.
    async fn bring_some(
        &self,
        back: TimeDelta,
        query: &mut DeliveryQuery,
        earlier: &mut BTreeMap<DateTime<Utc>, Vec<DeliveryId>>,
    ) -> Result<usize, StoreError> {
        if let Some(first) = earlier.first_entry() {
            self.core.store.hasten(first.get(), *first.key()).await?;
            return Ok(first.remove().len());
        }
        let (rows, now) = (
            self.core.store.list_deliveries(query).await?,
            self.core.clock.now()?,
        );
        for row in rows.iter().filter(|row| waits_by_a_clock_ahead(row, now)) {
            // Never early, and few moments.
            let due = (row.due - back).duration_trunc(A_SECOND);
            let due = due.map_or(row.due, |due| due + A_SECOND).max(now);
            earlier.entry(due).or_default().push(row.id);
        }
        query.page.after = rows.last().map(|last| last.id).or(query.page.after);
        Ok(rows.len())
    }

    async fn clock_is_settled(&self) -> bool {
        self.settled().await.unwrap_or_else(|error| {
            guarded(|| tracing::warn!(%error, "could not remove what is old"));
            false
        })
    }

    /// Looks at the clock: whether it is right, and was not set for as long as a lease may last.
    async fn settled(&self) -> Result<bool, StoreError> {
        let (stepped, settled) = {
            let mut steps = self.steps();
            (steps.has_stepped()?, steps.is_settled()?)
        };
        if stepped || !self.core.clock.is_right() {
            self.core.clock.compare(&*self.core.store).await;
        }
        Ok(settled && self.core.clock.is_right())
    }

    fn steps(&self) -> MutexGuard<'_, ClockSteps> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn reclaim(&self) -> Result<(), StoreError> {
        loop {
            let now = self.core.clock.now()?;
            let Reclaimed { requeued, ended } = self.core.store.reclaim(BITE, now).await?;
            if requeued + ended > 0 {
                self.admission.inquiries.look();
                meter::lost_claims(requeued + ended);
                guarded(|| tracing::warn!(requeued, ended, "took back claims of dead workers"));
            }
            if requeued + ended < u64::from(BITE) {
                return Ok(());
            }
        }
    }

    /// Rests as long as each call takes, and ends when another process has the lease.
    async fn remove_old(&self) -> Result<(), StoreError> {
        let (now, mut leased) = (self.core.clock.now()?, Instant::now());
        let held = ago(now, self.retention.held);
        let bounds = PurgeBounds {
            created_before: ago(now, self.retention.deliveries),
            bytes: self.retention.bytes,
            counts_before: ago(now, self.retention.counts),
            occurrences_before: ago(now, self.retention.occurrences),
        };
        let (mut expired, mut purged) = (false, false);
        while self.core.lifecycle.is_running() && !(expired && purged) {
            if leased.elapsed() >= EXTENDED {
                if !self.core.has_lease(LEASE, LEASED).await {
                    break;
                }
                leased = Instant::now();
            }
            let began = Instant::now();
            if expired {
                purged = !self.core.store.purge(&bounds, BITE, now).await?.more;
            } else {
                let count = self.core.store.expire_held(held, BITE, now).await?;
                expired = count < u64::from(BITE);
            }
            self.core.lifecycle.rest(began.elapsed().max(BREATH)).await;
        }
        Ok(())
    }
}

/// Whether a delivery waits by a clock that was ahead: it is not to be tried later than now, or it
/// was last tried in the future.
fn waits_by_a_clock_ahead(row: &Delivery, now: DateTime<Utc>) -> bool {
    row.due > now && (row.tries == 0 || row.last_attempt.is_some_and(|began| began > now))
}

fn ago(now: DateTime<Utc>, time: Duration) -> DateTime<Utc> {
    TimeDelta::from_std(time)
        .ok()
        .and_then(|time| now.checked_sub_signed(time))
        .unwrap_or(DateTime::<Utc>::MIN_UTC)
}
