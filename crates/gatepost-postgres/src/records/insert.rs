//! New records: one in one round trip, several in one transaction.

use chrono::{DateTime, Utc};
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::seal::SealingKeys;
use gatepost_storage::webhooks::{InsertedRecords, NewRecords};
use tokio_postgres::Row;
use uuid::Uuid;
use webhook_model::{Event, Task, Webhook};

use super::table::{self, Cell, Stored, cells};
use super::task;
use crate::change::{Alone, KNOW, LOCKED, REVIVE, Words, lock_params, most};
use crate::db::{Param, Tx, missing};
use crate::error::{Failure, Result};
use crate::store::PostgresStore;

/// The statement that stores a record, and its parameters.
struct Insertion {
    sql: &'static str,
    words: &'static Words,
    now: DateTime<Utc>,
    size: i64,
    rows: i64,
    bytes: i64,
    /// Of a webhook.
    owner: Option<Uuid>,
    fields: Vec<Cell>,
}

/// What a try to store several came to: without a lock, which one was missing.
type Tried = std::result::Result<InsertedRecords, Option<i32>>;

impl Insertion {
    /// Of a record of this size; the owner may have this number of its kind, and of bytes.
    fn of<R: Stored>(
        record: &R,
        size: u64,
        (rows, bytes): (u64, u64),
        now: DateTime<Utc>,
        keys: &SealingKeys,
    ) -> Result<Self> {
        Ok(Self {
            sql: &R::table().insert,
            words: R::WORDS,
            now,
            size: most(size),
            rows: most(rows),
            bytes: most(bytes),
            owner: None,
            fields: cells(record, keys)?,
        })
    }

    fn params(&self) -> Vec<Param<'_>> {
        let mut own: Vec<Param<'_>> = vec![&self.now, &self.size, &self.rows, &self.bytes];
        own.extend(self.owner.iter().map(|owner| owner as Param<'_>));
        table::params(&own, &self.fields)
    }
}

impl PostgresStore {
    pub(super) async fn add(
        &self,
        records: NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<InsertedRecords> {
        let alone = alone(&records);
        let one = usize::from(records.webhook.is_some()) + usize::from(records.task.is_some());
        if one + records.events.len() > 1 {
            return self.add_together(&alone, &records, at_most, now).await;
        }
        let mut inserted = InsertedRecords::default();
        if let Some(webhook) = &records.webhook {
            let insertion = self.of_webhook(webhook, at_most, now)?;
            inserted.webhook = Some(self.read(&self.add_one(&alone, &insertion).await?)?);
        }
        if let Some(task) = &records.task {
            let insertion = self.of_task(task, at_most, now)?;
            inserted.task = Some(self.read(&self.add_one(&alone, &insertion).await?)?);
        }
        if let Some(event) = records.events.first() {
            let insertion = self.of_event(event, at_most, now)?;
            let row = self.add_one(&alone, &insertion).await?;
            inserted.events.push(self.read(&row)?);
        }
        Ok(inserted)
    }

    async fn add_one(&self, alone: &Alone, new: &Insertion) -> Result<Row> {
        let known: Vec<Param<'_>> = new.owner.iter().map(|owner| owner as Param<'_>).collect();
        let before = |sql| (!known.is_empty()).then_some((sql, &known[..]));
        let params = new.params();
        let insert = (new.sql, &params[..]);
        let mut answer = self.db().change(alone, before(KNOW), insert).await?;
        if answer.0 == "gone" {
            answer = self.db().change(alone, before(REVIVE), insert).await?;
        }
        new.words.check(&answer.0)?;
        Ok(answer.1)
    }

