//! Deliveries: their rows, and the indexes that go with each state.

use std::time::Duration;

use chrono::{DateTime, Utc};
use gatepost_ids::TenantId;
use gatepost_storage::webhooks::{
    AttemptRecord, Delivery, DeliveryId, DeliveryState, Lane, LaneClass, Phases,
};
use redb::ReadableTable;
use serde_json::{Value, json};
use webhook_model::{OwnerId, TaskId, WebhookId};

use super::codec::{Fields, base64, corrupt, micros};
use super::error::{Answer, failed};
use super::tables::{ATTEMPTS, DELIVERIES, GONE, NAMES, OPEN, QUEUED, RUNNING, Tx, json};

const STATES: [(DeliveryState, &str); 4] = [
    (DeliveryState::Queued, "queued"),
    (DeliveryState::Running, "running"),
    (DeliveryState::Sent, "sent"),
    (DeliveryState::Error, "error"),
];

/// A delivery and what the store knows of it besides.
#[derive(Clone)]
pub(super) struct Slot {
    pub(super) delivery: Delivery,
    /// The token of the last claim, 0 before the first.
    pub(super) token: i64,
    /// Whether a claim of it was lost and no attempt was made since.
    pub(super) alone: bool,
    /// The token under which it was settled last.
    pub(super) settled: Option<i64>,
    /// Attempts in the log.
    pub(super) logged: u32,
}

impl Slot {
    pub(super) fn lane(&self) -> Lane {
        let class = match self.delivery.attempts {
            _ if self.alone => LaneClass::Alone,
            0 => LaneClass::First,
            _ => LaneClass::Retry,
        };
        Lane {
            webhook: self.delivery.webhook,
            class,
        }
    }
}

pub(super) fn class(class: LaneClass) -> u8 {
    match class {
        LaneClass::First => 0,
        LaneClass::Retry => 1,
        LaneClass::Alone => 2,
    }
}

pub(super) fn encode(slot: &Slot) -> Value {
    let d = &slot.delivery;
    let state = STATES
        .iter()
        .find(|(s, _)| *s == d.state)
        .map(|(_, word)| *word);
    json!({
        "message_id": d.message_id.as_str(), "webhook": d.webhook.0, "owner": d.owner.0, "tenant": d.tenant.map(|t| t.0),
        "message_kept": d.message_kept, "alone": slot.alone, "task": d.task.map(|t| t.0), "body": &*d.body,
        "state": state, "status_info": d.status_info, "created": micros(d.created), "due": micros(d.due),
        "lease_until": d.lease_until.map(micros), "last_attempt": d.last_attempt.map(micros), "attempts": d.attempts,
        "lost_claims": d.lost_claims, "response_status": d.response_status, "duration": d.duration.map(nanos),
        "token": slot.token, "settled": slot.settled, "logged": slot.logged,
    })
}

