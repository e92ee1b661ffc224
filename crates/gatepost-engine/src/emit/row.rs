//! One row of the outbox: a batch of it is stored, or it waits.

use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_ids::Realm;
use gatepost_storage::webhooks::{OutboxAudience, OutboxId, OutboxRow, PutBack, RemainingTasks};
use webhook_model::{Occurrence, OwnerId, TaskId};

use super::draft::{Before, Drafted};
use super::draft_set::Set;
use super::drain::{OutboxDrain, RealmsOf};
use super::finder::Ask;
use super::plan::Spent;
use super::preconditions::Races;
use super::sink::{Decided, RowAt, Sink};
use crate::error::EmitError;
use crate::guard::guarded;
use crate::lifecycle::Lifecycle;

/// The first pause of a row that cannot be decided, and the longest: each is half as long as the
/// row is old.
const FIRST_PAUSE: Duration = Duration::from_millis(250);
const LONGEST_PAUSE: Duration = Duration::from_secs(300);
/// How long other processes leave a row with which this one continues.
const GOING_ON: Duration = Duration::from_secs(5);

/// A row of the outbox that can be read.
#[derive(Debug)]
pub(super) struct Row {
    pub id: OutboxId,
    /// The audience as it is stored.
    audience: OutboxAudience,
    pub turn: u32,
    pub occurrence: Occurrence,
    pub left: RemainingTasks,
    /// The user who ran it manually.
    pub by: Option<OwnerId>,
    pub created: DateTime<Utc>,
    /// The resources that its occurrence used, as far as this process knows.
    spent: Spent,
}

/// A row, with the state of its tries.
#[derive(Debug)]
pub(super) struct TriedRow {
    pub row: Row,
    pub races: Races,
}

impl Row {
    /// Returns the pause if it cannot be decided at `now`.
    pub(super) fn pause(&self, now: DateTime<Utc>) -> Duration {
        let age = (now - self.created).to_std().unwrap_or_default();
        (age / 2).clamp(FIRST_PAUSE, LONGEST_PAUSE)
    }

    /// The same behind rows the first of which is due then. All rows of a long queue are due when
    /// its head is, so that they are stored in one transaction, and none waits for another turn.
    fn pause_behind(&self, due: DateTime<Utc>, now: DateTime<Utc>) -> Duration {
        let until = (due - now).to_std().unwrap_or_default();
        until.clamp(FIRST_PAUSE, self.pause(now))
    }

    fn ask<'a>(&'a self, places: &'a [Realm], patience: Option<&'a Lifecycle>) -> Ask<'a> {
        Ask {
            by: self.by,
            // The outbox does not store the context.
            context: None,
            occurrence: &self.occurrence,
            places,
            left: self.left.clone(),
            patience,
        }
    }

    fn at(&self, places: &[Realm], now: DateTime<Utc>) -> RowAt {
        // An occurrence with an id happens once, however often it was written to the outbox.
        let is_new = self.left == RemainingTasks::After(TaskId(0));
        let id = self.occurrence.id.clone().filter(|_| is_new);
        RowAt {
            id: self.id,
            audience: self.audience,
            turn: self.turn,
            named: places.first().copied().zip(id),
            next: now + GOING_ON,
            wait: now + self.pause(now),
        }
    }
}

impl OutboxDrain {
    /// Reads a row. One that only the platform can fix is set aside with the reason.
    pub(super) async fn readable(&self, row: OutboxRow) -> Result<Option<Row>, EmitError> {
        let authorizer = &self.core.access;
        match row.occurrence {
            Ok(occurrence) => {
                let audience = authorizer.audience_in_outbox(occurrence.audience);
                Ok(Some(Row {
                    id: row.id,
                    audience: occurrence.audience.into(),
                    turn: row.turn,
                    occurrence: occurrence.with_audience(audience),
                    left: row.left,
                    by: row.by,
                    created: row.created,
                    spent: Spent::default(),
                }))
            }
            Err(unreadable) => {
                self.set_aside(row.id, row.turn, unreadable.to_string())
                    .await?;
                Ok(None)
            }
        }
    }

    /// Drafts a batch of a row together with this set, behind it.
    pub(super) async fn draft<T>(
        &self,
        tried: &mut TriedRow,
        places: &RealmsOf,
        set: &Set<T>,
        now: DateTime<Utc>,
    ) -> Result<Drafted, EmitError> {
        let TriedRow { row, races } = tried;
        self.core.access.check_audience(&row.occurrence)?;
        let places = match places.get(&row.occurrence.audience) {
            Some(Some(Ok(places))) => places,
            Some(Some(Err(error))) => return Err(error.clone()),
            Some(None) | None => return Ok(Drafted::Decided(Decided::Undecided)),
        };
        let ask = row.ask(places, None);
        let before = Before {
            occurrence: &row.spent,
            set: &set.spent,
            first: set.is_clear(row.occurrence.audience),
        };
        let sink = Sink::Row(row.at(places, now));
        self.emitter.draft(&ask, &sink, before, races).await
    }

    pub(super) async fn decide(
        &self,
        row: &Row,
        places: &[Realm],
        patience: Option<&Lifecycle>,
        now: DateTime<Utc>,
    ) -> Result<Decided, EmitError> {
        let ask = row.ask(places, patience);
        let sink = Sink::Row(row.at(places, now));
        self.emitter.decide(&ask, &sink, &row.spent).await
    }

    pub(super) async fn conclude(
        &self,
        mut row: Row,
        decided: Result<Decided, EmitError>,
        now: DateTime<Utc>,
    ) -> Result<Option<Row>, EmitError> {
        match decided {
            // A row that waits for the platform is due again when the platform answers.
            Ok(Decided::Stored {
                left, used, waits, ..
            }) => Ok(left.filter(|_| !waits).map(|left| {
                row.spent.merge(&used);
                Row {
                    turn: row.turn + 1,
                    left,
                    ..row
                }
            })),
            Ok(Decided::Repeated) => Ok(None),
            Ok(Decided::TooMuch | Decided::Undecided) => self
                .postpone(&row, row.pause(now), now)
                .await
                .map(|()| None),
            Ok(Decided::Behind { due, .. }) => self
                .postpone(&row, row.pause_behind(due, now), now)
                .await
                .map(|()| None),
            Err(EmitError::WrongAudience(reason)) => self
                .set_aside(row.id, row.turn, reason.to_owned())
                .await
                .map(|()| None),
            Err(error) => {
                let id = row.id.0;
                guarded(|| tracing::warn!(row = id, %error, "an occurrence waits in the outbox"));
                self.postpone(&row, row.pause(now), now)
                    .await
                    .map(|()| None)
            }
        }
    }

    pub(super) async fn postpone(
        &self,
        row: &Row,
        pause: Duration,
        now: DateTime<Utc>,
    ) -> Result<(), EmitError> {
        let later = PutBack::Until(now + pause);
        Ok(self.core.store.put_back(row.id, row.turn, later).await?)
    }

    async fn set_aside(&self, row: OutboxId, turn: u32, reason: String) -> Result<(), EmitError> {
        guarded(|| {
            let row = row.0;
            tracing::warn!(row, reason, "an occurrence in the outbox cannot be used");
        });
        let aside = PutBack::Aside(reason);
        Ok(self.core.store.put_back(row, turn, aside).await?)
    }
}
