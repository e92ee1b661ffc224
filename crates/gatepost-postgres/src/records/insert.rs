//! New records: one in one round trip, several in one transaction.

use chrono::{DateTime, Utc};
use gatepost_storage::Row;
use gatepost_storage::owners::RecordUsage;
use gatepost_storage::webhooks::{InsertedRecords, NewRecords};
use uuid::Uuid;

use super::edit::webhook_of;
use super::table::{self, Cell, Stored, cells};
use crate::change::{Alone, KNOW, REVIVE, lock_params, most};
use crate::db::{Param, Tried, Tx, missing};
use crate::error::Result;
use crate::store::PostgresStore;

/// The limits of the owner, and the time.
#[derive(Clone, Copy)]
struct Limits<'a> {
    at_most: &'a RecordUsage,
    now: DateTime<Utc>,
}

/// The parameters of an insertion.
struct Insertion {
    now: DateTime<Utc>,
    size: i64,
    rows: i64,
    bytes: i64,
    /// Only for a webhook.
    owner: Option<Uuid>,
    fields: Vec<Cell>,
}

impl Insertion {
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
        let (alone, limits) = (alone(&records), Limits { at_most, now });
        let one = usize::from(records.webhook.is_some()) + usize::from(records.task.is_some());
        if one + records.events.len() > 1 {
            return self.add_together(&alone, &records, limits).await;
        }
        let mut inserted = InsertedRecords::default();
        if let Some(webhook) = &records.webhook {
            inserted.webhook = Some(self.add_one(&alone, webhook, limits).await?);
        }
        if let Some(task) = &records.task {
            inserted.task = Some(self.add_one(&alone, task, limits).await?);
        }
        if let Some(event) = records.events.first() {
            let event = self.add_one(&alone, event, limits).await?;
            inserted.events.push(event);
        }
        Ok(inserted)
    }

    async fn add_one<R: Stored>(
        &self,
        alone: &Alone,
        record: &R,
        limits: Limits<'_>,
    ) -> Result<Row<R::Id, R>> {
        let new = self.insertion(record, limits)?;
        let known: Vec<Param<'_>> = new.owner.iter().map(|owner| owner as Param<'_>).collect();
        let before = |sql| (!known.is_empty()).then_some((sql, &known[..]));
        let params = new.params();
        let insert = (R::table().insert.as_str(), &params[..]);
        let mut answer = self.db().change(alone, before(KNOW), insert).await?;
        if answer.0 == "gone" {
            answer = self.db().change(alone, before(REVIVE), insert).await?;
        }
        R::WORDS.check(&answer.0)?;
        table::row(&answer.1, self.sealing())
    }

    async fn add_together(
        &self,
        alone: &Alone,
        records: &NewRecords,
        limits: Limits<'_>,
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
                self.try_together(tx, records, limits).await
            };
            let tried = tried.await;
            if let Some(inserted) = turn.after(tried).await? {
                return Ok(inserted);
            }
        }
    }

    /// Inserts with the locks; if one record is refused, the transaction is rolled back.
    async fn try_together(
        &self,
        tx: Tx,
        records: &NewRecords,
        limits: Limits<'_>,
    ) -> Tried<InsertedRecords> {
        let mut inserted = InsertedRecords::default();
        if let Some(webhook) = &records.webhook {
            let Some(row) = self.insert(&tx, webhook, limits).await? else {
                return Ok(Err(None));
            };
            inserted.webhook = Some(row);
        }
        if let Some(task) = &records.task {
            let task = inserted.linked_task(task.clone());
            let Some(row) = self.insert(&tx, &task, limits).await? else {
                return Ok(Err(None));
            };
            inserted.task = Some(row);
        }
        for event in &records.events {
            let event = inserted.linked_event(event.clone());
            let Some(row) = self.insert(&tx, &event, limits).await? else {
                return Ok(Err(None));
            };
            inserted.events.push(row);
        }
        tx.commit().await?;
        Ok(Ok(inserted))
    }

    /// Returns the row, or nothing if a lock is missing.
    async fn insert<R: Stored>(
        &self,
        tx: &Tx,
        record: &R,
        limits: Limits<'_>,
    ) -> Result<Option<Row<R::Id, R>>> {
        let new = self.insertion(record, limits)?;
        let (sql, params) = (R::table().insert.as_str(), new.params());
        let mut row = tx.query_one(sql, &params).await?;
        let gone = row.try_get::<_, &str>("verdict")? == "gone";
        if let (true, Some(owner)) = (gone, &new.owner) {
            tx.query(REVIVE, &[owner]).await?;
            row = tx.query_one(sql, &params).await?;
        }
        match row.try_get::<_, &str>("verdict")? {
            "again" => return Ok(None),
            verdict => R::WORDS.check(verdict)?,
        }
        table::row(&row, self.sealing()).map(Some)
    }

    fn insertion<R: Stored>(&self, record: &R, limits: Limits<'_>) -> Result<Insertion> {
        Ok(Insertion {
            now: limits.now,
            size: record.size(),
            rows: R::limit(limits.at_most),
            bytes: most(limits.at_most.bytes),
            owner: record.named_owner(),
            fields: cells(record, self.sealing())?,
        })
    }
}

/// Returns the locks of new records: of the webhook's owner, or of the owners of the referenced
/// records.
fn alone(records: &NewRecords) -> Alone {
    let mut alone = Alone::default();
    match (&records.webhook, &records.task) {
        (Some(webhook), _) => alone.owners.push(Uuid::from(webhook.owner)),
        (None, Some(task)) => alone.webhooks = webhook_of(task),
        (None, None) => alone.tasks = records.events.iter().map(|event| event.task.0).collect(),
    }
    alone
}
