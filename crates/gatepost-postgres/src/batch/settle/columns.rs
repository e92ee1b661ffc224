//! Settlements as columns.

use chrono::{DateTime, Utc};
use gatepost_storage::columns::SealedAttempt;
use gatepost_storage::webhooks::{Disposition, Settlement};
use tokio_postgres::types::ToSql;

use crate::column::{micros, without_nul};

/// A settlement and its attempt.
pub(crate) type Sealed = (Settlement, Option<SealedAttempt>);

/// Settlements of different deliveries.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) delivery: Vec<i64>,
    pub(super) token: Vec<i64>,
    state: Vec<i16>,
    due: Vec<Option<DateTime<Utc>>>,
    status_info: Vec<String>,
    started: Vec<Option<DateTime<Utc>>>,
    duration: Vec<Option<i64>>,
    class: Vec<Option<String>>,
    status: Vec<Option<i32>>,
    kept_bytes: Vec<i64>,
    detail: Vec<Option<Vec<u8>>>,
    released: Vec<bool>,
    keep_message: Vec<bool>,
}

impl Columns {
    pub(super) fn push(&mut self, (settlement, attempt): Sealed) {
        let (_, due) = settlement.disposition.state_and_due();
        self.delivery.push(settlement.claim.delivery.0);
        self.token.push(settlement.claim.token.0);
        self.state.push(state_number(&settlement.disposition));
        self.due.push(due);
        self.status_info.push(without_nul(settlement.status_info));
        let is_release = matches!(settlement.disposition, Disposition::Release { .. });
        self.released.push(is_release);
        self.keep_message.push(settlement.keep_message);
        let made = attempt.as_ref();
        self.started.push(made.map(|made| made.started));
        self.duration.push(made.map(|made| micros(made.duration)));
        let status = made.and_then(|made| made.status);
        self.status.push(status.map(i32::from));
        let kept_bytes = made.map_or(0, |made| made.kept_bytes);
        self.kept_bytes
            .push(kept_bytes.try_into().unwrap_or(i64::MAX));
        let (class, detail) = attempt.map(|made| (made.class, made.detail)).unzip();
        self.class.push(class.map(without_nul));
        self.detail.push(detail.flatten());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.delivery.is_empty()
    }

    /// The parameters of `queue/given.sql`; `tokens` are all of the call.
    pub(super) fn params<'a>(&'a self, tokens: &'a Vec<i64>) -> [&'a (dyn ToSql + Sync); 14] {
        [
            tokens,
            &self.delivery,
            &self.token,
            &self.state,
            &self.due,
            &self.status_info,
            &self.started,
            &self.duration,
            &self.class,
            &self.status,
            &self.kept_bytes,
            &self.detail,
            &self.released,
            &self.keep_message,
        ]
    }
}

/// As `gatepost_outcome` says it.
fn state_number(disposition: &Disposition) -> i16 {
    match disposition {
        Disposition::Retry { .. } => 0,
        Disposition::Release { .. } => 1,
        Disposition::Sent => 2,
        Disposition::Failed => 3,
    }
}
