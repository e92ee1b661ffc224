//! Whose rows of the outbox come next, and who has them.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::OutboxAudience;
use redb::ReadableTable as _;
use serde_json::{Value, json};

use super::codec::{Fields, corrupt, micros};
use super::error::{Answer, failed};
use super::tables::{self, TURNS, TURNS_DUE, TURNS_LATER, Tx};

/// What is known of an audience that ever had a row.
#[derive(Clone, Default)]
struct Turn {
    /// Rises with each time that one is taken; 0 before the first.
    taken: i64,
    /// Who has it, and until when.
    holder: Option<(u128, i64)>,
    /// When its oldest row is due.
    head: Option<i64>,
}

impl Turn {
    fn is_free(&self, holder: u128, now: i64) -> bool {
        let held = self.holder;
        held.is_none_or(|(by, until)| by == holder || until <= now)
    }

    fn encode(&self) -> Value {
        let holder = self.holder.map(|(by, _)| by.to_string());
        let until = self.holder.map(|(_, until)| until);
        json!({ "taken": self.taken, "holder": holder, "until": until, "head": self.head })
    }

    fn decode(row: &Value) -> Answer<Self> {
        let f = Fields(row);
        let holder = f.maybe_text("holder").map(str::parse).transpose();
        let holder = holder.map_err(|_| corrupt("holder"))?;
        Ok(Self {
            taken: f.int("taken")?,
            holder: holder.zip(f.maybe_int("until")),
            head: f.maybe_int("head"),
        })
    }
}

/// To be called when the oldest row of an audience may be another, or none.
pub(super) fn set_head(tx: &Tx, audience: OutboxAudience, head: Option<i64>) -> Answer<()> {
    let mut turn = load(tx, audience)?;
    if turn.head == head {
        return Ok(());
    }
    let OutboxAudience { tenant, owner } = audience;
    let mut later = tx.open(TURNS_LATER)?;
    if let Some(old) = turn.head {
        let due = (turn.taken, tenant, owner);
        tx.open(TURNS_DUE)?.remove(due).map_err(failed)?;
        later.remove((old, tenant, owner)).map_err(failed)?;
    }
    if let Some(head) = head {
        later.insert((head, tenant, owner), ()).map_err(failed)?;
    }
    turn.head = head;
    save(tx, audience, &turn)
}

/// Of those that have rows due and are not another's, takes the one that was taken longest ago.
pub(super) fn take(
    tx: &Tx,
    holder: u128,
    until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Answer<Option<OutboxAudience>> {
    become_due(tx, now)?;
    let Some((audience, mut turn)) = longest_ago(tx, holder, micros(now))? else {
        return Ok(None);
    };
    let OutboxAudience { tenant, owner } = audience;
    let mut due = tx.open(TURNS_DUE)?;
    due.remove((turn.taken, tenant, owner)).map_err(failed)?;
    turn.taken = tx.count("outbox_taken")?;
    turn.holder = Some((holder, micros(until)));
    due.insert((turn.taken, tenant, owner), ())
        .map_err(failed)?;
    save(tx, audience, &turn)?;
    Ok(Some(audience))
}

pub(super) fn give_back(tx: &Tx, audience: OutboxAudience, holder: u128) -> Answer<()> {
    let mut turn = load(tx, audience)?;
    if turn.holder.is_some_and(|(by, _)| by == holder) {
        turn.holder = None;
        save(tx, audience, &turn)?;
    }
    Ok(())
}

/// Lets those whose oldest row is due by now come in the order of their turns.
fn become_due(tx: &Tx, now: DateTime<Utc>) -> Answer<()> {
    let mut later = tx.open(TURNS_LATER)?;
    let mut due = tx.open(TURNS_DUE)?;
    let until_now = || ..=(micros(now), u128::MAX, u128::MAX);
    let over = later.range(until_now()).map_err(failed)?;
    for entry in over {
        let (_, tenant, owner) = entry.map_err(failed)?.0.value();
        let turn = load(tx, OutboxAudience { tenant, owner })?;
        due.insert((turn.taken, tenant, owner), ())
            .map_err(failed)?;
    }
    later.retain_in(until_now(), |_, ()| false).map_err(failed)
}

fn longest_ago(tx: &Tx, holder: u128, now: i64) -> Answer<Option<(OutboxAudience, Turn)>> {
    for entry in tx.open(TURNS_DUE)?.iter().map_err(failed)? {
        let (_, tenant, owner) = entry.map_err(failed)?.0.value();
        let audience = OutboxAudience { tenant, owner };
        let turn = load(tx, audience)?;
        let is_due = turn.head.is_some_and(|head| head <= now);
        if is_due && turn.is_free(holder, now) {
            return Ok(Some((audience, turn)));
        }
    }
    Ok(None)
}

fn load(tx: &Tx, OutboxAudience { tenant, owner }: OutboxAudience) -> Answer<Turn> {
    let turns = tx.open(TURNS)?;
    let row = turns.get((tenant, owner)).map_err(failed)?;
    match row {
        Some(row) => Turn::decode(&tables::json(row.value())?),
        None => Ok(Turn::default()),
    }
}

fn save(tx: &Tx, OutboxAudience { tenant, owner }: OutboxAudience, turn: &Turn) -> Answer<()> {
    let row = turn.encode().to_string();
    let mut turns = tx.open(TURNS)?;
    turns
        .insert((tenant, owner), row.as_str())
        .map_err(failed)?;
    Ok(())
}