pub(super) fn decode(id: i64, row: &Value) -> Answer<Slot> {
    let f = Fields(row);
    let word = f.text("state")?;
    let delivery = Delivery {
        id: DeliveryId(id),
        message_id: f.parse("message_id")?,
        webhook: WebhookId(f.int("webhook")?),
        owner: OwnerId(f.int("owner")?),
        tenant: f.maybe_int("tenant").map(TenantId),
        task: f.maybe_int("task").map(TaskId),
        body: f.text("body")?.into(),
        message_kept: f.is("message_kept")?,
        state: STATES
            .iter()
            .find(|(_, w)| *w == word)
            .map(|(s, _)| *s)
            .ok_or_else(|| corrupt("state"))?,
        status_info: f.text("status_info")?.to_owned(),
        created: f.time("created")?,
        due: f.time("due")?,
        lease_until: f.maybe_time("lease_until"),
        last_attempt: f.maybe_time("last_attempt"),
        attempts: f.number("attempts")?,
        lost_claims: f.number("lost_claims")?,
        response_status: f
            .maybe_int("response_status")
            .and_then(|s| u16::try_from(s).ok()),
        duration: duration(&f, "duration"),
    };
    Ok(Slot {
        delivery,
        token: f.int("token")?,
        alone: f.is("alone")?,
        settled: f.maybe_int("settled"),
        logged: f.number("logged")?,
    })
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn duration(f: &Fields<'_>, field: &'static str) -> Option<Duration> {
    f.0[field].as_u64().map(Duration::from_nanos)
}

pub(super) fn encode_attempt(a: &AttemptRecord) -> Value {
    json!({
        "started": micros(a.started), "duration": nanos(a.duration), "dns": a.phases.dns.map(nanos),
        "connect": a.phases.connect.map(nanos), "tls": a.phases.tls.map(nanos), "first_byte": a.phases.first_byte.map(nanos),
        "class": a.class, "info": a.info, "status": a.status, "remote": a.remote.map(|r| r.to_string()),
        "protocol": a.protocol, "head": base64(&a.response_head), "body": base64(&a.response_body), "truncated": a.truncated,
        "kept": a.kept,
    })
}

pub(super) fn decode_attempt(number: i64, row: &Value) -> Answer<AttemptRecord> {
    let f = Fields(row);
    Ok(AttemptRecord {
        number: u32::try_from(number).map_err(|_| corrupt("number"))?,
        started: f.time("started")?,
        duration: duration(&f, "duration").ok_or_else(|| corrupt("duration"))?,
        phases: Phases {
            dns: duration(&f, "dns"),
            connect: duration(&f, "connect"),
            tls: duration(&f, "tls"),
            first_byte: duration(&f, "first_byte"),
        },
        class: f.text("class")?.to_owned(),
        info: f.text("info")?.to_owned(),
        status: f.maybe_int("status").and_then(|s| u16::try_from(s).ok()),
        remote: f
            .maybe_text("remote")
            .map(|_| f.parse("remote"))
            .transpose()?,
        protocol: f.maybe_text("protocol").map(str::to_owned),
        response_head: f.bytes("head")?,
        response_body: f.bytes("body")?,
        truncated: f.is("truncated")?,
        kept: f.is("kept")?,
    })
}

pub(super) fn slot(rows: &impl ReadableTable<i64, &'static str>, id: i64) -> Answer<Option<Slot>> {
    super::tables::row(rows, id)?
        .map(|row| decode(id, &row))
        .transpose()
}

/// Whether the delivery's webhook is gone.
pub(super) fn is_gone(gone: &impl ReadableTable<i64, &'static str>, slot: &Slot) -> Answer<bool> {
    let webhook = slot.delivery.webhook.0;
    Ok(gone.get(webhook).map_err(failed)?.is_some())
}

impl Tx {
    /// The delivery, unless its webhook is gone.
    pub(super) fn slot(&self, id: DeliveryId) -> Answer<Option<Slot>> {
        let slot = slot(&self.open(DELIVERIES)?, id.0)?;
        let gone = self.open(GONE)?;
        Ok(match slot {
            Some(slot) if !is_gone(&gone, &slot)? => Some(slot),
            _ => None,
        })
    }

    /// All deliveries whose webhooks are not gone, oldest first.
    pub(super) fn slots(&self) -> Answer<Vec<Slot>> {
        let gone = self.open(GONE)?;
        let mut slots = Vec::new();
        for (id, row) in self.rows(DELIVERIES)? {
            let slot = decode(id, &row)?;
            if !is_gone(&gone, &slot)? {
                slots.push(slot);
            }
        }
        Ok(slots)
    }

    /// Stores a new delivery.
    pub(super) fn insert(&self, slot: &Slot) -> Answer<()> {
        self.put(DELIVERIES, slot.delivery.id.0, &encode(slot))?;
        self.index(slot, true)
    }

    /// Stores the new state of a delivery and removes the entries of `old` from the indexes.
    pub(super) fn replace(&self, old: &Slot, new: &Slot) -> Answer<()> {
        self.index(old, false)?;
        self.insert(new)
    }

    /// Removes a delivery with its attempts and its name.
    pub(super) fn remove_delivery(&self, slot: &Slot) -> Answer<()> {
        self.index(slot, false)?;
        let id = slot.delivery.id.0;
        self.remove(DELIVERIES, id)?;
        self.open(NAMES)?
            .remove(message_name(slot).as_str())
            .map_err(failed)?;
        let mut attempts = self.open(ATTEMPTS)?;
        for number in 1..=i64::from(slot.logged) {
            attempts.remove((id, number)).map_err(failed)?;
        }
        Ok(())
    }

    pub(super) fn log(&self, id: DeliveryId, number: u32, attempt: &AttemptRecord) -> Answer<()> {
        let row = encode_attempt(attempt).to_string();
        self.open(ATTEMPTS)?
            .insert((id.0, i64::from(number)), row.as_str())
            .map_err(failed)?;
        Ok(())
    }

    fn index(&self, slot: &Slot, add: bool) -> Answer<()> {
        let d = &slot.delivery;
        let id = d.id.0;
        match d.state {
            DeliveryState::Queued => {
                let mut queued = self.open(QUEUED)?;
                let key = (d.webhook.0, class(slot.lane().class), micros(d.due), id);
                set(&mut queued, key, add)?;
            }
            DeliveryState::Running => {
                let end = d.lease_until.ok_or_else(|| corrupt("lease_until"))?;
                set(&mut self.open(RUNNING)?, (micros(end), id), add)?;
            }
            DeliveryState::Sent | DeliveryState::Error => return Ok(()),
        }
        set(&mut self.open(OPEN)?, (d.webhook.0, id), add)
    }
}

pub(super) fn message_name(slot: &Slot) -> String {
    format!("message/{}", slot.delivery.message_id.as_str())
}

fn set<'k, K: redb::Key + 'static>(
    index: &mut redb::Table<'_, K, ()>,
    key: K::SelfType<'k>,
    add: bool,
) -> Answer<()> {
    if add {
        index.insert(key, ()).map_err(failed)?;
    } else {
        index.remove(key).map_err(failed)?;
    }
    Ok(())
}

/// The attempts of a delivery, oldest first.
pub(super) fn attempts(
    table: &impl ReadableTable<(i64, i64), &'static str>,
    id: DeliveryId,
) -> Answer<Vec<AttemptRecord>> {
    let mut found = Vec::new();
    for attempt in table.range((id.0, 0)..=(id.0, i64::MAX)).map_err(failed)? {
        let (key, row) = attempt.map_err(failed)?;
        found.push(decode_attempt(key.value().1, &json(row.value())?)?);
    }
    Ok(found)
}

/// As it is stored.
pub(super) fn to_micros(time: DateTime<Utc>) -> DateTime<Utc> {
    chrono::SubsecRound::trunc_subsecs(time, 6)
}
