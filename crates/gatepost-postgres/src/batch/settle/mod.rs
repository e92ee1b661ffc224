//! Settlements: many callers, one statement.

mod columns;
mod wave;

use std::time::Duration;

use async_trait::async_trait;
use gatepost_storage::webhooks::{Settled, Settlement};
use tokio_postgres::Row;

use self::columns::Columns;
use self::wave::{Wave, waves};
use crate::batch::batcher::{Outcome, Work};
use crate::db::{Db, Param};
use crate::error::{Failure, Result};

const SENT: &str = concat!(
    include_str!("../../sql/queue/given.sql"),
    include_str!("../../sql/queue/settle_sent.sql"),
    include_str!("../../sql/queue/close.sql"),
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
    type Item = Vec<Settlement>;
    type Answer = Vec<Settled>;
    const MOST: usize = 1024;
    const ENOUGH: usize = 64;
    const LINGER: Duration = Duration::from_millis(10);

    fn weight(item: &Vec<Settlement>) -> usize {
        let kept = |s: &Settlement| {
            s.attempt
                .as_ref()
                .map_or(0, |a| a.response_body.len() + a.response_head.len())
        };
        item.iter().map(|s| 1 + kept(s) / 16_384).sum()
    }

    fn shares(_: &Vec<Settlement>) -> bool {
        true
    }

    async fn alone(&self, item: Vec<Settlement>) -> Result<Vec<Settled>> {
        self.all(item).await
    }

    async fn run(&self, items: Vec<Vec<Settlement>>) -> Vec<Outcome<Self>> {
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
    /// A delivery that is settled twice (twice the same, or by an old and a new token) needs a
    /// transaction for each time.
    async fn all(&self, settlements: Vec<Settlement>) -> Result<Vec<Settled>> {
        let mut settled = vec![Settled::Stale; settlements.len()];
        for wave in waves(settlements) {
            self.store(&wave, &mut settled).await?;
        }
        Ok(settled)
    }

    /// First as if all were well. What is left then is tried with care: beside something that is
    /// gone, or where a part was stored before. A query of its own finds which of the rest an
    /// earlier call has stored, so that it sees that call even if both were under way at once.
    async fn store(&self, wave: &Wave, settled: &mut [Settled]) -> Result<()> {
        let sent = (SENT, &wave.sent);
        let others = (ANY, &wave.others);
        match self.together(wave, &[sent, others], settled).await {
            Err(failure) if failure.is_conflict() => {
                let all = [(ANY, &wave.sent), others];
                self.together(wave, &all, settled).await?;
            }
            other => {
                other?;
                if wave.lacks(&wave.sent, settled) {
                    self.together(wave, &[(ANY, &wave.sent)], settled).await?;
                }
            }
        }
        for part in [&wave.sent, &wave.others] {
            if wave.lacks(part, settled) {
                let params: [Param<'_>; 2] = [&part.delivery, &part.token];
                let rows = self.db.query(SETTLED, &params).await?;
                wave.mark(&done(&rows)?, settled);
            }
        }
        Ok(())
    }

    /// In one transaction; a lost deadlock is repeated.
    async fn together(
        &self,
        wave: &Wave,
        parts: &[(&str, &Columns)],
        settled: &mut [Settled],
    ) -> Result<()> {
        let parts = parts.iter().filter(|(_, columns)| !columns.is_empty());
        let params: Vec<(&str, _)> = parts
            .map(|(sql, columns)| (*sql, columns.params(&wave.tokens)))
            .collect();
        let statements: Vec<(&str, &[Param<'_>])> = params
            .iter()
            .map(|(sql, params)| (*sql, &params[..]))
            .collect();
        let mut tries = 0;
        let answers = loop {
            let answers = match &statements[..] {
                [] => return Ok(()),
                [(sql, params)] => self.db.query(sql, params).await.map(|rows| vec![rows]),
                several => self.db.pipeline("BEGIN", several).await,
            };
            match answers {
                Err(failure) if failure.was_victim && tries < 3 => tries += 1,
                other => break other?,
            }
        };
        for rows in &answers {
            wave.mark(&done(rows)?, settled);
        }
        Ok(())
    }
}

/// The deliveries that a statement settled.
fn done(rows: &[Row]) -> Result<Vec<i64>> {
    let row = rows.first();
    let row = row.ok_or_else(|| Failure::unavailable("the database returned no result"))?;
    Ok(row.try_get("done")?)
}
