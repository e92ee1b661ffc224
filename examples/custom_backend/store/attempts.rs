//! Attempts: their rows.

use std::time::Duration;

use gatepost_storage::webhooks::{AttemptRecord, DeliveryId, Phases};
use redb::ReadableTable;
use serde_json::{Value, json};

use super::codec::{Fields, base64, corrupt, micros};
use super::error::{Answer, failed};
use super::tables::json;

pub(super) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

pub(super) fn duration(f: &Fields<'_>, field: &'static str) -> Option<Duration> {
    f.0[field].as_u64().map(Duration::from_nanos)
}

pub(super) fn encode_attempt(a: &AttemptRecord) -> Value {
    json!({
        "started": micros(a.started), "duration": nanos(a.duration), "dns": a.phases.dns.map(nanos),
        "connect": a.phases.connect.map(nanos), "tls": a.phases.tls.map(nanos), "first_byte": a.phases.first_byte.map(nanos),
        "class": a.class, "info": a.info, "status": a.status, "remote": a.remote.map(|r| r.to_string()),
        "protocol": a.protocol, "request": base64(&a.request_head), "head": base64(&a.response_head), "body": base64(&a.response_body), "truncated": a.truncated,
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
        request_head: f.bytes("request")?,
        response_head: f.bytes("head")?,
        response_body: f.bytes("body")?,
        truncated: f.is("truncated")?,
        kept: f.is("kept")?,
    })
}

/// The last attempts of a delivery, oldest first.
pub(super) fn attempts(
    table: &impl ReadableTable<(i64, i64), &'static str>,
    id: DeliveryId,
    last: u32,
) -> Answer<Vec<AttemptRecord>> {
    let all = table.range((id.0, 0)..=(id.0, i64::MAX)).map_err(failed)?;
    let mut found = Vec::new();
    for attempt in all.rev().take(last as usize) {
        let (key, row) = attempt.map_err(failed)?;
        found.push(decode_attempt(key.value().1, &json(row.value())?)?);
    }
    found.reverse();
    Ok(found)
}