    async fn add_together(
        &self,
        alone: &Alone,
        records: &NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<InsertedRecords> {
        let (number, in_order) = (self.db().places(), Vec::new());
        let locks = lock_params(&number, &in_order, alone);
        let mut turn = self.db().waits().turn();
        loop {
            let tried = async {
                let tx = self.db().begin(turn.begin()).await?;
                if let Some(webhook) = &records.webhook {
                    tx.query(KNOW, &[&Uuid::from(webhook.owner)]).await?;
                }
                let not_had = missing(&tx.query(turn.sql(), &locks).await?)?;
                if not_had.is_some() {
                    return Ok(Err(not_had));
                }
                self.try_together(tx, records, at_most, now).await
            };
            let not_had = match tried.await {
                Ok(Ok(inserted)) => return Ok(inserted),
                Ok(Err(not_had)) => not_had,
                Err(failure) if turn.forgives(&failure) => None,
                Err(failure) => return Err(failure),
            };
            if !turn.next(not_had).await {
                return Err(Failure::unavailable(LOCKED));
            }
        }
    }

    /// With the locks; where one record is refused, the transaction is rolled back.
    async fn try_together(
        &self,
        tx: Tx,
        records: &NewRecords,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<Tried> {
        let mut inserted = InsertedRecords::default();
        if let Some(webhook) = &records.webhook {
            let insertion = self.of_webhook(webhook, at_most, now)?;
            let Some(row) = insert(&tx, &insertion).await? else {
                return Ok(Err(None));
            };
            inserted.webhook = Some(self.read(&row)?);
        }
        if let Some(task) = &records.task {
            let task = inserted.linked_task(task.clone());
            let insertion = self.of_task(&task, at_most, now)?;
            let Some(row) = insert(&tx, &insertion).await? else {
                return Ok(Err(None));
            };
            inserted.task = Some(self.read(&row)?);
        }
        for event in &records.events {
            let event = inserted.linked_event(event.clone());
            let insertion = self.of_event(&event, at_most, now)?;
            let Some(row) = insert(&tx, &insertion).await? else {
                return Ok(Err(None));
            };
            inserted.events.push(self.read(&row)?);
        }
        tx.commit().await?;
        Ok(Ok(inserted))
    }

    fn of_webhook(
        &self,
        webhook: &Webhook,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<Insertion> {
        let room = (at_most.webhooks, at_most.bytes);
        let insertion = Insertion::of(webhook, webhook.stored_bytes(), room, now, self.sealing())?;
        Ok(Insertion {
            owner: Some(Uuid::from(webhook.owner)),
            ..insertion
        })
    }

    fn of_task(&self, task: &Task, at_most: &RecordUsage, now: DateTime<Utc>) -> Result<Insertion> {
        let room = (at_most.tasks, at_most.bytes);
        Insertion::of(task, task.stored_bytes(), room, now, self.sealing())
    }

    fn of_event(
        &self,
        event: &Event,
        at_most: &RecordUsage,
        now: DateTime<Utc>,
    ) -> Result<Insertion> {
        let room = (at_most.events, at_most.bytes);
        Insertion::of(event, event.stored_bytes(), room, now, self.sealing())
    }

    fn read<R: Stored>(&self, row: &Row) -> Result<gatepost_storage::Row<R::Id, R>> {
        table::row(row, self.sealing())
    }
}

/// The row, or nothing where a lock is missing.
async fn insert(tx: &Tx, new: &Insertion) -> Result<Option<Row>> {
    let params = new.params();
    let mut row = tx.query_one(new.sql, &params).await?;
    let mut verdict: String = row.try_get("verdict")?;
    if let ("gone", Some(owner)) = (verdict.as_str(), &new.owner) {
        tx.query(REVIVE, &[owner]).await?;
        row = tx.query_one(new.sql, &params).await?;
        verdict = row.try_get("verdict")?;
    }
    if verdict == "again" {
        return Ok(None);
    }
    new.words.check(&verdict)?;
    Ok(Some(row))
}

/// Where the owners of new records stand: the webhook's, or that of what is named beside them.
fn alone(records: &NewRecords) -> Alone {
    let mut alone = Alone::default();
    match (&records.webhook, &records.task) {
        (Some(webhook), _) => alone.owners.push(Uuid::from(webhook.owner)),
        (None, Some(task)) => alone.webhooks = task::webhook_of(task),
        (None, None) => alone.tasks = records.events.iter().map(|event| event.task.0).collect(),
    }
    alone
}
