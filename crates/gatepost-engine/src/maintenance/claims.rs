//! Maintenance of each process: it checks its clock, and reclaims lost claims.

use std::collections::BTreeMap;
use std::sync::{Arc, MutexGuard, PoisonError};
use std::time::Duration;

use chrono::{DateTime, DurationRound as _, TimeDelta, Utc};
use gatepost_storage::webhooks::{Delivery, DeliveryId, DeliveryQuery, DeliveryState, Reclaimed};
use gatepost_storage::{Bodies, Page, StoreError};

use super::chore::BREATH;
use super::dependencies::Maintenance;
use crate::clock::ClockSteps;
use crate::guard::guarded;
use crate::meter;

/// Rows reclaimed or made due earlier in one transaction.
const BITE: u32 = 500;
/// The interval at which clocks are checked.
const SECOND: Duration = Duration::from_secs(1);
/// The number of rounds between two searches for lost claims: their leases lasted half a minute and
/// more.
const RECLAIM: usize = 5;
/// The number of rounds between two comparisons of the clock with the server's.
const COMPARE: usize = 60;
/// The lease under which one process makes pending deliveries due earlier when the clock was set
/// back.
const SET_BACK: &str = "set the clock back";
const LEASED: Duration = Duration::from_secs(150);
const A_SECOND: TimeDelta = TimeDelta::seconds(1);

impl Maintenance {
    /// Checks the clock each second, compares it each minute, and reclaims lost claims every few
    /// seconds, until the engine stops.
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
            if round % COMPARE == COMPARE - 1 {
                self.core.clock.compare(&*self.core.store).await;
            }
        }
    }

    /// Checks the clock, and reclaims lost claims if that is due and the clock was not set
    /// recently. If it was set back, pending deliveries become due earlier by the same time.
    async fn take_back(&self, is_due: bool) -> Result<(), StoreError> {
        let settled = self.clock_is_settled().await?;
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

    /// Makes deliveries that wait by a clock that was ahead due earlier by the same time; the delay
    /// that a target asked for stays. If this was begun again, they would be early: what the store
    /// refuses is tried until it is done.
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

    /// Makes the deliveries found due, or looks for more. Returns how many rows it read.
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
            // Never early, and few distinct times.
            let due = (row.due - back).duration_trunc(A_SECOND);
            let due = due.map_or(row.due, |due| due + A_SECOND).max(now);
            earlier.entry(due).or_default().push(row.id);
        }
        query.page.after = rows.last().map(|last| last.id).or(query.page.after);
        Ok(rows.len())
    }

    /// Checks the clock: returns whether it is right, and was not set for as long as a lease may
    /// last.
    pub(super) async fn clock_is_settled(&self) -> Result<bool, StoreError> {
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
}

/// Whether a delivery waits by a clock that was ahead: its latest due time has passed, or it was
/// last tried in the future.
fn waits_by_a_clock_ahead(row: &Delivery, now: DateTime<Utc>) -> bool {
    row.due > now && (row.tries == 0 || row.last_attempt.is_some_and(|began| began > now))
}
