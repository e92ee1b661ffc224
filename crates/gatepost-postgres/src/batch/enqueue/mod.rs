//! Enqueues: many callers, one statement.

mod answers;
mod columns;
mod ordered;
mod patient;
mod rounds;
mod weight;

use std::time::Duration;

use async_trait::async_trait;
use gatepost_storage::webhooks::Enqueued;

use self::answers::{Verdict, all_stored, nothing, verdicts};
use self::columns::{Columns, Item, Plain, is_later};
use self::ordered::Ordered;
use self::patient::Patient;
use self::rounds::without_rivals;
use crate::batch::batcher::{Outcome, Work};
use crate::db::{BEGIN_WRITING, Db, Param};
use crate::error::Result;

const TRY: &str = include_str!("../../sql/place/try_webhooks.sql");

pub(crate) struct EnqueueWork {
    db: Db,
    patient: Patient,
    ordered: Ordered,
}

impl EnqueueWork {
    pub(crate) fn new(db: Db) -> Self {
        Self {
            patient: Patient::new(db.clone()),
            ordered: Ordered::default(),
            db,
        }
    }

    /// All of them, each judged alone, those of one place in the order given.
    pub(crate) async fn in_order(&self, items: Vec<Item>) -> Vec<Result<Enqueued>> {
        self.patient.in_order(items).await
    }
}

#[async_trait]
impl Work for EnqueueWork {
    type Item = Item;
    type Answer = Enqueued;
    const MOST: usize = weight::MOST;
    const ENOUGH: usize = 128;
    const LINGER: Duration = Duration::from_millis(2);

    fn weight(item: &Item) -> usize {
        weight::weight(item)
    }

    /// One that deletes one-time tasks changes their places; rows of the outbox alone need none of
    /// what the others do.
    fn shares(item: &Item) -> bool {
        item.0.consume.is_empty() && !is_later(item)
    }

    async fn run(&self, items: Vec<Item>) -> Vec<Outcome<Self>> {
        let mut verdicts: Vec<Verdict> = items.iter().map(|_| Verdict::Left).collect();
        let mut left: Vec<usize> = (0..items.len()).collect();
        while !left.is_empty() {
            let (round, rest) = without_rivals(&items, left, Self::weight, Self::MOST);
            let chosen: Vec<&Item> = round.iter().filter_map(|at| items.get(*at)).collect();
            for (at, verdict) in round.into_iter().zip(self.round(&chosen).await) {
                if let Some(place) = verdicts.get_mut(at) {
                    *place = verdict;
                }
            }
            left = rest;
        }
        let outcome = |(item, verdict)| match verdict {
            Verdict::Judged(answer) => Outcome::Done(answer),
            Verdict::Left => Outcome::Left(item),
        };
        items.into_iter().zip(verdicts).map(outcome).collect()
    }

    async fn alone(&self, item: Item) -> Result<Enqueued> {
        self.patient.alone(&item).await
    }
}

impl EnqueueWork {
    /// Items that do not conflict. One that the database refuses must not fail the others, so a
    /// batch that fails permanently is repeated one by one.
    async fn round(&self, items: &[&Item]) -> Vec<Verdict> {
        let mut tries = 0;
        let failure = loop {
            match self.together(items).await {
                Ok(verdicts) => return verdicts,
                Err(failure) if failure.was_victim && tries < 3 => tries += 1,
                Err(failure) => break failure,
            }
        };
        if items.len() == 1 || failure.is_transient() {
            let failed = |_: &&Item| Verdict::Judged(Err(failure.clone()));
            return items.iter().map(failed).collect();
        }
        let mut verdicts = Vec::with_capacity(items.len());
        for item in items {
            let alone = self.together(&[*item]).await;
            let one = alone.map(|verdicts| verdicts.into_iter().next());
            verdicts.push(match one {
                Ok(Some(verdict)) => verdict,
                Ok(None) => Verdict::Judged(Err(nothing())),
                Err(failure) => Verdict::Judged(Err(failure)),
            });
        }
        verdicts
    }

    /// Tries the locks of webhooks in order, waits for none. Whether a webhook is in order is not
    /// looked up beforehand; if it turns out to be, it is from then on.
    async fn together(&self, items: &[&Item]) -> Result<Vec<Verdict>> {
        let columns = Columns::of(items);
        let (number, in_order) = (self.db.places(), self.ordered.among(items));
        let locks: [Param<'_>; 2] = [&number, &in_order];
        let mut statements: Vec<(&str, &[Param<'_>])> = vec![(BEGIN_WRITING, &[])];
        if !in_order.is_empty() {
            statements.push((TRY, &locks));
        }
        if let Some(plain) = columns.plain()
            && let Some(verdicts) = self.as_if_all_were_well(&statements, &plain, items).await?
        {
            return Ok(verdicts);
        }
        let params = columns.params();
        statements.push((columns.sql(), &params));
        let answers = self.db.pipeline("BEGIN", &statements).await?;
        let row = answers.last().and_then(|rows| rows.first());
        let verdicts = verdicts(items, row.ok_or_else(nothing)?, &[])?;
        for (item, verdict) in items.iter().zip(&verdicts) {
            if matches!(verdict, Verdict::Left) {
                self.ordered.note(item);
            }
        }
        Ok(verdicts)
    }

    /// Returns nothing where nothing was stored.
    async fn as_if_all_were_well(
        &self,
        before: &[(&str, &[Param<'_>])],
        plain: &Plain<'_>,
        items: &[&Item],
    ) -> Result<Option<Vec<Verdict>>> {
        let params = plain.params();
        let statements = [before, &[(plain.sql(), &params[..])]].concat();
        let answers = self.db.pipeline("BEGIN", &statements).await?;
        let row = answers.last().and_then(|rows| rows.first());
        all_stored(items, row.ok_or_else(nothing)?)
    }
}
