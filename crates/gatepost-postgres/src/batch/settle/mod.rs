//! Settlements: many callers, one statement.

mod columns;
mod wave;

use std::time::Duration;

use async_trait::async_trait;
use gatepost_storage::webhooks::Settled;
use tokio_postgres::Row;

use self::columns::Sealed;
use self::wave::{Wave, waves};
use crate::batch::batcher::{Outcome, Work};
use crate::db::{Db, Param};
use crate::error::{Failure, Result};

const SENT: &str = concat!(
    include_str!("../../sql/queue/given.sql"),
    include_str!("../../sql/queue/settle_sent.sql"),
    include_str!("../../sql/queue/close.sql"),
    include_str!("../../sql/queue/whole.sql"),
);
const ANY: &str = concat!(
    include_str!("../../sql/queue/given.sql"),
    include_str!("../../sql/queue/settle.sql"),
    include_str!("../../sql/queue/close.sql"),
);
const SETTLED: &str = include_str!("../../sql/queue/settled.sql");

pub(crate) struct SettleWork {
    db: Db,
}

impl SettleWork {
    pub(crate) fn new(db: Db) -> Self {
        Self { db }
    }
}

#[async_trait]
impl Work for SettleWork {
    type Item = Vec<Sealed>;
    type Answer = Vec<Settled>;
    const MOST: usize = 1024;
    const ENOUGH: usize = 64;
    const LINGER: Duration = Duration::from_millis(10);

    fn weight(item: &Vec<Sealed>) -> usize {
        let weight = |(_, attempt): &Sealed| {
            let kept = attempt.as_ref().map_or(0, |made| made.kept_bytes);
            1 + usize::try_from(kept / 16_384).unwrap_or(Self::ENOUGH)
        };
        item.iter().map(weight).sum()
    }

    fn shares(_: &Vec<Sealed>) -> bool {
        true
    }

    async fn alone(&self, item: Vec<Sealed>) -> Result<Vec<Settled>> {
        self.all(item).await
    }

    async fn run(&self, items: Vec<Vec<Sealed>>) -> Vec<Outcome<Self>> {
        let lengths: Vec<usize> = items.iter().map(Vec::len).collect();
        let mut failed: Option<Failure> = None;
        let mut settled = Vec::new();
        match self.all(items.into_iter().flatten().collect()).await {
            Ok(answers) => settled = answers,
            Err(failure) => failed = Some(failure),
        }
        let mut settled = settled.into_iter();
        lengths
            .into_iter()
            .map(|n| match &failed {
                Some(failure) => Outcome::Done(Err(failure.clone())),
                None => Outcome::Done(Ok(settled.by_ref().take(n).collect())),
            })
            .collect()
    }
}

impl SettleWork {
    /// All or nothing. A delivery that is settled twice (twice the same, or by an old and a new
    /// token) needs a wave for each time.
    async fn all(&self, settlements: Vec<Sealed>) -> Result<Vec<Settled>> {
        let mut settled = vec![Settled::Stale; settlements.len()];
        let waves = waves(settlements);
        let stored = match waves.as_slice() {
            [wave] => self.as_if_all_were_well(wave, &mut settled).await?,
            _ => false,
        };
        if !stored {
            self.with_care(&waves, &mut settled).await?;
        }
        Ok(settled)
    }

    /// Returns whether it was stored; else nothing was: a part was stored before or is stale.
    async fn as_if_all_were_well(&self, wave: &Wave, settled: &mut [Settled]) -> Result<bool> {
        let sent = wave.sent.params(&wave.tokens);
        let others = wave.others.params(&wave.tokens);
        let parts = [(SENT, &wave.sent, &sent), (ANY, &wave.others, &others)];
        let parts = parts.iter().filter(|(_, columns, _)| !columns.is_empty());
        let statements: Vec<(&str, &[Param<'_>])> =
            parts.map(|(sql, _, params)| (*sql, &params[..])).collect();
        match self.together(&statements).await {
            Err(failure) if failure.is_conflict() => return Ok(false),
            other => wave.mark(&other?, settled),
        }
        if wave.lacks(&wave.sent, settled) {
            return Ok(false);
        }
        if wave.lacks(&wave.others, settled) {
            let params: [Param<'_>; 2] = [&wave.others.delivery, &wave.others.token];
            wave.mark(&self.together(&[(SETTLED, &params)]).await?, settled);
        }
        Ok(true)
    }

    /// In one transaction, wave after wave. A statement of its own finds which of each an earlier
    /// call has stored, so that it sees that call even if both were under way at once.
    async fn with_care(&self, waves: &[Wave], settled: &mut [Settled]) -> Result<()> {
        let parts = waves.iter().flat_map(|wave| {
            let parts = [&wave.sent, &wave.others].into_iter();
            parts
                .filter(|columns| !columns.is_empty())
                .map(move |columns| (wave, columns))
        });
        let parts: Vec<_> = parts
            .map(|(wave, columns)| {
                let stored: [Param<'_>; 2] = [&columns.delivery, &columns.token];
                (wave, columns.params(&wave.tokens), stored)
            })
            .collect();
        let statements: Vec<(&str, &[Param<'_>])> = parts
            .iter()
            .flat_map(|(_, params, stored)| [(ANY, &params[..]), (SETTLED, &stored[..])])
            .collect();
        let answers = self.each(&statements).await?;
        for ((wave, ..), answers) in parts.iter().zip(answers.chunks(2)) {
            wave.mark(&answers.concat(), settled);
        }
        Ok(())
    }

    /// The deliveries that these statements say to be settled.
    async fn together(&self, statements: &[(&str, &[Param<'_>])]) -> Result<Vec<i64>> {
        Ok(self.each(statements).await?.concat())
    }

    /// The same of each; a lost deadlock is repeated.
    async fn each(&self, statements: &[(&str, &[Param<'_>])]) -> Result<Vec<Vec<i64>>> {
        let mut tries = 0;
        let answers = loop {
            let answers = match statements {
                [] => return Ok(Vec::new()),
                [(sql, params)] => self.db.query(sql, params).await.map(|rows| vec![rows]),
                several => self.db.pipeline("BEGIN", several).await,
            };
            match answers {
                Err(failure) if failure.was_victim && tries < 3 => tries += 1,
                other => break other?,
            }
        };
        answers.iter().map(|rows| done(rows)).collect()
    }
}

/// The deliveries that a statement settled.
fn done(rows: &[Row]) -> Result<Vec<i64>> {
    let row = rows.first();
    let row = row.ok_or_else(|| Failure::unavailable("the database returned no result"))?;
    Ok(row.try_get("done")?)
}
