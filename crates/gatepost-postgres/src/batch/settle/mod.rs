//! Settlements: one statement for many callers.

mod columns;

use std::collections::HashMap;
use std::time::Duration;

use async_trait::async_trait;
use gatepost_storage::webhooks::{Disposition, Settled};
use tokio_postgres::Row;

use self::columns::{Placed, Sealed, any, claims, sent};
use crate::batch::batcher::{Outcome, Work};
use crate::column::params;
use crate::db::{Db, Param};
use crate::error::{Failure, Result};

const SENT: &str = concat!(
    sql!("queue/settle_held"),
    sql!("queue/settle_sent"),
    sql!("queue/close"),
);
const ANY: &str = concat!(
    sql!("queue/settle_held"),
    sql!("queue/settle"),
    sql!("queue/close"),
);
const SETTLED: &str = sql!("queue/settled");

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

    async fn run(&self, items: Vec<Vec<Sealed>>) -> Vec<Outcome<Self>> {
        self.waiting(items)
            .await
            .into_iter()
            .map(Outcome::Done)
            .collect()
    }

    async fn waiting(&self, items: Vec<Vec<Sealed>>) -> Vec<Result<Vec<Settled>>> {
        let lengths: Vec<usize> = items.iter().map(Vec::len).collect();
        let settled = self.all(items.into_iter().flatten().collect()).await;
        let mut settled = settled.map(Vec::into_iter);
        let one = |length| match &mut settled {
            Ok(settled) => Ok(settled.by_ref().take(length).collect()),
            Err(failure) => Err(failure.clone()),
        };
        lengths.into_iter().map(one).collect()
    }
}

impl SettleWork {
    /// Settles all or none. A delivery that is settled twice (twice the same, or by an old and a
    /// new token) needs a wave for each time.
    async fn all(&self, settlements: Vec<Sealed>) -> Result<Vec<Settled>> {
        let mut settled = vec![Settled::Stale; settlements.len()];
        let waves = waves(settlements);
        let stored = match waves.as_slice() {
            [wave] => self.as_if_all_were_new(wave, &mut settled).await?,
            _ => false,
        };
        if !stored {
            self.with_care(&waves, &mut settled).await?;
        }
        Ok(settled)
    }

    /// Returns whether the wave was stored; otherwise nothing was stored, because a part was stored
    /// earlier.
    async fn as_if_all_were_new(&self, wave: &[Placed], settled: &mut [Settled]) -> Result<bool> {
        let (common, others): (Vec<_>, Vec<_>) = wave.iter().partition(|one| is_common(one));
        let parts = [(SENT, sent(wave, &common)), (ANY, any(wave, &others))];
        let [common, others] = [common, others].map(|part| !part.is_empty());
        let parts = parts.iter().zip([common, others]).filter(|(_, some)| *some);
        let params: Vec<_> = parts.map(|((sql, part), _)| (*sql, params(part))).collect();
        let statements = params.iter().map(|(sql, params)| (*sql, &params[..]));
        match self.each(&statements.collect::<Vec<_>>()).await {
            Err(failure) if failure.is_conflict() => return Ok(false),
            done => mark(wave, &done?.concat(), settled),
        }
        let is_open = |(place, _): &&Placed| settled.get(*place) != Some(&Settled::Done);
        let open: Vec<&Placed> = wave.iter().filter(is_open).collect();
        if !open.is_empty() {
            let claims = claims(&open);
            let done = self.each(&[(SETTLED, &self::params(&claims)[..])]).await?;
            mark(wave, &done.concat(), settled);
        }
        Ok(true)
    }

    /// Settles wave after wave in one transaction. A separate statement finds the settlements that
    /// an earlier call has stored, and sees that call even if both ran at the same time.
    async fn with_care(&self, waves: &[Vec<Placed>], settled: &mut [Settled]) -> Result<()> {
        let parts = waves.iter().map(|wave| {
            let all: Vec<&Placed> = wave.iter().collect();
            (any(wave, &all), claims(&all))
        });
        let parts: Vec<_> = parts.collect();
        let parts = parts
            .iter()
            .map(|(any, claims)| (params(any), params(claims)));
        let parts: Vec<_> = parts.collect();
        let statements: Vec<(&str, &[Param<'_>])> = parts
            .iter()
            .flat_map(|(any, claims)| [(ANY, &any[..]), (SETTLED, &claims[..])])
            .collect();
        let done = self.each(&statements).await?;
        for (wave, done) in waves.iter().zip(done.chunks(2)) {
            mark(wave, &done.concat(), settled);
        }
        Ok(())
    }

    /// Returns the deliveries that each of these statements settled.
    async fn each(&self, statements: &[(&str, &[Param<'_>])]) -> Result<Vec<Vec<i64>>> {
        let answers = self.db.pipeline("BEGIN", statements).await?;
        answers.iter().map(|rows| done(rows)).collect()
    }
}

/// Divides settlements into waves, each with different deliveries. A settlement goes to the first
/// wave that does not have its delivery yet, so their order is kept.
fn waves(settlements: Vec<Sealed>) -> Vec<Vec<Placed>> {
    let mut waves = vec![Vec::new()];
    let mut times: HashMap<i64, usize> = HashMap::new();
    for placed in settlements.into_iter().enumerate() {
        let times = times.entry(placed.1.0.claim.delivery.0).or_default();
        match waves.get_mut(*times) {
            Some(wave) => wave.push(placed),
            None => waves.push(vec![placed]),
        }
        *times += 1;
    }
    waves
}

/// Returns whether the delivery was sent and its message is kept: this case reads nothing from the
/// log.
fn is_common((_, (settlement, attempt)): &Placed) -> bool {
    settlement.disposition == Disposition::Sent && settlement.keep_message && attempt.is_some()
}

/// Marks these deliveries of a wave as settled.
fn mark(wave: &[Placed], done: &[i64], settled: &mut [Settled]) {
    let places = wave
        .iter()
        .map(|(place, (one, _))| (one.claim.delivery.0, *place));
    let places: HashMap<i64, usize> = places.collect();
    for delivery in done {
        let place = places.get(delivery).and_then(|at| settled.get_mut(*at));
        if let Some(place) = place {
            *place = Settled::Done;
        }
    }
}

/// Returns the deliveries that a statement settled.
fn done(rows: &[Row]) -> Result<Vec<i64>> {
    let row = rows.first().ok_or_else(Failure::nothing)?;
    Ok(row.try_get("done")?)
}
