//! One statement for several enqueues.

use tokio_postgres::Row;

use super::answers::{Verdict, all_stored, verdicts};
use super::columns::{Item, any, webhooks};
use super::ordered::Ordered;
use super::plain::Plain;
use crate::change::{Alone, lock_params};
use crate::column::params;
use crate::db::{BEGIN_WAITING, BEGIN_WRITING, Db, Param, Turn, missing};
use crate::error::{Failure, Result};

const ANY: &str = sql!("queue/enqueue");
const CONSUME: &str = concat!(
    sql!("records/delete_task"),
    sql!("place/changed"),
    sql!("queue/consumed"),
);
const TRY: &str = sql!("place/try_webhooks");

pub(crate) struct EnqueueWork {
    pub(super) db: Db,
    ordered: Ordered,
}

impl EnqueueWork {
    pub(crate) fn new(db: Db) -> Self {
        Self {
            ordered: Ordered::default(),
            db,
        }
    }
}

impl EnqueueWork {
    /// Runs items that do not conflict. An item that the database refuses must not fail the others:
    /// a batch with a permanent failure is left.
    pub(super) async fn round(&self, items: &[&Item]) -> Vec<Verdict> {
        let failure = match self.together(items).await {
            Ok(verdicts) => return verdicts,
            Err(failure) => failure,
        };
        let is_shared = items.len() > 1 && !failure.is_transient();
        let verdict = |_: &&Item| match is_shared {
            true => Verdict::Left,
            false => Verdict::Judged(Err(failure.clone())),
        };
        items.iter().map(verdict).collect()
    }

    /// Tries the locks of webhooks that deliver in order, without waiting. It does not look up
    /// beforehand whether a webhook does; a webhook found to do so is remembered.
    async fn together(&self, items: &[&Item]) -> Result<Vec<Verdict>> {
        let (number, in_order) = (self.db.places(), self.ordered.among(items));
        let locks: [Param<'_>; 2] = [&number, &in_order];
        let mut before: Vec<(&str, &[Param<'_>])> = Vec::new();
        if !in_order.is_empty() {
            before.push((TRY, &locks));
        }
        if let Some(plain) = Plain::of(items)
            && let Some(verdicts) = self.as_if_all_were_well(&before, &plain, items).await?
        {
            return Ok(verdicts);
        }
        let verdicts = self.any("BEGIN", &before, items).await?.0;
        for (item, verdict) in items.iter().zip(&verdicts) {
            if matches!(verdict, Verdict::Left) {
                self.ordered.note(item);
            }
        }
        Ok(verdicts)
    }

    /// Returns nothing if nothing was stored.
    async fn as_if_all_were_well(
        &self,
        before: &[(&str, &[Param<'_>])],
        plain: &Plain<'_>,
        items: &[&Item],
    ) -> Result<Option<Vec<Verdict>>> {
        let columns = plain.columns();
        let params = params(&columns);
        let own = [(BEGIN_WRITING, &[][..]), (plain.sql(), &params[..])];
        let statements = [before, &own].concat();
        all_stored(items, &self.db.last_row(&statements).await?)
    }

    /// Runs items with the locks of a turn; returns the missing lock, too. An item that deletes
    /// tasks is in its own statement, and its locks are exclusive.
    pub(super) async fn with_locks(
        &self,
        items: &[&Item],
        turn: &Turn<'_>,
    ) -> Result<(Vec<Verdict>, Option<i32>)> {
        let consumed = items.iter().flat_map(|(batch, _)| &batch.consume);
        let alone = Alone {
            tasks: consumed.map(|task| task.0).collect(),
            ..Alone::default()
        };
        let (number, webhooks) = (self.db.places(), webhooks(items));
        let locks = lock_params(&number, &webhooks, &alone);
        let before = [(turn.sql(), &locks[..])];
        let (verdicts, locked) = self.any(BEGIN_WAITING, &before, items).await?;
        Ok((verdicts, missing(&locked)?))
    }

    /// Decides each item separately, after a statement that takes locks; returns the result of that
    /// statement, too.
    async fn any(
        &self,
        begin: &str,
        before: &[(&str, &[Param<'_>])],
        items: &[&Item],
    ) -> Result<(Vec<Verdict>, Vec<Row>)> {
        let consumed = items.iter().flat_map(|(batch, _)| &batch.consume);
        let consumed: Vec<i64> = consumed.map(|task| task.0).collect();
        let consume: [Param<'_>; 1] = [&consumed];
        let columns = any(items);
        let params = params(&columns);
        let own = [(BEGIN_WRITING, &[][..]), (ANY, &params[..])];
        let mut statements = [before, &own].concat();
        if !consumed.is_empty() {
            statements.push((CONSUME, &consume));
        }
        let answers = self.db.pipeline(begin, &statements).await?;
        let mut answers = answers.into_iter();
        let locked = answers.by_ref().take(before.len()).last();
        let mut answers = answers.skip(1);
        let stored = answers.next().unwrap_or_default();
        let consumed = answers.next().unwrap_or_default();
        let row = stored.first().ok_or_else(Failure::nothing)?;
        let verdicts = verdicts(items, row, &consumed)?;
        Ok((verdicts, locked.unwrap_or_default()))
    }
}
