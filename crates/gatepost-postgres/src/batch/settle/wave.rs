//! Settlements as columns.

use std::collections::HashSet;

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{Disposition, Settlement};
use tokio_postgres::types::ToSql;

use crate::column::{micros, without_nul};

/// Settlements of different deliveries, as columns.
#[derive(Default)]
pub(super) struct Wave {
    /// The position of each among all.
    pub(super) places: Vec<usize>,
    seen: HashSet<i64>,
    pub(super) delivery: Vec<i64>,
    pub(super) token: Vec<i64>,
    state: Vec<&'static str>,
    due: Vec<Option<DateTime<Utc>>>,
    status_info: Vec<String>,
    attempted: Vec<bool>,
    started: Vec<Option<DateTime<Utc>>>,
    duration: Vec<Option<i64>>,
    dns: Vec<Option<i64>>,
    connect: Vec<Option<i64>>,
    tls: Vec<Option<i64>>,
    first_byte: Vec<Option<i64>>,
    class: Vec<Option<String>>,
    info: Vec<Option<String>>,
    status: Vec<Option<i32>>,
    remote: Vec<Option<String>>,
    protocol: Vec<Option<String>>,
    head: Vec<Option<Vec<u8>>>,
    body: Vec<Option<Vec<u8>>>,
    truncated: Vec<Option<bool>>,
    kept: Vec<Option<bool>>,
    released: Vec<bool>,
    keep_message: Vec<bool>,
}

/// Each settlement goes to the first wave that does not hold its delivery yet, so their order is
/// kept.
pub(super) fn waves(settlements: Vec<Settlement>) -> Vec<Wave> {
    let mut waves = vec![Wave::default()];
    for (place, settlement) in settlements.into_iter().enumerate() {
        let id = settlement.claim.delivery.0;
        let free = waves
            .iter()
            .position(|wave| !wave.seen.contains(&id))
            .unwrap_or_else(|| {
                waves.push(Wave::default());
                waves.len() - 1
            });
        if let Some(wave) = waves.get_mut(free) {
            wave.push(place, settlement);
        }
    }
    waves
}

impl Wave {
    pub(super) fn push(&mut self, place: usize, settlement: Settlement) {
        let (state, due) = settlement.disposition.state_and_due();
        self.places.push(place);
        self.seen.insert(settlement.claim.delivery.0);
        self.delivery.push(settlement.claim.delivery.0);
        self.token.push(settlement.claim.token.0);
        self.state.push(state.as_str());
        self.due.push(due);
        self.status_info.push(without_nul(settlement.status_info));
        let attempt = settlement.attempt;
        self.attempted.push(attempt.is_some());
        let a = attempt.as_ref();
        self.started.push(a.map(|a| a.started));
        self.duration.push(a.map(|a| micros(a.duration)));
        self.dns.push(a.and_then(|a| a.phases.dns).map(micros));
        self.connect
            .push(a.and_then(|a| a.phases.connect).map(micros));
        self.tls.push(a.and_then(|a| a.phases.tls).map(micros));
        self.first_byte
            .push(a.and_then(|a| a.phases.first_byte).map(micros));
        self.status.push(a.and_then(|a| a.status).map(i32::from));
        self.remote
            .push(a.and_then(|a| a.remote).map(|r| r.to_string()));
        self.truncated.push(a.map(|a| a.truncated));
        self.kept.push(a.map(|a| a.kept));
        self.released.push(matches!(
            settlement.disposition,
            Disposition::Release { .. }
        ));
        self.keep_message.push(settlement.keep_message);
        let texts = attempt.map(|a| {
            (
                a.class,
                a.info,
                a.protocol,
                a.response_head,
                a.response_body,
            )
        });
        let (class, info, protocol, head, body) = match texts {
            Some((class, info, protocol, head, body)) => {
                (Some(class), Some(info), protocol, Some(head), Some(body))
            }
            None => (None, None, None, None, None),
        };
        self.class.push(class.map(without_nul));
        self.info.push(info.map(without_nul));
        self.protocol.push(protocol.map(without_nul));
        self.head.push(head);
        self.body.push(body);
    }

    pub(super) fn params(&self) -> [&(dyn ToSql + Sync); 23] {
        [
            &self.delivery,
            &self.token,
            &self.state,
            &self.due,
            &self.status_info,
            &self.attempted,
            &self.started,
            &self.duration,
            &self.dns,
            &self.connect,
            &self.tls,
            &self.first_byte,
            &self.class,
            &self.info,
            &self.status,
            &self.remote,
            &self.protocol,
            &self.head,
            &self.body,
            &self.truncated,
            &self.kept,
            &self.released,
            &self.keep_message,
        ]
    }
}
