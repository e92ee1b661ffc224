//! Settlements as columns.

use chrono::{DateTime, Utc};
use gatepost_storage::webhooks::{AttemptRecord, Disposition, Settlement};
use tokio_postgres::types::ToSql;

use crate::column::{micros, without_nul};

/// The parts of an attempt that take time.
#[derive(Default)]
struct Times {
    started: Vec<Option<DateTime<Utc>>>,
    duration: Vec<Option<i64>>,
    dns: Vec<Option<i64>>,
    connect: Vec<Option<i64>>,
    tls: Vec<Option<i64>>,
    first_byte: Vec<Option<i64>>,
}

/// What an attempt sent and met.
#[derive(Default)]
struct Responses {
    class: Vec<Option<String>>,
    info: Vec<Option<String>>,
    status: Vec<Option<i32>>,
    remote: Vec<Option<String>>,
    protocol: Vec<Option<String>>,
    request: Vec<Option<Vec<u8>>>,
    head: Vec<Option<Vec<u8>>>,
    body: Vec<Option<Vec<u8>>>,
    truncated: Vec<Option<bool>>,
    kept: Vec<Option<bool>>,
}

/// Settlements of different deliveries.
#[derive(Default)]
pub(super) struct Columns {
    pub(super) delivery: Vec<i64>,
    pub(super) token: Vec<i64>,
    state: Vec<i16>,
    due: Vec<Option<DateTime<Utc>>>,
    status_info: Vec<String>,
    attempted: Vec<bool>,
    times: Times,
    responses: Responses,
    released: Vec<bool>,
    keep_message: Vec<bool>,
}

impl Columns {
    pub(super) fn push(&mut self, settlement: Settlement) {
        let (_, due) = settlement.disposition.state_and_due();
        self.delivery.push(settlement.claim.delivery.0);
        self.token.push(settlement.claim.token.0);
        self.state.push(state_number(&settlement.disposition));
        self.due.push(due);
        self.status_info.push(without_nul(settlement.status_info));
        self.attempted.push(settlement.attempt.is_some());
        let is_release = matches!(settlement.disposition, Disposition::Release { .. });
        self.released.push(is_release);
        self.keep_message.push(settlement.keep_message);
        self.times.push(settlement.attempt.as_ref());
        self.responses.push(settlement.attempt);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.delivery.is_empty()
    }

    /// The parameters of `queue/given.sql`; `tokens` are all of the call.
    pub(super) fn params<'a>(&'a self, tokens: &'a Vec<i64>) -> [&'a (dyn ToSql + Sync); 25] {
        [
            tokens,
            &self.delivery,
            &self.token,
            &self.state,
            &self.due,
            &self.status_info,
            &self.attempted,
            &self.times.started,
            &self.times.duration,
            &self.times.dns,
            &self.times.connect,
            &self.times.tls,
            &self.times.first_byte,
            &self.responses.class,
            &self.responses.info,
            &self.responses.status,
            &self.responses.remote,
            &self.responses.protocol,
            &self.responses.head,
            &self.responses.body,
            &self.responses.truncated,
            &self.responses.kept,
            &self.released,
            &self.keep_message,
            &self.responses.request,
        ]
    }
}

impl Times {
    fn push(&mut self, attempt: Option<&AttemptRecord>) {
        let part = |part: fn(&AttemptRecord) -> Option<std::time::Duration>| {
            attempt.and_then(part).map(micros)
        };
        self.started.push(attempt.map(|a| a.started));
        self.duration.push(part(|a| Some(a.duration)));
        self.dns.push(part(|a| a.phases.dns));
        self.connect.push(part(|a| a.phases.connect));
        self.tls.push(part(|a| a.phases.tls));
        self.first_byte.push(part(|a| a.phases.first_byte));
    }
}

impl Responses {
    fn push(&mut self, attempt: Option<AttemptRecord>) {
        let a = attempt.as_ref();
        self.status.push(a.and_then(|a| a.status).map(i32::from));
        let remote = a.and_then(|a| a.remote);
        self.remote.push(remote.map(|remote| remote.to_string()));
        self.truncated.push(a.map(|a| a.truncated));
        self.kept.push(a.map(|a| a.kept));
        let (mut class, mut info, mut protocol) = (None, None, None);
        let (mut request, mut head, mut body) = (None, None, None);
        if let Some(attempt) = attempt {
            class = Some(without_nul(attempt.class));
            info = Some(without_nul(attempt.info));
            protocol = attempt.protocol.map(without_nul);
            request = Some(attempt.request_head).filter(|head| !head.is_empty());
            head = Some(attempt.response_head);
            body = Some(attempt.response_body);
        }
        self.class.push(class);
        self.info.push(info);
        self.protocol.push(protocol);
        self.request.push(request);
        self.head.push(head);
        self.body.push(body);
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
