//! Enqueues: many callers, one statement.

mod columns;
mod rounds;

use std::collections::HashSet;

use async_trait::async_trait;
use chrono::{DateTime, Utc};
use deadpool_postgres::Transaction;
use gatepost_storage::ErrorKind;
use gatepost_storage::webhooks::{
    ClaimToken, DeliveryId, Enqueue, Enqueued, RoutesVersion, StoredDelivery,
};
use tokio_postgres::Row;

use self::columns::{Columns, Item, parts};
use self::rounds::without_rivals;
use crate::batch::batcher::Work;
use crate::db::Db;
use crate::error::{Failure, Result};

const SINGLE: &str = include_str!("../../sql/queue/enqueue_single.sql");
/// The verdict of `SINGLE` on an enqueue that a change of records overtook.
const OVERTAKEN: i32 = 4;

pub(crate) struct EnqueueWork {
    db: Db,
}

impl EnqueueWork {
    pub(crate) fn new(db: Db) -> Self {
        Self { db }
    }
}

#[async_trait]
impl Work for EnqueueWork {
    type Item = Item;
    type Answer = Enqueued;
    /// Deliveries, about: a body may have a mebibyte.
    const MOST: usize = 1024;

    fn weight((batch, _): &Item) -> usize {
        let bytes: usize = batch.deliveries.iter().map(|d| d.body.len()).sum();
        1 + batch.deliveries.len() + bytes / 16_384
    }

    async fn run(&self, items: Vec<Item>) -> Vec<Result<Enqueued>> {
        let mut answers: Vec<Option<Result<Enqueued>>> = items.iter().map(|_| None).collect();
        let mut left: Vec<usize> = (0..items.len()).collect();
        while !left.is_empty() {
            let (round, rest) = without_rivals(&items, left);
            let chosen: Vec<&Item> = round.iter().filter_map(|at| items.get(*at)).collect();
            for (at, answer) in round.into_iter().zip(self.round(&chosen).await) {
                if let Some(place) = answers.get_mut(at) {
                    *place = Some(answer);
                }
            }
            left = rest;
        }
        answers
            .into_iter()
            .map(|a| a.unwrap_or_else(|| Err(Failure::unavailable("the batch was cancelled"))))
            .collect()
    }
}

impl EnqueueWork {
    /// Items that do not conflict. One that the database refuses must not fail the others, so a
    /// batch that fails permanently is repeated one by one.
    async fn round(&self, items: &[&Item]) -> Vec<Result<Enqueued>> {
        if let [(batch, now)] = items
            && !batch.consume.is_empty()
        {
            return vec![self.consuming(batch, *now).await];
        }
        let mut tries = 0;
        let failure = loop {
            match self.together(items).await {
                Ok(answers) => return answers,
                Err(failure) if failure.was_victim && tries < 3 => tries += 1,
                Err(failure) => break failure,
            }
        };
        if items.len() == 1 || failure.is_transient() {
            return items.iter().map(|_| Err(failure.clone())).collect();
        }
        let mut answers = Vec::with_capacity(items.len());
        for item in items {
            answers.push(match self.together(&[*item]).await {
                Ok(answer) => answer.into_iter().next().unwrap_or_else(|| {
                    Err(Failure::unavailable("the database returned no result"))
                }),
                Err(failure) => Err(failure),
            });
        }
        answers
    }

    async fn together(&self, items: &[&Item]) -> Result<Vec<Result<Enqueued>>> {
        let columns = Columns::of(items);
        if items.len() == 1 && columns.is_direct() {
            let row = self.db.query_opt(SINGLE, &columns.params()).await?;
            if !overtaken(row.as_ref())? {
                return answers(items, row.as_ref());
            }
        }
        let rows = self
            .db
            .pipeline(
                &self.db.begin_shared(),
                &[(columns.sql(), &columns.params())],
            )
            .await?;
        answers(items, rows.first())
    }

