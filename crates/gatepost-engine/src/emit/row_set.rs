//! Rows of the outbox that are decided in order and stored in one transaction.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{Enqueue, Enqueued, RoutesVersion};
use gatepost_storage::{ErrorKind, StoreError};

use super::draft::{Draft, Drafted};
use super::draft_set::Set;
use super::drain::{OutboxDrain, RealmsOf};
use super::preconditions::Races;
use super::row::{Row, TriedRow};
use super::sink::Decided;
use crate::error::EmitError;

/// The result for some rows.
#[derive(Debug, Default)]
struct RowOutcome {
    /// The rows with which this process continues.
    left: Vec<Row>,
    /// The rows that must be decided again, because the records have changed.
    again: Vec<TriedRow>,
    /// The realms that must be read again for that.
    seen: Vec<Vec<(Realm, RoutesVersion)>>,
}

impl OutboxDrain {
    /// Stores a batch of each row, in order; returns the rows with which this process continues.
    /// One that cannot be decided is postponed, and stops no other. An error: postponing failed,
    /// too.
    pub(super) async fn take(
        self: &Arc<Self>,
        rows: Vec<Row>,
        places: &RealmsOf,
        now: DateTime<Utc>,
    ) -> Result<Vec<Row>, EmitError> {
        let tried = |row| TriedRow {
            row,
            races: Races::default(),
        };
        let mut rows: Vec<TriedRow> = rows.into_iter().map(tried).collect();
        let mut left = Vec::new();
        // This loop ends: what changes in each round goes to the outbox after a few tries.
        while !rows.is_empty() {
            let mut outcome = RowOutcome::default();
            self.take_once(rows, places, now, &mut outcome).await?;
            for seen in &outcome.seen {
                self.emitter.finder.tables.refresh(seen).await?;
            }
            left.append(&mut outcome.left);
            rows = outcome.again;
        }
        Ok(left)
    }

    async fn take_once(
        self: &Arc<Self>,
        rows: Vec<TriedRow>,
        places: &RealmsOf,
        now: DateTime<Utc>,
        outcome: &mut RowOutcome,
    ) -> Result<(), EmitError> {
        let mut set = Set::default();
        for mut tried in rows {
            if set.is_full(&self.emitter.limits) {
                self.store(std::mem::take(&mut set), now, outcome).await?;
            }
            let mut drafted = self.draft(&mut tried, places, &set, now).await;
            if matches!(drafted, Ok(Drafted::NotFirst)) {
                self.store(std::mem::take(&mut set), now, outcome).await?;
                if outcome.again.is_empty() {
                    drafted = self.draft(&mut tried, places, &set, now).await;
                }
            }
            match drafted {
                Ok(Drafted::Draft(draft, enqueue)) => {
                    set.count(&draft);
                    let audience = tried.row.occurrence.audience;
                    set.push((tried, draft), audience, enqueue);
                }
                // If earlier rows are decided again, this one is, too.
                Ok(Drafted::NotFirst) => outcome.again.push(tried),
                Ok(Drafted::Decided(
                    Decided::Undecided | Decided::Behind { unknown: true, .. },
                )) => self.wait(tried.row, now).await?,
                Ok(Drafted::Decided(decided)) => {
                    let left = self.conclude(tried.row, Ok(decided), now).await?;
                    outcome.left.extend(left);
                }
                Err(error) => {
                    self.conclude(tried.row, Err(error), now).await?;
                }
            }
        }
        self.store(set, now, outcome).await
    }

    async fn store(
        &self,
        set: Set<(TriedRow, Box<Draft>)>,
        now: DateTime<Utc>,
        outcome: &mut RowOutcome,
    ) -> Result<(), EmitError> {
        let stored = self.enqueue(set.enqueues).await?;
        let mut concluded = Vec::new();
        // Leased deliveries are sent first, whatever the results of the others are.
        for ((mut tried, draft), stored) in set.items.into_iter().zip(stored) {
            let decided = match stored {
                Ok(stored) => self.emitter.conclude(*draft, stored, &mut tried.races),
                Err(error) => {
                    concluded.push((tried.row, Err(error.into())));
                    continue;
                }
            };
            match decided {
                Ok(decided) => concluded.push((tried.row, Ok(decided))),
                Err(seen) => {
                    outcome.again.push(tried);
                    if !outcome.seen.contains(&seen) {
                        outcome.seen.push(seen);
                    }
                }
            }
        }
        for (row, decided) in concluded {
            outcome.left.extend(self.conclude(row, decided, now).await?);
        }
        Ok(())
    }

    /// Returns an answer for each. If one of them makes all fail, each is stored separately, until
    /// the store is unavailable for one: otherwise the rest would wait as long, one after the
    /// other.
    async fn enqueue(
        &self,
        enqueues: Vec<Enqueue>,
    ) -> Result<Vec<Result<Enqueued, StoreError>>, EmitError> {
        let stored = self.emitter.store_all(enqueues.clone()).await?;
        let all = stored.len() == enqueues.len();
        if enqueues.len() < 2 || all && stored.iter().any(Result::is_ok) {
            return Ok(stored);
        }
        let now = self.core.clock.now()?;
        let (mut stored, mut away) = (Vec::new(), false);
        for enqueue in enqueues {
            let one = match away {
                true => Err(StoreError::new(ErrorKind::Unavailable, "enqueueing")),
                false => self.core.store.enqueue(enqueue, now).await,
            };
            away |= one.as_ref().is_err_and(StoreError::is_transient);
            stored.push(one);
        }
        Ok(stored)
    }
}
