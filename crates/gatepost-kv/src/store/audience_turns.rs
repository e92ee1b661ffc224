//! The order in which audiences of the outbox take turns, and their holders.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::OutboxAudience;
use serde::{Deserialize, Serialize};

use super::error::Outcome;
use super::key::{Key, Parts};
use super::numbers;
use super::tables::{TURNS, TURNS_DUE, TURNS_LATER};
use super::tx::{Tx, keys_in, row};
use crate::contract::View;
use crate::key_range::KeyRange;

/// The number of audiences that one scan reads.
const AHEAD: usize = 32;

/// The state of an audience that ever had a row.
#[derive(Default, Deserialize, Serialize)]
struct Turn {
    /// The number of the last time that it was taken; 0 before the first.
    taken: i64,
    /// The holder, and the end of its lease.
    holder: Option<(String, i64)>,
    /// The due time of its oldest row.
    head: Option<i64>,
}

impl Turn {
    fn is_held_by(&self, holder: u128) -> bool {
        (self.holder.as_ref()).is_some_and(|(by, _)| *by == holder.to_string())
    }

    fn is_free(&self, holder: u128, now: i64) -> bool {
        let is_over = self.holder.as_ref().is_none_or(|(_, until)| *until <= now);
        is_over || self.is_held_by(holder)
    }
}

/// Updates the oldest row of an audience, which may be another, or none.
pub(super) fn set_head(
    tx: &mut Tx<'_>,
    audience: OutboxAudience,
    head: Option<i64>,
) -> Outcome<()> {
    let mut turn = load(tx, audience)?;
    if turn.head == head {
        return Ok(());
    }
    if let Some(old) = turn.head {
        tx.delete(TURNS_DUE, place(turn.taken, audience).bytes())?;
        tx.delete(TURNS_LATER, place(old, audience).bytes())?;
    }
    if let Some(head) = head {
        tx.put(TURNS_LATER, place(head, audience).bytes(), &[])?;
    }
    turn.head = head;
    save(tx, audience, &turn)
}

/// Takes the audience that was taken longest ago, among those that have due rows and no other
/// holder.
pub(super) fn take(
    tx: &mut Tx<'_>,
    holder: u128,
    until: DateTime<Utc>,
    now: DateTime<Utc>,
) -> Outcome<Option<OutboxAudience>> {
    become_due(tx, now)?;
    let Some((audience, mut turn)) = longest_ago(tx, holder, now.timestamp_micros())? else {
        return Ok(None);
    };
    tx.delete(TURNS_DUE, place(turn.taken, audience).bytes())?;
    turn.taken = numbers::next(tx, "outbox_turn")?;
    turn.holder = Some((holder.to_string(), until.timestamp_micros()));
    tx.put(TURNS_DUE, place(turn.taken, audience).bytes(), &[])?;
    save(tx, audience, &turn)?;
    Ok(Some(audience))
}

pub(super) fn give_back(tx: &mut Tx<'_>, audience: OutboxAudience, holder: u128) -> Outcome<()> {
    let mut turn = load(tx, audience)?;
    if turn.is_held_by(holder) {
        turn.holder = None;
        save(tx, audience, &turn)?;
    }
    Ok(())
}

/// Moves the audiences whose oldest row has become due into the order of turns.
fn become_due(tx: &mut Tx<'_>, now: DateTime<Utc>) -> Outcome<()> {
    let over = KeyRange::between([], Key::new().number(now.timestamp_micros() + 1));
    for key in keys_in(tx, TURNS_LATER, &over, usize::MAX)? {
        let audience = audience_in(&key)?;
        let turn = load(tx, audience)?;
        tx.put(TURNS_DUE, place(turn.taken, audience).bytes(), &[])?;
        tx.delete(TURNS_LATER, &key)?;
    }
    Ok(())
}

fn longest_ago(tx: &Tx<'_>, holder: u128, now: i64) -> Outcome<Option<(OutboxAudience, Turn)>> {
    let mut range = KeyRange::all();
    loop {
        let keys = keys_in(tx, TURNS_DUE, &range, AHEAD)?;
        for key in &keys {
            let audience = audience_in(key)?;
            let turn = load(tx, audience)?;
            if turn.head.is_some_and(|head| head <= now) && turn.is_free(holder, now) {
                return Ok(Some((audience, turn)));
            }
        }
        match keys.last() {
            Some(last) if keys.len() == AHEAD => range = range.after(last),
            _ => return Ok(None),
        }
    }
}

fn load(view: &dyn View, audience: OutboxAudience) -> Outcome<Turn> {
    let turn = row(view, TURNS, audience_key(audience).bytes())?;
    Ok(turn.unwrap_or_default())
}

fn save(tx: &mut Tx<'_>, audience: OutboxAudience, turn: &Turn) -> Outcome<()> {
    tx.put_row(TURNS, audience_key(audience).bytes(), turn)
}

fn place(at: i64, OutboxAudience { tenant, owner }: OutboxAudience) -> Key {
    Key::new().number(at).wide(tenant).wide(owner)
}

fn audience_in(key: &[u8]) -> Outcome<OutboxAudience> {
    let mut parts = Parts::of(key);
    parts.number::<i64>()?;
    Ok(OutboxAudience {
        tenant: parts.wide()?,
        owner: parts.wide()?,
    })
}

pub(super) fn audience_key(OutboxAudience { tenant, owner }: OutboxAudience) -> Key {
    Key::new().wide(tenant).wide(owner)
}