    /// An enqueue that deletes one-time tasks changes the routes too, so it locks them exclusively.
    async fn consuming(&self, batch: &Enqueue, now: DateTime<Utc>) -> Result<Enqueued> {
        let mut client = self.db.client().await?;
        let tx = client.transaction().await?;
        tx.execute("SELECT pg_advisory_xact_lock($1)", &[&self.db.lock()])
            .await?;
        // The deletion comes first, so that a missing task is reported before a faulty delivery.
        let consumed = consume(&tx, batch).await?;
        let mut item = (batch.clone(), now);
        if !consumed {
            item.0.deliveries.clear();
        }
        let columns = Columns::of(&[&item]);
        let statement = tx.prepare_cached(columns.sql()).await?;
        let rows = tx.query(&statement, &columns.params()).await?;
        let answer = answers(&[&item], rows.first())?.into_iter().next();
        match answer
            .unwrap_or_else(|| Err(Failure::unavailable("the database returned no result")))?
        {
            Enqueued::Stored { .. } if !consumed => Ok(Enqueued::RoutesChanged),
            Enqueued::Stored { deliveries, .. } => {
                let routes = self.db.routes_changed(&tx).await?;
                let routes = RoutesVersion(routes);
                tx.commit().await?;
                Ok(Enqueued::Stored { deliveries, routes })
            }
            Enqueued::AlreadyKnown => {
                tx.rollback().await?;
                if let (Some(_), Some(row)) = parts(&batch.origin) {
                    let use_up =
                        "DELETE FROM gatepost_occurrence WHERE id = $1 AND rejected IS NULL";
                    client.execute(use_up, &[&row.0]).await?;
                }
                Ok(Enqueued::AlreadyKnown)
            }
            Enqueued::RoutesChanged => Ok(Enqueued::RoutesChanged),
        }
    }
}

/// Deletes the tasks; `false` when one of them is gone already.
async fn consume(tx: &Transaction<'_>, batch: &Enqueue) -> Result<bool> {
    let tasks: HashSet<i64> = batch.consume.iter().map(|t| t.0).collect();
    let tasks: Vec<i64> = tasks.into_iter().collect();
    let deleted = tx
        .execute("DELETE FROM gatepost_task WHERE id = ANY ($1)", &[&tasks])
        .await?;
    Ok(usize::try_from(deleted).ok() == Some(tasks.len()))
}

fn overtaken(row: Option<&Row>) -> Result<bool> {
    let verdicts: Option<Vec<i32>> = row.map(|row| row.try_get("verdicts")).transpose()?;
    Ok(verdicts.is_some_and(|verdicts| verdicts.contains(&OVERTAKEN)))
}

/// The verdict on each item; the ids of what was stored follow each other in the order of the
/// request.
fn answers(items: &[&Item], row: Option<&Row>) -> Result<Vec<Result<Enqueued>>> {
    let row = row.ok_or_else(|| Failure::unavailable("the database returned no result"))?;
    let verdicts: Vec<i32> = row.try_get("verdicts")?;
    let routes = RoutesVersion(row.try_get("routes")?);
    let mut ids = row.try_get::<_, Vec<i64>>("ids")?.into_iter();
    let answer = |((batch, _), verdict): (&&Item, i32)| {
        Ok(match verdict {
            0 => {
                let stored =
                    batch
                        .deliveries
                        .iter()
                        .zip(ids.by_ref())
                        .map(|(new, id)| StoredDelivery {
                            id: DeliveryId(id),
                            token: new.lease_until.is_some().then_some(ClaimToken(1)),
                        });
                Enqueued::Stored {
                    deliveries: stored.collect(),
                    routes,
                }
            }
            1 => Enqueued::AlreadyKnown,
            2 => Enqueued::RoutesChanged,
            _ => {
                return Err(Failure::new(
                    ErrorKind::Invalid,
                    "the delivery's webhook does not exist",
                ));
            }
        })
    };
    Ok(items.iter().zip(verdicts).map(answer).collect())
}
